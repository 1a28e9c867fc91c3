#include "policy/rewriting.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "syntax/goal/goal.h"

namespace zermelo::policy {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

ArithmeticGoal Goal(const std::string& state) {
  return ReadGoal(syntax::ParseProofState(state).goals.front());
}

/// "rule at place", in the syntax of `rw`.
std::vector<std::string> Uses(const std::optional<Rule>& rule, const ArithmeticGoal& arith) {
  std::vector<std::string> uses;
  if (!rule) return {"no rule"};
  for (const Rewriting& each : RewritingPlaces(arith).By(*rule)) {
    uses.push_back(each.rule + (each.place.empty() ? "" : " at " + each.place));
  }
  return uses;
}

std::vector<std::string> Uses(const std::string& signature, const std::string& state) {
  return Uses(ReadRule("T", signature), Goal(state));
}

TEST(Rule, IsReadFromASignature) {
  const auto rule =
      ReadRule("T", "{α : Type u} [DecidableEq α] (a b : Nat) (h : 0 < b) : a % b = a ↔ a < b");
  ASSERT_TRUE(rule);
  EXPECT_EQ(rule->proof, "T");
  EXPECT_EQ(rule->left->text, "a % b = a");
  EXPECT_EQ(rule->right->text, "a < b");
  EXPECT_EQ(rule->conditions, 1U);
  std::vector<std::string> names;
  for (const Variable& variable : rule->variables) names.push_back(variable.name);
  EXPECT_THAT(names, ElementsAre("α", "a", "b"));
  EXPECT_EQ(rule->variables.back().domain, Domain::kNat);
}

TEST(Rule, PremisesAfterTheColonAreConditions) {
  const auto rule = ReadRule("T", ": ∀ {n m : Int}, 0 < m → m ≠ n → n / m * m = n");
  ASSERT_TRUE(rule);
  EXPECT_EQ(rule->conditions, 2U);
  EXPECT_EQ(rule->left->text, "n / m * m");
}

TEST(Rule, BindersMayComeFromAVariableCommand) {
  const auto rule = ReadRule("T", "{s} (t) ⦃u: Nat⦄ (x₁ : α) : s * t + u = x₁ + x₂' + none");
  ASSERT_TRUE(rule);
  std::vector<std::string> names;
  for (const Variable& variable : rule->variables) names.push_back(variable.name);
  EXPECT_THAT(names, ElementsAre("s", "t", "u", "x₁", "x₂'"));
  EXPECT_EQ(ReadRule("T", ": x₀ * 1 = x₉")->variables.size(), 2U);
  EXPECT_TRUE(ReadRule("T", ": xₐ * 1 = x'₊")->variables.empty()) << "no digits";
}

TEST(Rule, OtherStatementsAreNoRules) {
  for (const char* signature : {"(a b : Nat) : a ≤ a + b", "(a : Nat", "", "a", ": Nat",
                                "(h : ∀ x, x = x)", ": ∀", "\xff(\xfe : \x80"}) {
    EXPECT_FALSE(ReadRule("T", signature)) << signature;
  }
}

TEST(Rewriting, FitsPartsOfHypothesesAndTarget) {
  const std::string sub_mul = "(a b c : Int) : (a - b) * c = a * c - b * c";
  EXPECT_THAT(Uses(sub_mul, "x y : Int\nh : (x - 1) * y = 3\n⊢ y + (y - 2) * x = 0"),
              ElementsAre("T", "T at h"));
  EXPECT_THAT(Uses(sub_mul, "x y : Int\n⊢ x * y - 2 * y = 0"), ElementsAre("← T"));
  EXPECT_THAT(Uses(sub_mul, "x y : Int\n⊢ x * y - y * 2 = 0"), IsEmpty()) << "two values of c";
}

TEST(Rewriting, NumbersMustBeOfTheRulesType) {
  const std::string dvd = "{m n k : Int} : m % n = k % n ↔ (m - k) % n = 0";
  EXPECT_THAT(Uses(dvd, "m x : Int\nh : (x - 6 ^ 2) % m = 0\n⊢ m = 43"), ElementsAre("← T at h"));
  EXPECT_THAT(Uses(dvd, "m x : Nat\nh : (x - 6 ^ 2) % m = 0\n⊢ m = 43"), IsEmpty());
}

TEST(Rewriting, AHypothesisMayBeTheRule) {
  const ArithmeticGoal arith = Goal(
      "f : Nat → Nat\nn : Nat\nh : ∀ (x : Nat), f (x + 1) = 2 * f x\n"
      "k : f n = 3\nboth : n = 1 ∧ f (n + 1) = 6\n⊢ f (n + 1) = 6");
  EXPECT_THAT(Uses(RuleOf(arith.facts[0]), arith), ElementsAre("h", "h at both"));
  EXPECT_THAT(Uses(RuleOf(arith.facts[1]), arith), IsEmpty());
  EXPECT_THAT(Uses(RuleOf(arith.facts[3]), arith), ElementsAre("both.2"));
}

TEST(Rewriting, UselessRewritingsAreLeftOut) {
  const std::string state = "a b c : Nat\nh : 0 ≤ a\n⊢ a * b + c = c + b * a";
  EXPECT_THAT(Uses("(n m : Nat) : n * m = m * n", state), IsEmpty()) << "reorders";
  EXPECT_THAT(Uses("(n m k : Nat) : n * m + k = k + n * m", state), IsEmpty()) << "reorders";
  EXPECT_THAT(Uses("(n : Nat) : n = n + 0", state), IsEmpty()) << "matches everywhere";
  EXPECT_THAT(Uses("(n : Nat) : 0 ≤ n ↔ 0 < n + 1", state), IsEmpty()) << "a relation alone";
  EXPECT_THAT(Uses("(n m k : Nat) : n * m + 0 = k * 0 + n * m", state), IsEmpty()) << "unknown k";
}

TEST(Rewriting, AConjunctionIsOnePlace) {
  EXPECT_THAT(Uses("(a b c : Int) : (a - b) * c = a * c - b * c",
                   "x y : Int\nh : (x - 1) * y = 3 ∧ 0 < x ∧ (y - 1) * x = 4\n⊢ False"),
              ElementsAre("T at h"));
}

TEST(Rewriting, MeritWeighsMatchesAgainstNewSymbolsAndConditions) {
  const ArithmeticGoal arith = Goal("a b : Nat\n⊢ (a + b) % 2 = 0");
  const auto merit = [&](const char* signature) {
    const auto rewritings = RewritingPlaces(arith).By(*ReadRule("T", signature));
    return rewritings.empty() ? 0 : rewritings.front().merit;
  };
  EXPECT_EQ(merit("(n m k : Nat) : (n + m) % k = (n % k + m % k) % k"), 2);
  EXPECT_EQ(merit("(n m : Nat) : (n + m) % 2 = 0 ↔ (n % 2 + m % 2) % 2 = 0"), 5);
  EXPECT_EQ(merit("(n m k : Nat) (h : n < k) : (n + m) % k = (n % k + m % k) % k"), 1.5);
  EXPECT_EQ(merit("(n m k : Nat) : (n + m) % k = n.gcd (m + k)"), 1.5);
}

TEST(Rewriting, StrangeTextIsHarmless) {
  std::string deep;
  for (int i = 0; i < 5000; ++i) deep += "(";
  const ArithmeticGoal arith = Goal("x : Int\nh : " + deep + "\n⊢ x + 0 * x = \xff");
  for (const std::string& signature :
       {deep, deep + " : a = b", "(a : Int) : " + deep + "a + 0 = a",
        std::string("(f : Int → Int) (a : Int) : f a + 0 = a"), std::string(": x = ∃ y, y + 0"),
        std::string("⦃a)"), std::string("⦃h : s = \"(\"⦄ : g \")\""), std::string("⦃"),
        std::string("(a :) : a + 0 = a"), std::string("(:) : a + 0 = a")}) {
    if (const auto rule = ReadRule("T", signature)) RewritingPlaces(arith).By(*rule);
  }
}

}  // namespace
}  // namespace zermelo::policy
