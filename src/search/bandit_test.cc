#include "search/bandit.h"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

#include "core/random.h"

namespace zermelo::search {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kPrinted = 1e-9;  // the expected values are rounded to ten digits

Statistic DiscountedSum(const std::vector<double>& rewards, double gamma) {
  Statistic arm;
  for (const double reward : rewards) arm = Discounted(arm, reward, gamma);
  return arm;
}

Statistic Window(const std::vector<float>& rewards, size_t window, size_t zeros = 0) {
  return Windowed(rewards, {}, zeros, window);
}

TEST(BanditTest, Ucb1IsMeanPlusBonus) {
  // W = 3, N = 4, sum of N = 10: 3/4 + sqrt(2 * 2.302585093 / 4) = 0.75 + 1.072983013
  EXPECT_NEAR(UcbScore({3, 4}, 10, 1), 1.822983013, kPrinted);
}

TEST(BanditTest, ExplorationScalesOnlyTheBonus) {
  // 0.75 + 0.5 * 1.072983013
  EXPECT_NEAR(UcbScore({3, 4}, 10, 0.5), 1.2864915065, kPrinted);
  EXPECT_EQ(UcbScore({3, 4}, 10, 0), 0.75);
}

TEST(BanditTest, RecursionOfAlgorithm1EqualsSumOfEquations8And9) {
  // gamma = 0.9, rewards 1, 0, 1: W = 0.9^2 * 1 + 0.9 * 0 + 1 = 1.81, N = 0.81 + 0.9 + 1 = 2.71
  const Statistic arm = DiscountedSum({1, 0, 1}, 0.9);
  EXPECT_NEAR(arm.reward, 1.81, 1e-15);
  EXPECT_NEAR(arm.visits, 2.71, 1e-15);
}

TEST(BanditTest, DucbIsUcbOnDiscountedStatistics) {
  // That arm next to one with N = 1: 1.81/2.71 + sqrt(2 ln 3.71 / 2.71)
  //   = 0.667896679 + sqrt(0.9675512005) = 0.667896679 + 0.983641805
  EXPECT_NEAR(UcbScore(DiscountedSum({1, 0, 1}, 0.9), 3.71, 1), 1.651538484, kPrinted);
}

TEST(BanditTest, DiscountedVisitsStayBelowTheirLimit) {
  // The geometric series 1 + 0.99 + 0.99^2 + … = 1 / (1 - 0.99) = 100
  Statistic arm;
  for (int i = 0; i < 10'000; ++i) arm = Discounted(arm, 1, 0.99);
  EXPECT_NEAR(arm.visits, 100, 1e-6);
  EXPECT_NEAR(arm.reward, 100, 1e-6);
}

TEST(BanditTest, WindowDropsTheOldestRewards) {
  // Window 3 of 1, 1, 0, 1, 0: the last three are 0, 1, 0; W = 1, N = min(5, 3)
  EXPECT_EQ(Window({1, 1, 0, 1, 0}, 3), (Statistic{1, 3}));
  // Next to an arm with N = 2: 1/3 + sqrt(2 ln 5 / 3) = 0.333333333 + sqrt(1.072958608)
  EXPECT_NEAR(UcbScore(Window({1, 1, 0, 1, 0}, 3), 5, 1), 1.369170487, kPrinted);
}

TEST(BanditTest, WindowThatIsNotFullKeepsAllRewards) {
  EXPECT_EQ(Window({1, 1}, 3), (Statistic{2, 2}));
  EXPECT_EQ(Window({}, 3), (Statistic{0, 0}));
}

TEST(BanditTest, TrailingZerosPushTheOldestOutOfTheWindow) {
  EXPECT_EQ(Window({1, 1}, 3, 1), (Statistic{2, 3}));     // 1, 1, 0
  EXPECT_EQ(Window({1, 1, 1}, 3, 2), (Statistic{1, 3}));  // 1 | 1, 0, 0
  EXPECT_EQ(Window({1, 1, 1}, 3, 7), (Statistic{0, 3}));
}

TEST(BanditTest, RingIsReadStartingAtItsOldestReward) {
  const std::vector<float> older = {8, 4};
  const std::vector<float> newer = {2, 1};
  EXPECT_EQ(Windowed(older, newer, 0, 4), (Statistic{15, 4}));
  EXPECT_EQ(Windowed(older, newer, 1, 4), (Statistic{7, 4}));
  EXPECT_EQ(Windowed(older, newer, 3, 4), (Statistic{1, 4}));
}

TEST(BanditTest, UnvisitedArmsScoreInfinityByThePaper) {
  EXPECT_EQ(UcbScore({0, 0}, 5, 1), kInfinity);
  EXPECT_EQ(OwnVisitsScore({0, 0}, 1), kInfinity);
}

TEST(BanditTest, UnvisitedArmsScoreHighByTheReferenceCode) {
  // 0/0.01 + sqrt(2 ln 5 / 0.01) = sqrt(321.8875825)
  EXPECT_NEAR(UcbScoreOfReferenceCode({0, 0}, 5, 1), 17.94122578, 1e-8);
}

TEST(BanditTest, ReferenceCodeTakesTheLogarithmOfAtLeastTwo) {
  // A single visit with reward 1: 1 + sqrt(2 ln max(1, 2) / 1) = 1 + sqrt(1.386294361)
  EXPECT_NEAR(UcbScoreOfReferenceCode({1, 1}, 1, 1), 2.177410023, kPrinted);
  // The paper: ln 1 = 0
  EXPECT_EQ(UcbScore({1, 1}, 1, 1), 1);
}

TEST(BanditTest, BourbakisBonusUsesTheArmsOwnVisitsTwice) {
  // 1.5/4 + 0.5 * sqrt(ln 4 / 4) = 0.375 + 0.5 * sqrt(0.3465735903)
  EXPECT_NEAR(OwnVisitsScore({1.5, 4}, 0.5), 0.6693525056, kPrinted);
  EXPECT_EQ(OwnVisitsScore({0.3, 1}, 0.5), 0.3);  // ln 1 = 0
}

TEST(BanditTest, PuctWeighsTheBonusByThePrior) {
  // 1/2 + 1.25 * 0.2 * sqrt(9) / (1 + 2) = 0.5 + 0.25
  EXPECT_DOUBLE_EQ(PuctScore({1, 2}, 9, 0.2, 1.25), 0.75);
  // Unvisited: 0 + 1.25 * 0.4 * 3
  EXPECT_DOUBLE_EQ(PuctScore({0, 0}, 9, 0.4, 1.25), 1.5);
}

TEST(BanditTest, RewardsAreZeroOrOne) {
  EXPECT_EQ(IntrinsicReward(true), 1);
  EXPECT_EQ(IntrinsicReward(false), 0);
  EXPECT_EQ(ExtrinsicReward(true), 1);
  EXPECT_EQ(ExtrinsicReward(false), 0);
}

TEST(BanditTest, QuickComparisonNeverContradictsTheScores) {
  core::Random random(7);
  size_t below = 0;
  for (int i = 0; i < 200'000; ++i) {
    BanditParameters parameters{.bandit = static_cast<Bandit>(random.Below(5)),
                                .convention = static_cast<Convention>(random.Below(2)),
                                .exploration = static_cast<double>(random.Below(3))};
    const double total = random.Unit() * std::pow(10, random.Unit() * 6);
    const Scorer scorer(parameters, total);
    const auto draw = [&] {
      const double visits = std::floor(random.Unit() * std::min(total, 50.0));
      return Statistic{std::floor(random.Unit() * (visits + 1)), visits};
    };
    const Statistic arm = draw();
    const double score = scorer.Score(draw(), 0.5);
    if (!scorer.IsBelow(arm, score)) continue;
    ++below;
    ASSERT_LT(scorer.Score(arm, 0.5), score);
  }
  EXPECT_GT(below, 20'000U);
}

TEST(BanditTest, ParametersOutOfRangeAreRejected) {
  EXPECT_TRUE(Check({}));
  EXPECT_FALSE(Check({.gamma = 1}));
  EXPECT_FALSE(Check({.gamma = 0}));
  EXPECT_FALSE(Check({.window = 0}));
  EXPECT_FALSE(Check({.exploration = -1}));
  EXPECT_FALSE(Check({.exploration = std::nan("")}));
}

TEST(BanditTest, UnknownEnumNamesAreRejected) {
  for (const char* name : {"bandit", "convention"}) {
    nlohmann::json json = BanditParameters();
    json[name] = "unknown";
    const auto checked = Check(json.get<BanditParameters>());
    ASSERT_FALSE(checked) << name;
    EXPECT_EQ(checked.error().code, core::ErrorCode::kUsage);
  }
}

TEST(BanditTest, ParametersSurviveAJsonRoundTrip) {
  const BanditParameters parameters{.bandit = Bandit::kSwucb,
                                    .convention = Convention::kReferenceCode,
                                    .gamma = 0.9,
                                    .window = 128,
                                    .exploration = 0.5};
  EXPECT_EQ(nlohmann::json(parameters).get<BanditParameters>(), parameters);
}

}  // namespace
}  // namespace zermelo::search
