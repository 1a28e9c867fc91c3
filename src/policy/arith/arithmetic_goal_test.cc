#include "policy/arith/arithmetic_goal.h"

#include <gtest/gtest.h>

namespace zermelo::policy {
namespace {

std::optional<Rational> ValueOf(const char* term, Domain domain) {
  return Evaluate(*ParseTerm(term), Assignment{}, domain);
}

TEST(Evaluate, AsLeanDoesInTheDomain) {
  EXPECT_EQ(ValueOf("3 - 5", Domain::kNat), Rational(0));
  EXPECT_EQ(ValueOf("3 - 5", Domain::kInt), Rational(-2));
  EXPECT_EQ(ValueOf("7 / 2", Domain::kInt), Rational(3));
  EXPECT_EQ(ValueOf("7 / 2", Domain::kRat), Rational(7) / 2);
  EXPECT_EQ(ValueOf("7 / 0", Domain::kRat), Rational(0));
  EXPECT_EQ(ValueOf("17 % 5", Domain::kInt), Rational(2));
}

TEST(Evaluate, NoRemainderOfFractionsAndNoValueOfOtherOperators) {
  EXPECT_EQ(ValueOf("(1 / 2) % 5", Domain::kRat), std::nullopt);
  EXPECT_EQ(ValueOf("5 % (1 / 2)", Domain::kRat), std::nullopt);
  EXPECT_EQ(ValueOf("5 ∣ 10", Domain::kInt), std::nullopt);
  EXPECT_EQ(ValueOf("2 ∧ 3", Domain::kInt), std::nullopt);
}

}  // namespace
}  // namespace zermelo::policy
