#include "train/reinforcement/rollouts/policy_batch.h"

#include <ATen/ATen.h>
#include <algorithm>
#include <c10/core/GradMode.h>

namespace zermelo::train {

std::vector<PolicyBatch> MakeBatches(std::span<const Rollout> rollouts, const Transformer& policy,
                                     const RlSettings& settings, bool learns) {
  const c10::NoGradGuard no_gradients;
  const size_t update = settings.mini_batch == 0 ? rollouts.size() : settings.mini_batch;
  const bool one_update = settings.inner_epochs == 1 && update >= rollouts.size();
  std::vector<PolicyBatch> batches;
  for (size_t at = 0, count = 0; at < rollouts.size(); at += count) {
    count = std::min({settings.micro_batch, update - at % update, rollouts.size() - at});
    std::vector<Row> rows;
    std::vector<Pack> packs;
    std::vector<float> proofs;
    for (const Rollout& rollout : rollouts.subspan(at, count)) {
      packs.push_back({rows.size()});
      rows.push_back(rollout.row);
      proofs.push_back(rollout.reward == 1 ? 1.0F : 0.0F);
    }
    PolicyBatch& batch = batches.emplace_back();
    batch.rows = Collate(rows, packs);
    batch.sequences = rows.size();
    batch.proofs = at::tensor(proofs).index_select(0, batch.rows.owners);
    // In a single update, the policy is the one that sampled.
    if (learns && !one_update) batch.old = policy.TargetLogprobs(batch.rows);
  }
  return batches;
}

std::vector<std::span<const PolicyBatch>> MiniBatches(std::span<const PolicyBatch> batches,
                                                      const RlSettings& settings) {
  std::vector<std::span<const PolicyBatch>> updates;
  size_t begin = 0, rollouts = 0;
  for (size_t i = 0; i < batches.size(); ++i) {
    rollouts += batches[i].sequences;
    const bool full = settings.mini_batch != 0 && rollouts >= settings.mini_batch;
    if (!full && i + 1 < batches.size()) continue;
    updates.push_back(batches.subspan(begin, i + 1 - begin));
    begin = i + 1;
    rollouts = 0;
  }
  return updates;
}

void Figures::Add(const std::map<std::string, double>& figures) {
  for (const auto& [name, value] : figures) {
    sums_[name].first += value;
    ++sums_[name].second;
  }
}

void Figures::WriteTo(nlohmann::json& line) const {
  for (const auto& [name, sum] : sums_) line[name] = sum.first / static_cast<double>(sum.second);
}

PolicyLossSettings LossSettings(const RlSettings& settings) {
  PolicyLossSettings loss{.clip_low = settings.clip_low,
                          .clip_high = settings.clip_high,
                          .longest = settings.tools ? settings.tool_tokens : settings.max_tokens};
  if (settings.average == "token") loss.average = Average::kToken;
  if (settings.average == "constant") loss.average = Average::kConstant;
  return loss;
}

PolicyPass AccumulatePolicy(std::span<const PolicyBatch> batches, const Transformer& policy,
                            const PolicyLossSettings& settings, double nll_weight) {
  double sequences = 0, tokens = 0, of_proofs = 0;
  for (const PolicyBatch& batch : batches) {
    sequences += static_cast<double>(batch.sequences);
    tokens += static_cast<double>(batch.rows.targets.numel());
    of_proofs += batch.proofs.sum().item<double>();
  }
  PolicyPass pass;
  for (const PolicyBatch& batch : batches) {
    const at::Tensor logprobs = policy.TargetLogprobs(batch.rows);
    const at::Tensor old = batch.old.defined() ? batch.old : logprobs.detach();
    const double share = settings.average == Average::kToken
                             ? static_cast<double>(batch.rows.targets.numel()) / tokens
                             : static_cast<double>(batch.sequences) / sequences;
    at::Tensor loss = share * PolicyLoss(logprobs, old, batch.reference, batch.advantages,
                                         batch.rows.owners, batch.sequences, settings);
    if (nll_weight != 0 && of_proofs > 0)
      loss = loss - nll_weight / of_proofs * (logprobs * batch.proofs).sum();
    pass.loss += loss.item<double>();
    loss.backward();
    const at::Tensor ratio = (logprobs.detach() - old).exp();
    pass.clipped += at::logical_or(ratio<1 - settings.clip_low, ratio> 1 + settings.clip_high)
                        .sum()
                        .item<double>() /
                    tokens;
    if (batch.reference.defined()) {
      pass.kl += KlEstimate(logprobs.detach(), batch.reference).sum().item<double>() / tokens;
    }
  }
  return pass;
}

}  // namespace zermelo::train
