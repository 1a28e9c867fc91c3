#include "eval/report/statistics.h"

#include <algorithm>
#include <cmath>

namespace zermelo::eval {

double PassAtK(size_t n, size_t c, size_t k) {
  if (n - c < k) return 1;
  double all_wrong = 1;  // C(n-c, k) / C(n, k), factor by factor
  for (size_t i = n - c + 1; i <= n; ++i) {
    all_wrong *= 1 - static_cast<double>(k) / static_cast<double>(i);
  }
  return 1 - all_wrong;
}

Interval Wilson(double successes, double trials, double z) {
  if (trials <= 0) return {};
  const double p = successes / trials;
  const double shrink = 1 + z * z / trials;
  const double centre = (p + z * z / (2 * trials)) / shrink;
  const double half = z / shrink * std::sqrt(p * (1 - p) / trials + z * z / (4 * trials * trials));
  return {.low = std::max(0.0, centre - half), .high = std::min(1.0, centre + half)};
}

Spread MeanAndSigma(std::span<const double> values) {
  Spread spread;
  if (values.empty()) return spread;
  const auto n = static_cast<double>(values.size());
  for (const double value : values) spread.mean += value / n;
  if (values.size() < 2) return spread;
  double squares = 0;
  for (const double value : values) squares += (value - spread.mean) * (value - spread.mean);
  spread.sigma = std::sqrt(squares / (n - 1));
  return spread;
}

double McNemarExact(size_t b, size_t c) {
  const auto n = static_cast<double>(b + c);
  double tail = 0;  // P(X <= min(b, c)) for X ~ Binomial(n, 1/2), by logarithms
  for (size_t i = 0; i <= std::min(b, c); ++i) {
    const auto x = static_cast<double>(i);
    tail += std::exp(std::lgamma(n + 1) - std::lgamma(x + 1) - std::lgamma(n - x + 1) -
                     n * std::log(2.0));
  }
  return std::min(1.0, 2 * tail);
}

std::vector<CurvePoint> PassCurve(std::vector<double> costs, size_t trials) {
  std::sort(costs.begin(), costs.end());
  std::vector<CurvePoint> curve;
  for (size_t i = 0; i < costs.size(); ++i) {
    const double rate = static_cast<double>(i + 1) / static_cast<double>(trials);
    if (curve.empty() || curve.back().cost < costs[i]) curve.push_back({.cost = costs[i]});
    curve.back().rate = rate;
  }
  return curve;
}

}  // namespace zermelo::eval
