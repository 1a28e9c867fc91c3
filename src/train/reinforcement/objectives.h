// Losses and advantages of reinforcement learning, as functions of numbers alone.
//
// Sources: GRPO (DeepSeekMath, arXiv 2402.03300; DeepSeek-Prover-V1.5, 3.2), Dr. GRPO (arXiv
// 2503.20783), DAPO (arXiv 2503.14476), GAE (arXiv 1506.02438), VAPO (arXiv 2504.05118).
#pragma once

#include <ATen/core/Tensor.h>
#include <span>
#include <vector>

namespace zermelo::train {

/// (rᵢ - mean r) / (std r + 1e-6) of a group of samples of one prompt; Dr. GRPO does not divide.
/// Std is of the sample (n - 1), as in TRL and verl; all 0 if the rewards are equal.
std::vector<double> GroupAdvantages(std::span<const double> rewards, bool divide_by_deviation);

/// The tokens over which the loss is averaged.
enum class Average {
  kSequence,  // mean over each sequence's tokens, then over sequences (GRPO: 1/|o|)
  kToken,     // mean over all tokens (DAPO, VAPO)
  kConstant,  // sum of tokens over (sequences * maximum length) (Dr. GRPO)
};

struct PolicyLossSettings {
  double clip_low = 0.2, clip_high = 0.2;  // ε: ρ is clipped to [1 - low, 1 + high]
  double kl_weight = 0;                    // β
  Average average = Average::kSequence;
  size_t longest = 1;  // tokens, for kConstant
};

/// π_ref/π - log(π_ref/π) - 1 for each token: unbiased, never negative.
at::Tensor KlEstimate(const at::Tensor& logprobs, const at::Tensor& reference);

/// -(min(ρA, clip(ρ)A) - β KL), averaged; ρ = exp(logprobs - old). All tensors are [tokens];
/// `owners`: the sequence of each token, from 0 to `sequences` - 1; `reference` is read only with
/// kl_weight. A sequence without tokens counts as 0.
at::Tensor PolicyLoss(const at::Tensor& logprobs, const at::Tensor& old,
                      const at::Tensor& reference, const at::Tensor& advantages,
                      const at::Tensor& owners, size_t sequences,
                      const PolicyLossSettings& settings);

/// Â_t = Σₖ (γλ)ᵏ δ_{t+k}, δ_t = r_t + γ V_{t+1} - V_t, with V = 0 after the last token.
std::vector<double> GeneralizedAdvantages(std::span<const double> rewards,
                                          std::span<const double> values, double discount,
                                          double lambda);

/// VAPO's λ of the policy for a sequence of `length` tokens: 1 - 1/(α length), at least 0 (it would
/// be negative for sequences of up to 1/α tokens).
double LengthAdaptiveLambda(double alpha, size_t length);

/// 1 - Var(returns - values) / Var(returns): 1 for a perfect critic, 0 for a constant one; NaN if
/// the returns are equal.
double ExplainedVariance(std::span<const double> returns, std::span<const double> values);

}  // namespace zermelo::train
