#include "decoder/sampling.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace zermelo::decoder {

namespace {

/// In [0, 1), with 53 bits. (std::uniform_real_distribution is not the same everywhere.)
double Uniform(std::mt19937_64& random) { return static_cast<double>(random() >> 11U) * 0x1p-53; }

double Logprob(std::span<const float> logits, size_t token) {
  const float most = *std::ranges::max_element(logits);
  double sum = 0;
  for (const float logit : logits) sum += std::exp(static_cast<double>(logit - most));
  return static_cast<double>(logits[token] - most) - std::log(sum);
}

}  // namespace

Choice Sample(std::span<const float> logits, double temperature, double top_p,
              std::mt19937_64& random) {
  const auto best = static_cast<size_t>(std::ranges::max_element(logits) - logits.begin());
  const auto chosen = [&](size_t token) {
    return Choice{.token = static_cast<int32_t>(token), .logprob = Logprob(logits, token)};
  };
  if (temperature <= 0) return chosen(best);
  std::vector<double> weights(logits.size());  // by token
  double total = 0;
  for (size_t i = 0; i < weights.size(); ++i) {
    total += weights[i] = std::exp((logits[i] - logits[best]) / temperature);
  }
  std::vector<size_t> order(logits.size());
  std::iota(order.begin(), order.end(), size_t{0});
  if (top_p < 1) {
    std::ranges::stable_sort(order, std::greater(), [&](size_t token) { return logits[token]; });
  }
  size_t kept = 0;
  double mass = 0;
  while (kept < order.size() && (kept == 0 || top_p >= 1 || mass < top_p * total)) {
    mass += weights[order[kept++]];
  }
  double left = Uniform(random) * mass;
  size_t at = 0;
  while (at + 1 < kept && left >= weights[order[at]]) left -= weights[order[at++]];
  return chosen(order[at]);
}

}  // namespace zermelo::decoder
