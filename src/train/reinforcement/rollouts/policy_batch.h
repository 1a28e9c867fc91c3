// Rollouts as tensors, and the clipped loss of a policy over them.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "train/reinforcement/objectives.h"
#include "train/reinforcement/reinforce.h"

namespace zermelo::train {

/// A part of the rollouts, each a pack of its own; the tensors have one element per token with
/// loss.
struct PolicyBatch {
  PackedRows rows;
  size_t sequences = 0;
  at::Tensor advantages;
  at::Tensor returns;    // what a critic learns
  at::Tensor old;        // logprobs of the policy that sampled; undefined: as the policy's are now
  at::Tensor reference;  // logprobs; only with a KL term
  at::Tensor proofs;     // 1 for tokens of proofs, else 0
};

/// Without advantages, returns and the reference. The batches are of settings.micro_batch rollouts,
/// or fewer at the end of a mini-batch. `learns`: the policy will learn from them, more than a
/// critic.
std::vector<PolicyBatch> MakeBatches(std::span<const Rollout> rollouts, const Transformer& policy,
                                     const RlSettings& settings, bool learns = true);

/// The batches of each update of the weights: of settings.mini_batch rollouts, or all.
std::vector<std::span<const PolicyBatch>> MiniBatches(std::span<const PolicyBatch> batches,
                                                      const RlSettings& settings);

PolicyLossSettings LossSettings(const RlSettings& settings);

/// Means of the figures of a step's updates.
class Figures {
 public:
  void Add(const std::map<std::string, double>& figures);
  void WriteTo(nlohmann::json& line) const;

 private:
  std::map<std::string, std::pair<double, size_t>> sums_;  // with their numbers
};

struct PolicyPass {
  double loss = 0;
  double kl = 0, clipped = 0;  // means over the tokens
};
/// One pass over the batches: adds the gradients of PolicyLoss and, weighted, of the mean negative
/// log-likelihood of the tokens of proofs to those of the policy.
PolicyPass AccumulatePolicy(std::span<const PolicyBatch> batches, const Transformer& policy,
                            const PolicyLossSettings& settings, double nll_weight);

}  // namespace zermelo::train
