#include "train/reinforcement/objectives.h"

#include <ATen/ATen.h>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace zermelo::train {

namespace {

double Mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double SquaredDeviations(std::span<const double> values) {
  const double mean = Mean(values);
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return sum;
}

}  // namespace

std::vector<double> GroupAdvantages(std::span<const double> rewards, bool divide_by_deviation) {
  constexpr double kEpsilon = 1e-6;
  if (rewards.empty()) return {};
  const double mean = Mean(rewards);
  double scale = 1;
  if (divide_by_deviation && rewards.size() > 1) {
    scale =
        std::sqrt(SquaredDeviations(rewards) / static_cast<double>(rewards.size() - 1)) + kEpsilon;
  }
  std::vector<double> out;
  for (const double reward : rewards) out.push_back((reward - mean) / scale);
  return out;
}

at::Tensor KlEstimate(const at::Tensor& logprobs, const at::Tensor& reference) {
  const at::Tensor difference = reference - logprobs;
  return difference.exp() - difference - 1;
}

at::Tensor PolicyLoss(const at::Tensor& logprobs, const at::Tensor& old,
                      const at::Tensor& reference, const at::Tensor& advantages,
                      const at::Tensor& owners, size_t sequences,
                      const PolicyLossSettings& settings) {
  const at::Tensor ratio = (logprobs - old).exp();
  const at::Tensor clipped = ratio.clamp(1 - settings.clip_low, 1 + settings.clip_high);
  at::Tensor loss = -at::minimum(ratio * advantages, clipped * advantages);
  if (settings.kl_weight != 0) loss = loss + settings.kl_weight * KlEstimate(logprobs, reference);
  const auto count = static_cast<int64_t>(sequences);
  switch (settings.average) {
    case Average::kToken:
      return loss.sum() / static_cast<double>(std::max<int64_t>(1, loss.numel()));
    case Average::kConstant:
      return loss.sum() / (static_cast<double>(count) * static_cast<double>(settings.longest));
    case Average::kSequence:
      break;
  }
  const at::Tensor lengths = at::zeros({count}).index_add_(0, owners, at::ones(owners.sizes()));
  const at::Tensor sums = at::zeros({count}).index_add(0, owners, loss);
  return (sums / lengths.clamp_min(1)).mean();
}

std::vector<double> GeneralizedAdvantages(std::span<const double> rewards,
                                          std::span<const double> values, double discount,
                                          double lambda) {
  std::vector<double> out(rewards.size());
  double later = 0;
  for (size_t t = rewards.size(); t-- > 0;) {
    const double next = t + 1 < values.size() ? values[t + 1] : 0;
    later = rewards[t] + discount * next - values[t] + discount * lambda * later;
    out[t] = later;
  }
  return out;
}

double LengthAdaptiveLambda(double alpha, size_t length) {
  return std::max(0.0, 1 - 1 / (alpha * static_cast<double>(std::max<size_t>(1, length))));
}

double ExplainedVariance(std::span<const double> returns, std::span<const double> values) {
  const double all = SquaredDeviations(returns);
  if (all == 0) return std::numeric_limits<double>::quiet_NaN();
  std::vector<double> left;
  for (size_t i = 0; i < returns.size(); ++i) left.push_back(returns[i] - values[i]);
  return 1 - SquaredDeviations(left) / all;
}

}  // namespace zermelo::train
