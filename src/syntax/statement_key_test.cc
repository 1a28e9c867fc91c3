#include "syntax/statement_key.h"

#include <gtest/gtest.h>

namespace zermelo::syntax {
namespace {

TEST(StatementKeyTest, NamesOfVariablesAndHypothesesDoNotMatter) {
  EXPECT_EQ(StatementKey("(n m : Nat) (h : n < m) : n + 1 ≤ m"),
            StatementKey("(a b : Nat) (hab : a < b) : a + 1 ≤ b"));
  EXPECT_EQ(StatementKey("(s : List Nat) : s.length = 0"),
            StatementKey("(xs : List Nat) : xs.length = 0"));
}

TEST(StatementKeyTest, HowVariablesAreBoundDoesNotMatter) {
  const auto key = StatementKey("(x y : Nat) (h : x = y) : y = x");
  EXPECT_EQ(key, StatementKey("(x : Nat) (y : Nat) (h : x = y) : y = x"));
  EXPECT_EQ(key, StatementKey(": ∀ a b : Nat, a = b → b = a"));
  EXPECT_EQ(key, StatementKey("{x : ℕ} : ∀ (y : ℕ), x = y → y = x"));
}

TEST(StatementKeyTest, BlanksAndCommentsDoNotMatter) {
  EXPECT_EQ(StatementKey("(n : Nat) : n = n"), StatementKey("(n:Nat)  -- a number\n  : n = n"));
}

TEST(StatementKeyTest, InnerBindersAreRenamedInTheirScope) {
  EXPECT_EQ(StatementKey("(x : Nat) : (∃ x, x = 1) ∧ x = 2"),
            StatementKey("(x : Nat) : (∃ y, y = 1) ∧ x = 2"));
  EXPECT_NE(StatementKey("(x : Nat) : (∃ y, y = 1) ∧ x = 2"),
            StatementKey("(x : Nat) : (∃ y, x = 1) ∧ x = 2"));
  EXPECT_EQ(StatementKey(": (fun x => x + 1) = fun y ↦ y + 1"),
            StatementKey(": (λ a => a + 1) = fun b => b + 1"));
  EXPECT_EQ(StatementKey("(s : Set Nat) : {x | x ∈ s} = s"),
            StatementKey("(t : Set Nat) : {y | y ∈ t} = t"));
  EXPECT_EQ(StatementKey(": ‹∃ x, p x› = y"), StatementKey(": ‹∃ y, p y› = y"));
}

TEST(StatementKeyTest, OtherStatementsHaveOtherKeys) {
  EXPECT_NE(StatementKey("(a b : Nat) : a + b = b + a"),
            StatementKey("(a b : Nat) : a + b = a + b"));
  EXPECT_NE(StatementKey("(a b : Nat) : a = b"), StatementKey("(a b : Int) : a = b"));
  EXPECT_NE(StatementKey("(p q : Prop) : p → q"), StatementKey("(p q : Prop) : q → p"));
  EXPECT_NE(StatementKey("(p q r : Prop) : p ↔ q → r"),
            StatementKey("(p q r : Prop) : (p ↔ q) → r"));
  EXPECT_NE(StatementKey("(s t : Set Nat) : ∀ x ∈ s, x = 1"),
            StatementKey("(s t : Set Nat) : ∀ x ∈ t, x = 1"));
  EXPECT_NE(StatementKey("(n : Nat) : n = 3"), StatementKey("(n : Nat) : n = 4"));
}

std::string KeyOfGoal(std::string_view printed) {
  return GoalKey(ParseProofState(printed).goals.front());
}

TEST(GoalKeyTest, NamesAndTheirBindersDoNotMatter) {
  const auto key = KeyOfGoal("x y : Nat\nh : x = y\n⊢ y = x");
  EXPECT_EQ(key, KeyOfGoal("a : Nat\nb : Nat\nab : a = b\n⊢ b = a"));
  EXPECT_EQ(key, KeyOfGoal("⊢ ∀ (a b : Nat), a = b → b = a"));
  EXPECT_NE(key, KeyOfGoal("x y : Nat\nh : x = y\n⊢ x = y"));
  EXPECT_NE(key, KeyOfGoal("x y : Int\nh : x = y\n⊢ y = x"));
}

TEST(GoalKeyTest, InaccessibleNamesAreNames) {
  const auto key = KeyOfGoal("α : Type u_1\ninst✝¹ : Foo α\ninst✝ : Bar α inst✝¹\n⊢ p inst✝¹");
  EXPECT_EQ(key, KeyOfGoal("β : Type u\na : Foo β\nb : Bar β a\n⊢ p a"));
  EXPECT_NE(key, KeyOfGoal("β : Type u\na : Foo β\nb : Bar β a\n⊢ p b"));
}

TEST(GoalKeyTest, UniverseLevelsAndOpenNamespacesDoNotMatter) {
  EXPECT_EQ(KeyOfGoal("α : Type (max u v)\nf : α → Type u\n⊢ List.Perm l (Nat.succ n)"),
            KeyOfGoal("α : Type w\nf : α → Type v\n⊢ Perm l (succ n)"));
  EXPECT_NE(KeyOfGoal("α : Type\nx : α\n⊢ Foo.p x"), KeyOfGoal("α : Prop\nx : α\n⊢ Foo.p x"));
  EXPECT_NE(KeyOfGoal("xs : List Nat\n⊢ xs.length = 0"), KeyOfGoal("xs : List Nat\n⊢ xs.sum = 0"));
}

TEST(StatementKeyTest, TextThatIsNoSignatureHasItsTokensAsKey) {
  EXPECT_EQ(StatementKey("foo   bar"), StatementKey("foo bar"));
  EXPECT_EQ(StatementKey(""), "");
}

}  // namespace
}  // namespace zermelo::syntax
