#include "train/reinforcement/grpo.h"

#include <ATen/ATen.h>
#include <algorithm>
#include <c10/core/GradMode.h>
#include <iterator>

#include "train/reinforcement/rollouts/policy_batch.h"

namespace zermelo::train {

size_t SetGroupAdvantages(const GrpoSettings& settings, std::vector<Rollout>& rollouts,
                          std::vector<double>& advantages) {
  size_t unequal = 0;
  std::vector<Rollout> kept;
  advantages.clear();
  for (size_t begin = 0, end = 0; begin < rollouts.size(); begin = end) {
    std::vector<double> rewards;
    while (end < rollouts.size() && rollouts[end].problem == rollouts[begin].problem) {
      rewards.push_back(rollouts[end++].reward);
    }
    const bool equal = std::ranges::count(rewards, rewards[0]) == std::ssize(rewards);
    if (!equal) ++unequal;
    if (equal && settings.drop_equal) continue;
    std::ranges::copy(GroupAdvantages(rewards, settings.divide_by_deviation),
                      std::back_inserter(advantages));
    std::move(rollouts.begin() + static_cast<std::ptrdiff_t>(begin),
              rollouts.begin() + static_cast<std::ptrdiff_t>(end), std::back_inserter(kept));
  }
  rollouts = std::move(kept);
  return unequal;
}

Grpo::Grpo(Transformer& policy, GrpoSettings settings)
    : settings_(std::move(settings)),
      policy_(policy),
      reference_(policy.Frozen()),
      optimizer_(policy.parameters(), settings_.Optimizer()) {}

void Grpo::Learn(std::vector<Rollout> rollouts, size_t step, nlohmann::json& line) {
  std::vector<double> advantages;
  line["unequal_groups"] = SetGroupAdvantages(settings_, rollouts, advantages);
  const double rate = line["learning_rate"] =
      LearningRate(settings_.Optimizer(), step, settings_.steps);
  auto batches = MakeBatches(rollouts, policy_, settings_);
  PolicyLossSettings loss = LossSettings(settings_);
  loss.kl_weight = settings_.kl_weight;
  const at::Tensor by_rollout = at::tensor(advantages).to(at::kFloat);
  int64_t first = 0;
  for (PolicyBatch& batch : batches) {
    batch.advantages = by_rollout.index_select(0, batch.rows.owners + first);
    first += static_cast<int64_t>(batch.sequences);
    const c10::NoGradGuard no_gradients;
    if (loss.kl_weight != 0) batch.reference = reference_.TargetLogprobs(batch.rows);
  }
  Figures figures;
  for (size_t epoch = 0; epoch < settings_.inner_epochs; ++epoch) {
    for (const auto& update : MiniBatches(batches, settings_)) {
      const PolicyPass pass = AccumulatePolicy(update, policy_, loss, 0);
      figures.Add({{"loss", pass.loss},
                   {"gradient_norm", optimizer_.Step(rate)},
                   {"kl", pass.kl},
                   {"clipped", pass.clipped}});
    }
  }
  figures.WriteTo(line);
}

std::vector<std::string> Grpo::Shown() const {
  return {"proved", "unequal_groups", "length", "kl", "loss", "gradient_norm"};
}

core::Status TrainGrpo(const RlFiles& files, const GrpoSettings& settings,
                       const Environment& environment, const OnStep& on_step,
                       const std::atomic<bool>& stop) {
  auto policy = LoadModel(files.model, settings);
  if (!policy) return core::Fail(policy.error());
  Grpo method(policy->model, settings);
  nlohmann::json recorded = ToJson(settings);
  recorded["method"] = "grpo";
  return Reinforce(files, settings, std::move(recorded), *policy, method, environment, on_step,
                   stop);
}

}  // namespace zermelo::train
