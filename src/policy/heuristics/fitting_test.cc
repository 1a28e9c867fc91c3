#include "policy/heuristics/fitting.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "syntax/goal/goal.h"

namespace zermelo::policy {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> WitnessesFor(const std::string& state, const std::string& type = "Nat") {
  const ArithmeticGoal arith = ReadGoal(syntax::ParseProofState(state).goals.front());
  return FittingWitnesses(Open(*arith.target, type), arith);
}

TEST(Fitting, TheSimplestThatIsRightForSmallNumbers) {
  EXPECT_EQ(WitnessesFor("n : Nat\n⊢ ∃ m, m > n ∧ m % 3 = 1").front(), "3 * n + 1");
  EXPECT_EQ(WitnessesFor("n : Nat\n⊢ ∃ m > n, m % 5 = 2").front(), "5 * n + 2");
  EXPECT_EQ(WitnessesFor("a b : Nat\n⊢ ∃ c, a < c ∧ b < c").front(), "a + b + 1");
  EXPECT_EQ(WitnessesFor("n : Int\n⊢ ∃ m, m < n ∧ n - m = 2", "Int").front(), "n - 2");
}

TEST(Fitting, HypothesesSayWhichNumbersCount) {
  EXPECT_THAT(WitnessesFor("n : Nat\nh : n % 2 = 0\n⊢ ∃ k, n = 2 * k"), Contains("(n + 0) / 2"));
  EXPECT_THAT(WitnessesFor("n : Nat\n⊢ ∃ k, n = 2 * k"), IsEmpty());
  EXPECT_THAT(WitnessesFor("n : Nat\nh : n < 2\n⊢ ∃ m, m > n"), IsEmpty()) << "two say too little";
}

TEST(Fitting, CombinationsOfTwoNumbers) {
  EXPECT_EQ(WitnessesFor("n : Nat\nh : 8 ≤ n\n⊢ ∃ a b, n = 3 * a + 5 * b").front(),
            "(n - 5 * (2 * n % 3)) / 3, 2 * n % 3");
  EXPECT_EQ(WitnessesFor("n : Nat\n⊢ ∃ q r, n = 7 * q + r ∧ r < 7").front(),
            "(n - 1 * (n % 7)) / 7, n % 7");
}

TEST(Fitting, NothingWithoutNumbersOrWithWhatCannotBeEvaluated) {
  EXPECT_THAT(WitnessesFor("⊢ ∃ m, m > 3"), IsEmpty());
  EXPECT_THAT(WitnessesFor("f : Nat → Nat\nn : Nat\n⊢ ∃ m, f m = n"), IsEmpty());
  EXPECT_THAT(WitnessesFor("a b c : Nat\n⊢ ∃ m, m > a + b + c"), IsEmpty());
}

TEST(Fitting, IntegersAlternate) {
  EXPECT_THAT((std::vector{Alternating(0), Alternating(1), Alternating(2), Alternating(3)}),
              ElementsAre(0, 1, -1, 2));
}

}  // namespace
}  // namespace zermelo::policy
