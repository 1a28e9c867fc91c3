#include "policy/arith/interval.h"

#include <gtest/gtest.h>

#include "syntax/goal/goal.h"

namespace zermelo::policy {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Box BoundsOf(const std::string& state) {
  const ArithmeticGoal arith = ReadGoal(syntax::ParseProofState(state).goals.front());
  std::vector<TermPtr> props;
  for (const Fact& fact : arith.facts) props.push_back(fact.prop);
  return FindBounds(props, arith);
}

Interval RangeOf(const char* term, const Box& box, Domain domain) {
  ArithmeticGoal arith;
  for (const auto& [name, interval] : box) arith.variables.push_back({name, "", domain});
  return Evaluate(*ParseTerm(term), box, arith, domain);
}

TEST(Interval, AFactorIsBoundedByTheProductAndTheOtherFactor) {
  const auto of_x = [](const std::string& facts) {
    return BoundsOf("x y : Int\n" + facts + "\n⊢ False").at("x");
  };
  EXPECT_EQ(of_x("h : x * y = 12\nk : 2 ≤ y"), (Interval{1, 6}));
  EXPECT_EQ(of_x("h : x * y = -12\nk : 2 ≤ y"), (Interval{-6, -1}));
  EXPECT_EQ(of_x("h : x * y = 12\nk : y ≤ -3"), (Interval{-4, -1}));
  EXPECT_EQ(of_x("h : x * y ≤ -3\nk : 2 ≤ y"), (Interval{-kInfinity, 0}));
  EXPECT_EQ(of_x("h : -12 ≤ x * y\nh' : x * y ≤ 9\nk : 3 ≤ y"), (Interval{-4, 3}));
}

TEST(Interval, ABaseIsBoundedByTheRootOfThePower) {
  EXPECT_EQ(BoundsOf("x : Nat\nh : x ^ 3 ≤ 64\n⊢ False").at("x"), (Interval{0, 4}));
  EXPECT_EQ(BoundsOf("x : Int\nh : x ^ 2 ≤ 50\n⊢ False").at("x"), (Interval{-7, 7}));
  EXPECT_EQ(BoundsOf("n : Nat\nh : 2 ^ n ≤ 100\n⊢ False").at("n"), (Interval{0, 6}));
}

TEST(Interval, WhatIsNotKnownOfANaturalNumberIsAtLeastZero) {
  const Box box{{"a", {0, 9}}, {"b", {0, kInfinity}}};
  EXPECT_EQ(RangeOf("a % b", box, Domain::kNat), (Interval{0, kInfinity}));
  EXPECT_EQ(RangeOf("a % b", box, Domain::kInt), Interval{});
  EXPECT_EQ(RangeOf("a - b", box, Domain::kNat), (Interval{0, 9}));
  EXPECT_EQ(RangeOf("a - b", box, Domain::kInt), (Interval{-kInfinity, 9}));
  EXPECT_EQ(RangeOf("b % 7", box, Domain::kInt), (Interval{0, 6}));
}

TEST(Interval, ARelationIsImpossibleIfNoTwoValuesOfItsSidesFulfilIt) {
  const Box box{{"a", {1, 4}}, {"b", {4, 9}}, {"c", {5, 9}}};
  ArithmeticGoal arith;
  for (const char* name : {"a", "b", "c"}) arith.variables.push_back({name, "Int", Domain::kInt});
  const auto is_impossible = [&](const char* prop) {
    return IsImpossible({ParseTerm(prop)}, box, arith);
  };
  for (const char* prop : {"c < a", "b < a", "c ≤ a", "a > b", "a > c", "a ≥ c", "a = c", "c = a",
                           "c ∣ a", "a < b ∧ c ≤ a"}) {
    EXPECT_TRUE(is_impossible(prop)) << prop;
  }
  for (const char* prop :
       {"a < b", "a < c", "b < c", "c < b", "b ≤ a", "a ≤ b", "b > a", "a ≥ b", "b ≥ a", "a = b",
        "b = a", "a ≠ c", "b ∣ a", "a ∣ b", "b = c", "a < b ∧ b ≤ a"}) {
    EXPECT_FALSE(is_impossible(prop)) << prop;
  }
}

}  // namespace
}  // namespace zermelo::policy
