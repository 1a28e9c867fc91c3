#include "decoder/sampling.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace zermelo::decoder {

namespace {

/// In [0, 1), with 53 bits. (std::uniform_real_distribution is not the same everywhere.)
double Uniform(std::mt19937_64& random) { return static_cast<double>(random() >> 11U) * 0x1p-53; }

/// Of all tokens: exp((logit - most) / temperature). Returns their sum.
double Weigh(std::span<const float> logits, float most, double temperature,
             std::vector<double>& weights) {
  weights.resize(logits.size());
  double sum = 0;
  for (size_t i = 0; i < weights.size(); ++i) {
    sum += weights[i] = std::exp(static_cast<double>(logits[i] - most) / temperature);
  }
  return sum;
}

}  // namespace

Choice Sample(std::span<const float> logits, double temperature, double top_p,
              std::mt19937_64& random) {
  const auto best = static_cast<size_t>(std::ranges::max_element(logits) - logits.begin());
  std::vector<double> weights;  // by token
  const auto chosen = [&](size_t token, double sum) {
    return Choice{.token = static_cast<int32_t>(token),
                  .logprob = static_cast<double>(logits[token] - logits[best]) - std::log(sum)};
  };
  const double sum = Weigh(logits, logits[best], 1, weights);
  if (temperature <= 0) return chosen(best, sum);
  const double total = temperature == 1 ? sum : Weigh(logits, logits[best], temperature, weights);
  std::vector<size_t> order;  // by weight; empty: all, by token
  double mass = total;
  if (top_p < 1) {
    order.resize(logits.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::ranges::stable_sort(order, std::greater(), [&](size_t token) { return logits[token]; });
    size_t kept = 0;
    for (mass = 0; kept < order.size() && (kept == 0 || mass < top_p * total); ++kept)
      mass += weights[order[kept]];
    order.resize(kept);
  }
  const size_t kept = order.empty() ? logits.size() : order.size();
  const auto token = [&](size_t place) { return order.empty() ? place : order[place]; };
  double left = Uniform(random) * mass;
  size_t at = 0;
  while (at + 1 < kept && left >= weights[token(at)]) left -= weights[token(at++)];
  return chosen(token(at), sum);
}

}  // namespace zermelo::decoder
