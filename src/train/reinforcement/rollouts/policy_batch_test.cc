// Sums over batches, with numbers from the definitions.
#include "train/reinforcement/rollouts/policy_batch.h"

#include <ATen/ATen.h>
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "decoder/testing/models.h"
#include "train/reinforcement/vapo.h"

namespace zermelo::train {
namespace {

using decoder::testing::kModels;
using ::testing::ElementsAre;

/// Rollouts of 2 to 6 tokens, the first of which is the prompt; every second one is a proof.
std::vector<Rollout> Rollouts(size_t count) {
  std::vector<Rollout> rollouts(count);
  for (size_t i = 0; i < count; ++i) {
    for (size_t token = 0; token < 2 + i % 5; ++token) {
      rollouts[i].row.Append({static_cast<decoder::Token>((3 * i + 7 * token) % 30)}, token > 0);
    }
    rollouts[i].problem = i / 4;
    rollouts[i].reward = i % 2 == 0 ? 1 : 0;
  }
  return rollouts;
}

class PolicyBatchTest : public ::testing::Test {
 protected:
  std::vector<PolicyBatch> Batches(size_t micro_batch) {
    settings_.micro_batch = micro_batch;
    auto batches = MakeBatches(rollouts_, policy_, settings_);
    size_t first = 0;
    for (PolicyBatch& batch : batches) {
      const at::Tensor owners = batch.rows.owners + static_cast<int64_t>(first);
      batch.advantages = at::sin(owners.to(at::kFloat));
      first += batch.sequences;
    }
    return batches;
  }
  double Loss(size_t micro_batch, double nll_weight) {
    const auto batches = Batches(micro_batch);
    return AccumulatePolicy(batches, policy_, LossSettings(settings_), nll_weight).loss;
  }
  /// The norm of the gradients since the last call.
  double TakeGradient() {
    double squares = 0;
    for (auto& [name, parameter] : policy_.parameters()) {
      if (!parameter.grad().defined()) continue;
      squares += parameter.grad().square().sum().item<double>();
      parameter.mutable_grad().reset();
    }
    return std::sqrt(squares);
  }

  VapoSettings settings_;
  Transformer policy_ = Transformer::Load(kModels / "llama").value();
  std::vector<Rollout> rollouts_ = Rollouts(12);
};

TEST_F(PolicyBatchTest, MicroBatchesChangeNeitherLossNorGradient) {
  for (const char* average : {"sequence", "token", "constant"}) {
    settings_.average = average;
    const double loss = Loss(12, 0.1), gradient = TakeGradient();
    EXPECT_GT(gradient, 0.01) << average;
    for (const size_t micro_batch : {1U, 5U}) {
      EXPECT_NEAR(Loss(micro_batch, 0.1), loss, 1e-5) << average;
      EXPECT_NEAR(TakeGradient(), gradient, 1e-4 * gradient) << average;
    }
  }
}

TEST_F(PolicyBatchTest, ProofsAddTheirMeanNegativeLogLikelihood) {
  double sum = 0, tokens = 0;
  for (const Rollout& rollout : rollouts_) {
    if (rollout.reward != 1) continue;
    const at::Tensor logprobs =
        policy_.TargetLogprobs(Collate(std::vector<Row>{rollout.row}, std::vector<Pack>{{0}}));
    sum -= logprobs.sum().item<double>();
    tokens += static_cast<double>(logprobs.numel());
  }
  EXPECT_NEAR(Loss(5, 0.3) - Loss(5, 0), 0.3 * sum / tokens, 1e-4);
}

TEST_F(PolicyBatchTest, ANewCriticsLossIsHalfTheMeanSquareOfTheReturns) {
  const Critic critic(policy_);  // whose values are 0
  auto batches = Batches(5);
  double squares = 0, tokens = 0;
  for (PolicyBatch& batch : batches) {
    batch.returns = at::cos(batch.rows.owners.to(at::kFloat));
    squares += batch.returns.square().sum().item<double>();
    tokens += static_cast<double>(batch.returns.numel());
  }
  EXPECT_NEAR(AccumulateCritic(batches, critic), squares / tokens / 2, 1e-5);
  const auto parameters = critic.Parameters();
  EXPECT_TRUE(parameters.at("value_head.weight").grad().defined());
}

TEST_F(PolicyBatchTest, MiniBatchesHaveAsManyRolloutsAsAsked) {
  const auto sizes = [&](size_t mini_batch, size_t micro_batch) {
    settings_.mini_batch = mini_batch;
    const auto batches = Batches(micro_batch);
    std::vector<size_t> sizes;
    for (const auto& update : MiniBatches(batches, settings_)) {
      size_t rollouts = 0;
      for (const PolicyBatch& batch : update) rollouts += batch.sequences;
      sizes.push_back(rollouts);
    }
    return sizes;
  };
  EXPECT_THAT(sizes(0, 5), ElementsAre(12));
  EXPECT_THAT(sizes(5, 2), ElementsAre(5, 5, 2));
  EXPECT_THAT(sizes(4, 12), ElementsAre(4, 4, 4));
  EXPECT_THAT(sizes(20, 3), ElementsAre(12));
}

TEST_F(PolicyBatchTest, OldProbabilitiesAreKeptForLaterUpdatesOnly) {
  EXPECT_FALSE(Batches(4)[0].old.defined());
  settings_.mini_batch = 6;
  EXPECT_TRUE(Batches(4)[0].old.defined());
  settings_.mini_batch = 0;
  settings_.inner_epochs = 2;
  EXPECT_TRUE(Batches(4)[0].old.defined());
}

}  // namespace
}  // namespace zermelo::train
