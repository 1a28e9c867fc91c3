// Group relative policy optimisation (DeepSeek-Prover-V1.5, 3.2), with the variants of
// train/settings.h.
#pragma once

#include "train/optimizer.h"
#include "train/reinforcement/reinforce.h"

namespace zermelo::train {

class Grpo final : public Method {
 public:
  /// The reference is `policy` as it is now. `policy` must outlive the method.
  Grpo(Transformer& policy, GrpoSettings settings);

  void Learn(std::vector<Rollout> rollouts, size_t step, nlohmann::json& line) override;
  NamedTensors State() const override { return optimizer_.State(); }
  bool Restore(const NamedTensors& state) override { return optimizer_.Restore(state); }
  std::vector<std::string> Shown() const override;

 private:
  const GrpoSettings settings_;
  Transformer& policy_;
  const Transformer reference_;
  AdamW optimizer_;
};

/// The advantages of rollouts within their groups (the rollouts of one problem, which are
/// consecutive); groups of equal reward are removed if `settings.drop_equal`. Returns the number of
/// groups with unequal rewards.
size_t SetGroupAdvantages(const GrpoSettings& settings, std::vector<Rollout>& rollouts,
                          std::vector<double>& advantages);

/// Trains a model with problems and Lean's verdicts, or continues
/// (train/reinforcement/reinforce.h).
core::Status TrainGrpo(const RlFiles& files, const GrpoSettings& settings,
                       const Environment& environment, const OnStep& on_step,
                       const std::atomic<bool>& stop);

}  // namespace zermelo::train
