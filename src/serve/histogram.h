// A histogram of durations in Prometheus' format.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace zermelo::serve {

class Histogram {
 public:
  static constexpr std::array<double, 12> kBounds = {0.01, 0.03, 0.1, 0.3, 1,   2,
                                                     5,    10,   30,  60,  120, 300};  // seconds

  void Add(double seconds) {
    size_t bucket = 0;
    while (bucket < kBounds.size() && seconds > kBounds[bucket]) ++bucket;
    ++counts_[bucket];
    ++count_;
    sum_ += seconds;
  }
  /// The count of one bucket; the last one has no upper bound.
  uint64_t in_bucket(size_t bucket) const { return counts_[bucket]; }
  uint64_t count() const { return count_; }
  double sum() const { return sum_; }

 private:
  std::array<uint64_t, kBounds.size() + 1> counts_{};
  uint64_t count_ = 0;
  double sum_ = 0;
};

}  // namespace zermelo::serve
