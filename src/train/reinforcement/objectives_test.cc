// Numbers computed by hand, and by verl's and TRL's own code (testing/make_golden.py).
#include "train/reinforcement/objectives.h"

#include <ATen/ATen.h>
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>

#include "decoder/testing/models.h"
#include "train/optimizer.h"

namespace zermelo::train {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::Pointwise;

at::Tensor Floats(const std::vector<float>& values) { return at::tensor(values); }
at::Tensor Owners(const std::vector<int64_t>& values) { return at::tensor(values, at::kLong); }

TEST(GroupAdvantagesTest, AreStandardScores) {
  // mean 1/4, deviation of the sample 1/2
  EXPECT_THAT(GroupAdvantages(std::vector<double>{1, 0, 0, 0}, true),
              Pointwise(DoubleNear(1e-5), {1.5, -0.5, -0.5, -0.5}));
  EXPECT_THAT(GroupAdvantages(std::vector<double>{1, 0, 0, 0}, false),
              ElementsAre(0.75, -0.25, -0.25, -0.25));
  EXPECT_THAT(GroupAdvantages(std::vector<double>{1, 1}, true), ElementsAre(0, 0));
  EXPECT_THAT(GroupAdvantages(std::vector<double>{1}, true), ElementsAre(0));
}

TEST(KlEstimateTest, IsTheThirdEstimator) {
  // π = 1/2, π_ref = 1/4: 1/2 - log(1/2) - 1
  const auto estimate =
      KlEstimate(Floats({std::log(0.5F)}), Floats({std::log(0.25F)})).item<double>();
  EXPECT_NEAR(estimate, 0.5 + std::log(2.0) - 1, 1e-6);
}

class PolicyLossTest : public ::testing::Test {
 protected:
  // Two sequences, of one and three tokens. ρ: 2, 1, 1/2, 1.
  const at::Tensor old_ = Floats({0, 0, 0, 0});
  const at::Tensor now_ = Floats({std::log(2.0F), 0, std::log(0.5F), 0});
  const at::Tensor advantages_ = Floats({1, -1, -1, -1});
  const at::Tensor owners_ = Owners({0, 1, 1, 1});

  double Loss(const PolicyLossSettings& settings, const at::Tensor& reference = {}) {
    return PolicyLoss(now_, old_, reference, advantages_, owners_, 2, settings).item<double>();
  }
};

TEST_F(PolicyLossTest, ClipsAndAveragesAsAsked) {
  // Tokens: -min(2, 1.2) = -1.2; 1; -min(-0.5, -0.8) = 0.8; 1.
  EXPECT_NEAR(Loss({.average = Average::kSequence}), (-1.2 + 2.8 / 3) / 2, 1e-6);
  EXPECT_NEAR(Loss({.average = Average::kToken}), (-1.2 + 2.8) / 4, 1e-6);
  EXPECT_NEAR(Loss({.average = Average::kConstant, .longest = 10}), (-1.2 + 2.8) / 20, 1e-6);
  EXPECT_NEAR(Loss({.clip_high = 0.28, .average = Average::kToken}), (-1.28 + 2.8) / 4, 1e-6);
}

TEST_F(PolicyLossTest, TheKlTermIsAddedToEachToken) {
  const at::Tensor reference = now_ + std::log(2.0F);  // π_ref/π = 2: 2 - log 2 - 1 for each token
  const double without = Loss({.average = Average::kToken});
  EXPECT_NEAR(Loss({.kl_weight = 0.5, .average = Average::kToken}, reference) - without,
              0.5 * (1 - std::log(2.0)), 1e-6);
}

TEST_F(PolicyLossTest, ASequenceWithoutTokensCountsAsZero) {
  const auto loss = PolicyLoss(now_, old_, {}, advantages_, owners_, 3, {}).item<double>();
  EXPECT_NEAR(loss, (-1.2 + 2.8 / 3) / 3, 1e-6);
}

TEST_F(PolicyLossTest, NoGradientBeyondTheClip) {
  const at::Tensor logprobs = now_.clone().set_requires_grad(true);
  PolicyLoss(logprobs, old_, {}, advantages_, owners_, 2, {.average = Average::kToken}).backward();
  const at::Tensor& gradient = logprobs.grad();
  EXPECT_EQ(gradient[0].item<double>(), 0) << "ρ = 2 and A > 0";
  EXPECT_EQ(gradient[2].item<double>(), 0) << "ρ = 1/2 and A < 0";
  EXPECT_NEAR(gradient[1].item<double>(), 0.25, 1e-6);
}

TEST(GeneralizedAdvantagesTest, AreReturnsWithLambdaOne) {
  const std::vector<double> rewards{0, 0, 1}, values{0.5, 0.25, 0.75};
  EXPECT_THAT(GeneralizedAdvantages(rewards, values, 1, 1), ElementsAre(0.5, 0.75, 0.25));
  EXPECT_THAT(GeneralizedAdvantages(rewards, values, 1, 0), ElementsAre(-0.25, 0.5, 0.25));
  // δ = -0.25, 0.5, 0.25; λ = 1/2
  EXPECT_THAT(GeneralizedAdvantages(rewards, values, 1, 0.5), ElementsAre(0.0625, 0.625, 0.25));
}

TEST(VapoObjectivesTest, LambdaGrowsWithTheLength) {
  EXPECT_NEAR(LengthAdaptiveLambda(0.05, 100), 0.8, 1e-9);
  EXPECT_NEAR(LengthAdaptiveLambda(0.05, 1000), 0.98, 1e-9);
  EXPECT_EQ(LengthAdaptiveLambda(0.05, 20), 0);
  EXPECT_EQ(LengthAdaptiveLambda(0.05, 3), 0);
}

TEST(VapoObjectivesTest, ExplainedVariance) {
  const std::vector<double> returns{0, 1, 0, 1};
  EXPECT_EQ(ExplainedVariance(returns, returns), 1);
  EXPECT_EQ(ExplainedVariance(returns, std::vector<double>{3, 3, 3, 3}), 0);
  EXPECT_TRUE(std::isnan(ExplainedVariance(std::vector<double>{1, 1}, std::vector<double>{0, 1})));
}

TEST(LearningRateTest, WarmsUpAndFalls) {
  const OptimizerSettings constant{.learning_rate = 2, .warmup = 4};
  EXPECT_EQ(LearningRate(constant, 0, 100), 0.5);
  EXPECT_EQ(LearningRate(constant, 3, 100), 2);
  EXPECT_EQ(LearningRate(constant, 99, 100), 2);
  const OptimizerSettings cosine{.learning_rate = 2, .warmup = 0, .schedule = Schedule::kCosine};
  EXPECT_EQ(LearningRate(cosine, 0, 100), 2);
  EXPECT_NEAR(LearningRate(cosine, 50, 100), 1.1, 1e-9);
  EXPECT_NEAR(LearningRate(cosine, 100, 100), 0.2, 1e-9);
}

TEST(AdamWTest, TheFirstStepIsTheRateInTheGradientsSign) {
  const at::Tensor parameter = Floats({1, 1}).set_requires_grad(true);
  AdamW optimizer({{"p", parameter}}, {.weight_decay = 0.5, .clip = 1});
  (parameter * Floats({3, -4})).sum().backward();
  EXPECT_EQ(optimizer.Step(0.1), 5) << "the norm before clipping";
  // 1 - 0.1 * (0.5 * 1 + sign)
  EXPECT_NEAR(parameter[0].item<double>(), 0.85, 1e-4);
  EXPECT_NEAR(parameter[1].item<double>(), 1.05, 1e-4);
  EXPECT_FALSE(parameter.grad().defined());
}

TEST(AdamWTest, AGradientThatIsNotFiniteChangesNothing) {
  const at::Tensor parameter = Floats({1}).set_requires_grad(true);
  AdamW optimizer({{"p", parameter}}, {});
  (parameter * INFINITY).sum().backward();
  EXPECT_FALSE(std::isfinite(optimizer.Step(0.1)));
  EXPECT_EQ(parameter[0].item<double>(), 1);
}

class GoldenTest : public ::testing::Test {
 protected:
  std::vector<double> List(const nlohmann::json& list) const {
    return list.get<std::vector<double>>();
  }
  at::Tensor Tokens(const char* key) const {
    return at::tensor(golden_.at(key).get<std::vector<float>>());
  }
  /// Of GRPO in TRL, or of verl, whose KL term is not in this function.
  double Loss(Average average, double kl_weight) const {
    const auto lengths = golden_.at("lengths").get<std::vector<int64_t>>();
    std::vector<int64_t> owners;
    for (size_t i = 0; i < lengths.size(); ++i) {
      owners.insert(owners.end(), static_cast<size_t>(lengths[i]), static_cast<int64_t>(i));
    }
    const at::Tensor by_token = Tokens("advantages").index_select(0, Owners(owners));
    const PolicyLossSettings settings{.clip_low = golden_.at("clip_low"),
                                      .clip_high = golden_.at("clip_high"),
                                      .kl_weight = kl_weight,
                                      .average = average,
                                      .longest = golden_.at("longest")};
    return PolicyLoss(Tokens("now"), Tokens("old"), Tokens("reference"), by_token, Owners(owners),
                      lengths.size(), settings)
        .item<double>();
  }

  const nlohmann::json golden_ =
      decoder::testing::ReadJson(ZERMELO_SOURCE_DIR "/src/train/testing/golden_objectives.json");
};

TEST_F(GoldenTest, LossesAreThoseOfVerlAndTrl) {
  const double kl_weight = golden_.at("kl_weight");
  for (const auto& [name, average] :
       std::map<std::string, Average>{{"sequence", Average::kSequence},
                                      {"token", Average::kToken},
                                      {"constant", Average::kConstant}}) {
    EXPECT_NEAR(Loss(average, kl_weight), golden_.at("trl_loss").at(name), 1e-6) << name;
    if (average == Average::kConstant) continue;  // verl's depends on the padding
    EXPECT_NEAR(Loss(average, 0), golden_.at("verl_loss").at(name), 1e-6) << name;
  }
}

TEST_F(GoldenTest, KlEstimatesAreThoseOfVerl) {
  const at::Tensor difference = KlEstimate(Tokens("now"), Tokens("reference")) - Tokens("verl_kl");
  EXPECT_LT(difference.abs().max().item<double>(), 1e-6);
}

TEST_F(GoldenTest, GroupAdvantagesAreThoseOfVerl) {
  const auto rewards = List(golden_.at("rewards"));
  const auto groups = golden_.at("groups").get<std::vector<size_t>>();
  for (const bool divide : {true, false}) {
    std::vector<double> all;
    for (const size_t group : {0U, 1U}) {
      std::vector<double> own;
      for (size_t i = 0; i < rewards.size(); ++i) {
        if (groups[i] == group) own.push_back(rewards[i]);
      }
      const auto advantages = GroupAdvantages(own, divide);
      all.insert(all.end(), advantages.begin(), advantages.end());
    }
    EXPECT_THAT(
        all, Pointwise(DoubleNear(1e-6),
                       List(golden_.at(divide ? "verl_advantages" : "verl_advantages_undivided"))));
  }
}

TEST_F(GoldenTest, ReturnsAreThoseOfVerl) {
  const auto rewards = List(golden_.at("token_rewards"));
  const auto values = List(golden_.at("values"));
  for (const auto& [lambda, expected] : golden_.at("verl_returns").items()) {
    std::vector<double> returns;
    size_t begin = 0;
    for (const size_t length : golden_.at("lengths").get<std::vector<size_t>>()) {
      const std::span<const double> own = std::span(values).subspan(begin, length);
      const auto advantages = GeneralizedAdvantages(std::span(rewards).subspan(begin, length), own,
                                                    1, std::stod(lambda));
      for (size_t i = 0; i < length; ++i) returns.push_back(advantages[i] + own[i]);
      begin += length;
    }
    EXPECT_THAT(returns, Pointwise(DoubleNear(1e-5), List(expected))) << lambda;
  }
}

}  // namespace
}  // namespace zermelo::train
