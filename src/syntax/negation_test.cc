#include "syntax/negation.h"

#include <gtest/gtest.h>

namespace zermelo::syntax {
namespace {

/// The negation without the option line that every negation has.
std::string Negated(std::string_view declaration, std::string_view before = {}) {
  const auto negation = NegationOf(declaration, "neg", before);
  if (!negation) return "error: " + negation.error().message;
  constexpr std::string_view kOption = "set_option autoImplicit false in\n";
  const size_t at = negation->find(kOption);
  if (at == std::string::npos) return "no option in " + *negation;
  return std::string(*negation).erase(at, kOption.size());
}

TEST(NegationTest, QuantifiesAllBindersAsTheyAre) {
  EXPECT_EQ(
      Negated("theorem t (x y : Nat) {h : x < y} [Foo x] ⦃z : Nat⦄ : x + z = y := by\n  sorry"),
      "theorem neg : ¬ (∀ (x y : Nat) {h : x < y} [Foo x] ⦃z : Nat⦄, x + z = y)");
  EXPECT_EQ(Negated("lemma t : 1 = 2 := sorry"), "theorem neg : ¬ (1 = 2)");
  EXPECT_EQ(Negated("example x : x = (1 : Nat) := sorry"), "theorem neg : ¬ (∀ x, x = (1 : Nat))");
  EXPECT_EQ(Negated("theorem a.t (f : (n : Nat) → Fin n) : ∀ m : Nat, m = 0"),
            "theorem neg : ¬ (∀ (f : (n : Nat) → Fin n), ∀ m : Nat, m = 0)");
}

TEST(NegationTest, DropsWhatIsNotPartOfTheStatement) {
  EXPECT_EQ(Negated("/-- Says: no. -/\n@[simp, foo (x := 1)] private theorem t (n : Nat) -- why\n "
                    ": n = n -- so\n"
                    " | 0 => rfl\n | n + 1 => rfl"),
            "theorem neg : ¬ (∀ (n : Nat), n = n)");
}

TEST(NegationTest, KeepsTheColumnsOfAStatementOnSeveralLines) {
  EXPECT_EQ(Negated("theorem t :\n    let a := 1\n    a = 2 := by\n  sorry"),
            "theorem neg : ¬ (\n    let a := 1\n    a = 2)");
}

TEST(NegationTest, KeepsUniversesAndAddsThoseBoundAutomatically) {
  EXPECT_EQ(Negated("theorem t.{u, v} (α : Type u) (β : Type v) : α = β := sorry"),
            "theorem neg.{u, v} : ¬ (∀ (α : Type u) (β : Type v), α = β)");
  EXPECT_EQ(Negated("theorem t (α : Type u) (β : Sort (max v 1)) (γ : Type) : P.{w} α := sorry",
                    "universe u"),
            "theorem neg.{v, w} : ¬ (∀ (α : Type u) (β : Sort (max v 1)) (γ : Type), P.{w} α)");
}

TEST(NegationTest, QuantifiesTheVariablesOfTheContext) {
  constexpr std::string_view kBefore =
      "section\nvariable (unused : Nat)\nend\nvariable {α : Type} [Inhabited α] (n m : α)\n"
      "variable (h : n = m) (other : Nat) [Foo other]\nvariable (n)\ntheorem before : True := "
      "trivial\n";
  EXPECT_EQ(Negated("theorem t : n = default := sorry", kBefore),
            "theorem neg : ¬ (∀ {α : Type} [Inhabited α] (n m : α), n = default)");
  EXPECT_EQ(Negated("theorem t (unused : α) : unused = unused := sorry", kBefore),
            "theorem neg : ¬ (∀ {α : Type} [Inhabited α] (unused : α), unused = unused)");
  EXPECT_EQ(Negated("theorem t : other.succ = 1 := sorry", kBefore),
            "theorem neg : ¬ (∀ (other : Nat) [Foo other], other.succ = 1)");
  EXPECT_EQ(Negated("theorem t : True := sorry", std::string(kBefore) + "include h\n"),
            "theorem neg : ¬ (∀ {α : Type} [Inhabited α] (n m : α) (h : n = m), True)");
  EXPECT_EQ(Negated("variable (k : Nat) in\ntheorem t : k = 0 := sorry"),
            "theorem neg : ¬ (∀ (k : Nat), k = 0)");
}

TEST(NegationTest, KeepsOpenInAndSetOptionIn) {
  EXPECT_EQ(Negated("open Nat in\nset_option foo true in\n@[simp] theorem t : succ 1 = 3 := sorry"),
            "open Nat in\nset_option foo true in\ntheorem neg : ¬ (succ 1 = 3)");
}

TEST(NegationTest, ReportsWhenThereIsNothingToNegate) {
  EXPECT_EQ(Negated("def f := 1"), "error: there is no theorem to negate");
  EXPECT_EQ(Negated("theorem t := sorry"), "error: there is no type to negate in `t`");
  EXPECT_EQ(Negated("theorem"), "error: there is no type to negate in ``");
  EXPECT_EQ(Negated(""), "error: there is no theorem to negate");
  EXPECT_EQ(Negated("theorem t ((( : Nat"), "error: there is no type to negate in `t`");
}

}  // namespace
}  // namespace zermelo::syntax
