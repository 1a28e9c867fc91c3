// Rollouts as tensors, and the clipped loss of a policy over them.
#pragma once

#include <span>
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
  at::Tensor old;        // logprobs of the policy that sampled; undefined: as the policy's are now
  at::Tensor reference;  // logprobs; only with a KL term
  at::Tensor proofs;     // 1 for tokens of proofs, else 0
};

/// Without the advantages and the reference. The batches are of settings.micro_batch rollouts.
std::vector<PolicyBatch> MakeBatches(std::span<const Rollout> rollouts, const Transformer& policy,
                                     const RlSettings& settings);

PolicyLossSettings LossSettings(const RlSettings& settings);

struct PolicyPass {
  double loss = 0;
  double kl = 0, clipped = 0;  // means over the tokens
};
/// One pass over the batches: adds the gradients of PolicyLoss and, weighted, of the mean negative
/// log-likelihood of the tokens of proofs to those of the policy.
PolicyPass AccumulatePolicy(const std::vector<PolicyBatch>& batches, const Transformer& policy,
                            const PolicyLossSettings& settings, double nll_weight);

}  // namespace zermelo::train
