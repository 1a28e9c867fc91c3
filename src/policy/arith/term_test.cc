#include "policy/arith/term.h"

#include <gtest/gtest.h>
#include <string>

namespace zermelo::policy {
namespace {

// The structure, fully parenthesized: "(= (+ x 1) 3)".
std::string Shape(const Term& term) {
  if (term.args.empty()) return term.head.empty() ? "?" : term.head;
  std::string text = "(" + term.head;
  for (const TermPtr& arg : term.args) text += " " + Shape(*arg);
  return text + ")";
}

std::string Shape(const char* text) { return Shape(*ParseTerm(text)); }

TEST(Term, OperatorsBindAsInLean) {
  EXPECT_EQ(Shape("a + b * c ^ 2 = d - e - f"), "(= (+ a (* b (^ c 2))) (- (- d e) f))");
  EXPECT_EQ(Shape("2 ^ 3 ^ n"), "(^ 2 (^ 3 n))");
  EXPECT_EQ(Shape("p ∧ q ∨ r → s ↔ t"), "(↔ (→ (∨ (∧ p q) r) s) t)");
  EXPECT_EQ(Shape("¬7 ∣ 2 ^ n + 1"), "(¬ (∣ 7 (+ (^ 2 n) 1)))");
  EXPECT_EQ(Shape("-x ^ 2 + 1"), "(+ (- (^ x 2)) 1)");
  EXPECT_EQ(Shape("Nat → Nat → Nat"), "(→ Nat (→ Nat Nat))");
}

TEST(Term, CastsAndProjectionsAreApplied) {
  EXPECT_EQ(Shape("↑(a 2019).den + (a 2019).num"), "(+ (↑ (den (a 2019))) (num (a 2019)))");
  EXPECT_EQ(Shape("(n + 7).gcd (2 * n + 1) ≤ 13"), "(≤ (gcd (+ n 7) (+ (* 2 n) 1)) 13)");
  EXPECT_EQ(Shape("Nat.gcd 180 168 = 12"), "(= (gcd 180 168) 12)");
  EXPECT_EQ(Shape("x.den = y.den"), "(= (den x) (den y))");
  EXPECT_EQ(Shape("t.mirror.toList = t.toList.reverse"),
            "(= (toList (mirror t)) (reverse (toList t)))");
}

TEST(Term, AnInverseIsAnOperatorBehindParentheses) {
  const auto term = ParseTerm("(a * b)⁻¹ = b⁻¹ * a⁻¹");
  ASSERT_TRUE(term->Is("="));
  EXPECT_TRUE(term->args[0]->Is("⁻¹"));
  EXPECT_EQ(term->args[0]->args[0]->text, "a * b");
  EXPECT_EQ(term->args[1]->args[0]->head, "b⁻¹") << "a word";
}

TEST(Term, BindersKeepTheirBounds) {
  const TermPtr term = ParseTerm("∀ n ≥ 3, t n = 5");
  EXPECT_EQ(term->kind, TermKind::kBinder);
  EXPECT_EQ(term->names, std::vector<std::string>{"n"});
  EXPECT_EQ(term->bound, "≥ 3");
  EXPECT_EQ(Shape(*term->args[0]), "(= (t n) 5)");
  EXPECT_EQ(ParseTerm("∀ (a b : Nat), a = b")->bound, ": Nat");
  EXPECT_EQ(ParseTerm("∃ x ∈ {1, 2}, x = 1")->bound, "∈ {1, 2}");
  EXPECT_EQ(ParseTerm("∀ (a : Nat) (b : Int), a = b")->args[0]->names[0], "b");
  const TermPtr strict = ParseTerm("∀ ⦃a b : Nat⦄, f a = f b → a = b");
  EXPECT_EQ(strict->names, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(strict->bound, ": Nat");
  EXPECT_TRUE(strict->args[0]->Is("→"));
}

TEST(Term, KeepsTheTextOfEachPart) {
  const TermPtr term = ParseTerm("(x + 1) * y = 3");
  EXPECT_EQ(term->args[0]->args[0]->text, "x + 1");
  EXPECT_EQ(Parenthesized(*term->args[0]->args[0]), "(x + 1)");
}

TEST(Term, AFunctionIsOpaqueToTheEndOfWhatItIsIn) {
  const TermPtr term = ParseTerm("(Valid P c fun s => Q s ∧ (s, 0) = t) ∧ q");
  ASSERT_TRUE(term->Is("∧"));
  const Term& valid = *term->args[0];
  ASSERT_TRUE(valid.IsApply("Valid"));
  EXPECT_EQ(valid.args[2]->text, "fun s => Q s ∧ (s, 0) = t");
  EXPECT_EQ(ParseTerm("f = fun x => x = 1")->args[1]->kind, TermKind::kOpaque);
}

TEST(Term, UnknownSyntaxIsOpaque) {
  for (const char* text : {"if a then b else c", "fun x => x", "match x with | 0 => 1", "", "(",
                           ")", "a +", "∀", "∀ (", "∃ x", "+ +", "⟨a, b⟩ = c )"}) {
    EXPECT_EQ(ParseTerm(text)->kind, TermKind::kOpaque) << text;
    EXPECT_EQ(ParseTerm(text)->text, text);
  }
}

TEST(Term, DeepNestingIsOpaque) {
  const std::string deep = std::string(5000, '(') + "x" + std::string(5000, ')');
  EXPECT_EQ(ParseTerm(deep)->kind, TermKind::kOpaque);
  std::string negations;
  for (int i = 0; i < 5000; ++i) negations += "¬";
  EXPECT_EQ(ParseTerm(negations + "p")->kind, TermKind::kOpaque);
}

TEST(Term, ALongTextIsOpaque) {
  EXPECT_EQ(ParseTerm(std::string(20'000, 'x'))->kind, TermKind::kName);
  EXPECT_EQ(ParseTerm(std::string(20'001, 'x'))->kind, TermKind::kOpaque);
}

TEST(Term, MentionsLooksIntoOpaqueText) {
  EXPECT_TRUE(Mentions(*ParseTerm("if x < y then 1 else 2"), "y"));
  EXPECT_FALSE(Mentions(*ParseTerm("if x < y then 1 else 2"), "z"));
  EXPECT_TRUE(Mentions(*ParseTerm("x.den = 3"), "x"));
  EXPECT_TRUE(Mentions(*ParseTerm("x.num.abs = 3"), "x"));
  EXPECT_FALSE(Mentions(*ParseTerm("xs = 3"), "x"));
}

TEST(Term, NumeralsThatDoNotFitHaveNoValue) {
  EXPECT_EQ(NumeralValue(*ParseTerm("-211")), -211);
  EXPECT_EQ(NumeralValue(*ParseTerm("99999999999999999999")), std::nullopt);
}

}  // namespace
}  // namespace zermelo::policy
