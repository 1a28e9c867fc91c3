// VAPO (arXiv 2504.05118): PPO with a pretrained critic, decoupled and length-adaptive advantages,
// and the likelihood of proofs. With Seed-Prover 1.5's rewards and average, its reinforcement
// learning.
#pragma once

#include "train/optimizer.h"
#include "train/reinforcement/reinforce.h"
#include "train/reinforcement/rollouts/policy_batch.h"

namespace zermelo::train {

/// Values of the states before each learnt token.
class Critic {
 public:
  /// Begins as a copy of `policy`, with a value of 0 everywhere.
  explicit Critic(const Transformer& policy);

  at::Tensor Values(const PackedRows& rows) const;  // [targets]
  NamedTensors Parameters() const;

 private:
  Transformer body_;
  at::Tensor head_;  // [hidden]
};

/// Adds the gradients of the critic's loss, half the mean squared error over all tokens, which is
/// returned.
double AccumulateCritic(std::span<const PolicyBatch> batches, const Critic& critic);

class Vapo final : public Method {
 public:
  Vapo(Transformer& policy, VapoSettings settings);  // `policy` must outlive the method

  void Learn(std::vector<Rollout> rollouts, size_t step, nlohmann::json& line) override;
  NamedTensors State() const override;
  bool Restore(const NamedTensors& state) override;
  std::vector<std::string> Shown() const override;

 private:
  const VapoSettings settings_;
  Transformer& policy_;
  Critic critic_;
  AdamW policy_optimizer_, critic_optimizer_;
};

/// Trains a model with problems and Lean's verdicts, or continues
/// (train/reinforcement/reinforce.h).
core::Status TrainVapo(const RlFiles& files, const VapoSettings& settings,
                       const Environment& environment, const OnStep& on_step,
                       const std::atomic<bool>& stop);

}  // namespace zermelo::train
