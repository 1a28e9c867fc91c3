// Compares with values computed by hand or by scipy, as noted at each.
#include "eval/report/statistics.h"

#include <gmock/gmock.h>

namespace zermelo::eval {
namespace {

TEST(PassAtK, IsTheChanceThatAGroupOfKHoldsACorrectSample) {
  EXPECT_DOUBLE_EQ(PassAtK(5, 0, 3), 0);
  EXPECT_DOUBLE_EQ(PassAtK(5, 5, 1), 1);
  EXPECT_DOUBLE_EQ(PassAtK(10, 3, 1), 0.3);
  // 1 - C(7,2)/C(10,2) = 1 - 21/45
  EXPECT_NEAR(PassAtK(10, 3, 2), 24.0 / 45, 1e-15);
  // 1 - C(2,3)/C(4,3) with C(2,3) = 0
  EXPECT_DOUBLE_EQ(PassAtK(4, 2, 3), 1);
  EXPECT_DOUBLE_EQ(PassAtK(4, 1, 4), 1);
}

TEST(PassAtK, DoesNotOverflow) {
  // One correct of 102,400, in groups of 6,400: exactly k / n.
  EXPECT_NEAR(PassAtK(102'400, 1, 6'400), 0.0625, 1e-12);
}

TEST(PassAtK, IsUnbiased) {
  // n = 3, each correct with p = 1/2: the mean over all 8 outcomes is 1 - (1-p)^k.
  for (const size_t k : {1, 2, 3}) {
    double mean = 0;
    for (unsigned outcome = 0; outcome < 8; ++outcome) {
      mean += PassAtK(3, static_cast<size_t>(__builtin_popcount(outcome)), k) / 8;
    }
    EXPECT_NEAR(mean, 1 - 1.0 / (1U << k), 1e-15) << k;
  }
}

TEST(Wilson, AgreesWithScipy) {
  // scipy.stats.binomtest(k, n).proportion_ci(method='wilson')
  const Interval half = Wilson(5, 10);
  EXPECT_NEAR(half.low, 0.2365931, 1e-7);
  EXPECT_NEAR(half.high, 0.7634069, 1e-7);
  const Interval most = Wilson(155, 244);  // 63.5 % of miniF2F
  EXPECT_NEAR(most.low, 0.5731847, 1e-7);
  EXPECT_NEAR(most.high, 0.6931146, 1e-7);
}

TEST(Wilson, AtTheEnds) {
  EXPECT_DOUBLE_EQ(Wilson(0, 10).low, 0);
  EXPECT_NEAR(Wilson(0, 10).high, 0.2775328, 1e-7);  // z^2 / (n + z^2)
  EXPECT_NEAR(Wilson(10, 10).low, 0.7224672, 1e-7);
  EXPECT_DOUBLE_EQ(Wilson(10, 10).high, 1);
  EXPECT_DOUBLE_EQ(Wilson(0, 0).high, 1);
}

TEST(Spread, DividesByOneLessThanTheValues) {
  const std::vector<double> rates = {0.5, 0.6, 0.7};
  EXPECT_DOUBLE_EQ(MeanAndSigma(rates).mean, 0.6);
  EXPECT_NEAR(MeanAndSigma(rates).sigma, 0.1, 1e-15);
  EXPECT_DOUBLE_EQ(MeanAndSigma(std::vector<double>{0.4}).sigma, 0);
}

TEST(McNemar, IsTheTwoSidedBinomialTest) {
  // scipy.stats.binomtest(b, b + c).pvalue
  EXPECT_NEAR(McNemarExact(1, 9), 22.0 / 1024, 1e-12);  // 2 (1 + 10) / 2^10
  EXPECT_NEAR(McNemarExact(9, 1), 22.0 / 1024, 1e-12);
  EXPECT_NEAR(McNemarExact(0, 6), 0.03125, 1e-12);
  EXPECT_NEAR(McNemarExact(2, 10), 158.0 / 4096, 1e-12);  // 2 (1 + 12 + 66) / 2^12
  EXPECT_DOUBLE_EQ(McNemarExact(3, 3), 1);
  EXPECT_DOUBLE_EQ(McNemarExact(0, 0), 1);
  EXPECT_NEAR(McNemarExact(5'000, 5'200), 0.0487880, 1e-6) << "no underflow";
}

TEST(Curves, CountTheProblemsSolvedUpToEachCost) {
  const auto curve = PassCurve({4, 1, 4, 9}, 8);
  ASSERT_EQ(curve.size(), 3U);
  EXPECT_DOUBLE_EQ(curve[0].cost, 1);
  EXPECT_DOUBLE_EQ(curve[0].rate, 0.125);
  EXPECT_DOUBLE_EQ(curve[1].rate, 0.375);
  EXPECT_DOUBLE_EQ(curve[2].rate, 0.5);
  EXPECT_TRUE(PassCurve({}, 8).empty());
}

}  // namespace
}  // namespace zermelo::eval
