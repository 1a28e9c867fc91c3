// Statistics of pass rates. Pure functions.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace zermelo::eval {

/// The unbiased estimate of pass@k from n independent samples, c of them correct:
/// 1 - C(n-c, k) / C(n, k) (Chen et al. 2021, arXiv 2107.03374, equation 1). k in [1, n], c <= n.
double PassAtK(size_t n, size_t c, size_t k);

struct Interval {
  double low = 0;
  double high = 1;
};
/// Wilson's score interval of a proportion; `z` is the normal quantile: 1.959964 for 95 %.
/// `successes` may be a mean over runs. Without trials: [0, 1].
Interval Wilson(double successes, double trials, double z = 1.959963984540054);

struct Spread {
  double mean = 0;
  double sigma = 0;  // of the sample (divided by n - 1); 0 for fewer than two values
};
Spread MeanAndSigma(std::span<const double> values);

/// The two-sided p-value of McNemar's exact test: the probability of a split at least as uneven as
/// b to c if each of the b + c problems solved by only one prover is equally likely to be either's.
double McNemarExact(size_t b, size_t c);

/// A step of a curve: the share `rate` of the problems was solved at a cost of at most `cost` each.
struct CurvePoint {
  double cost = 0;
  double rate = 0;
};
/// The share of `trials` solved at a cost of at most x, as a function of x: one point per distinct
/// cost, ascending. `costs`: of the solved trials.
std::vector<CurvePoint> PassCurve(std::vector<double> costs, size_t trials);

}  // namespace zermelo::eval
