#include "train/reinforcement/vapo.h"

#include <ATen/ATen.h>
#include <algorithm>
#include <c10/core/GradMode.h>
#include <cmath>
#include <string_view>

#include "train/reinforcement/rollouts/policy_batch.h"

namespace zermelo::train {

namespace {

constexpr std::string_view kCritic = "critic.";  // before the names of its tensors in a checkpoint

/// A copy whose weights are trained by themselves.
Transformer Independent(const Transformer& model) {
  Transformer copy = model.Frozen();
  for (auto& [name, tensor] : copy.parameters()) tensor.set_requires_grad(true);
  return copy;
}

/// What each token of a rollout has to do with the reward at its end.
struct Credit {
  std::vector<double> advantages, returns, values;
};

Credit CreditOf(const VapoSettings& settings, double reward, std::vector<double> values) {
  const size_t length = values.size();
  std::vector<double> rewards(length, 0);
  rewards.back() = reward;
  const double lambda =
      settings.alpha > 0 ? LengthAdaptiveLambda(settings.alpha, length) : settings.lambda;
  Credit credit;
  credit.advantages = GeneralizedAdvantages(rewards, values, 1, lambda);
  credit.returns = GeneralizedAdvantages(rewards, values, 1, settings.decoupled ? 1 : lambda);
  for (size_t i = 0; i < length; ++i) credit.returns[i] += values[i];
  credit.values = std::move(values);
  return credit;
}

void Append(const std::vector<double>& from, std::vector<double>& to) {
  to.insert(to.end(), from.begin(), from.end());
}

at::Tensor Floats(const std::vector<double>& values) { return at::tensor(values).to(at::kFloat); }

}  // namespace

Critic::Critic(const Transformer& policy)
    : body_(Independent(policy)),
      head_(at::zeros({static_cast<int64_t>(policy.config().hidden)}).set_requires_grad(true)) {}

at::Tensor Critic::Values(const PackedRows& rows) const {
  return body_.States(rows).index_select(0, rows.places).matmul(head_);
}

NamedTensors Critic::Parameters() const {
  NamedTensors all = body_.parameters();
  all["value_head.weight"] = head_;
  return all;
}

double AccumulateCritic(std::span<const PolicyBatch> batches, const Critic& critic) {
  double tokens = 0, sum = 0;
  for (const PolicyBatch& batch : batches) tokens += static_cast<double>(batch.returns.numel());
  for (const PolicyBatch& batch : batches) {
    const at::Tensor loss =
        (critic.Values(batch.rows) - batch.returns).square().sum() / (2 * tokens);
    sum += loss.item<double>();
    loss.backward();
  }
  return sum;
}

Vapo::Vapo(Transformer& policy, VapoSettings settings)
    : settings_(std::move(settings)),
      policy_(policy),
      critic_(policy),
      policy_optimizer_(policy.parameters(), settings_.Optimizer()),
      critic_optimizer_(critic_.Parameters(), settings_.Optimizer()) {}

void Vapo::Learn(std::vector<Rollout> rollouts, size_t step, nlohmann::json& line) {
  const double rate = line["learning_rate"] =
      LearningRate(settings_.Optimizer(), step, settings_.steps);
  const bool learns = step >= settings_.value_steps;
  auto batches = MakeBatches(rollouts, policy_, settings_, learns);
  Credit all;
  size_t first = 0;  // rollout of the batch
  for (PolicyBatch& batch : batches) {
    const c10::NoGradGuard no_gradients;
    const at::Tensor values = critic_.Values(batch.rows).to(at::kDouble);
    const size_t before = all.returns.size();
    int64_t at = 0;
    for (size_t i = 0; i < batch.sequences; ++i) {
      const Rollout& rollout = rollouts[first + i];
      const auto length = static_cast<int64_t>(std::ranges::count(rollout.row.learnt, true));
      const double* const begin = values.const_data_ptr<double>() + at;
      const Credit credit = CreditOf(settings_, rollout.reward, {begin, begin + length});
      Append(credit.advantages, all.advantages);
      Append(credit.returns, all.returns);
      Append(credit.values, all.values);
      at += length;
    }
    first += batch.sequences;
    batch.advantages = Floats(
        {all.advantages.begin() + static_cast<std::ptrdiff_t>(before), all.advantages.end()});
    batch.returns =
        Floats({all.returns.begin() + static_cast<std::ptrdiff_t>(before), all.returns.end()});
  }
  if (batches.empty()) return;
  if (const double explained = ExplainedVariance(all.returns, all.values);
      std::isfinite(explained)) {
    line["explained_variance"] = explained;
  }
  Figures figures;
  for (size_t epoch = 0; epoch < settings_.inner_epochs; ++epoch) {
    for (const auto& update : MiniBatches(batches, settings_)) {
      figures.Add({{"value_loss", AccumulateCritic(update, critic_)}});
      critic_optimizer_.Step(rate * settings_.critic_rate);
      if (!learns) continue;
      const PolicyPass pass =
          AccumulatePolicy(update, policy_, LossSettings(settings_), settings_.nll_weight);
      figures.Add({{"loss", pass.loss},
                   {"clipped", pass.clipped},
                   {"gradient_norm", policy_optimizer_.Step(rate)}});
    }
  }
  figures.WriteTo(line);
}

NamedTensors Vapo::State() const {
  NamedTensors state = policy_optimizer_.State();
  for (const NamedTensors& part : {critic_.Parameters(), critic_optimizer_.State()}) {
    for (const auto& [name, tensor] : part) state[std::string(kCritic) + name] = tensor.detach();
  }
  return state;
}

bool Vapo::Restore(const NamedTensors& state) {
  const c10::NoGradGuard no_gradients;
  NamedTensors of_policy, of_critic;
  for (const auto& [name, tensor] : state) {
    if (name.starts_with(kCritic)) {
      of_critic[name.substr(kCritic.size())] = tensor;
    } else {
      of_policy[name] = tensor;
    }
  }
  for (auto& [name, tensor] : critic_.Parameters()) {
    const auto found = of_critic.find(name);
    if (found == of_critic.end() || found->second.sizes() != tensor.sizes()) return false;
    tensor.copy_(found->second);
    of_critic.erase(found);
  }
  return policy_optimizer_.Restore(of_policy) && critic_optimizer_.Restore(of_critic);
}

std::vector<std::string> Vapo::Shown() const {
  return {"proved", "length", "explained_variance", "value_loss", "loss", "gradient_norm"};
}

core::Status TrainVapo(const RlFiles& files, const VapoSettings& settings,
                       const Environment& environment, const OnStep& on_step,
                       const std::atomic<bool>& stop) {
  auto policy = LoadModel(files.model, settings);
  if (!policy) return core::Fail(policy.error());
  Vapo method(policy->model, settings);
  nlohmann::json recorded = ToJson(settings);
  recorded["method"] = "vapo";
  return Reinforce(files, settings, std::move(recorded), *policy, method, environment, on_step,
                   stop);
}

}  // namespace zermelo::train
