// The examples that share features with a goal: an inverted index in memory.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "learn/features.h"

namespace zermelo::learn {

/// Features share 2^20 buckets. Of each bucket, only the newest examples are kept, and a query
/// looks at a bounded number of them, rare features first: frequent ones say little. So a query
/// takes no longer, however many examples there are.
class FeatureIndex {
 public:
  FeatureIndex();
  /// Replaces everything by `examples` examples, numbered from 0; `features(i)` gives a range of
  /// those of one, and is called twice for each.
  template <class Features>
  void Build(size_t examples, Features features);
  /// Adds one more example.
  void Add(const std::vector<Feature>& features);
  size_t size() const { return size_; }

  /// ln(1 + examples / examples with the feature), squared; 0 for a feature that none has.
  double Weight(Feature feature) const;

  struct Match {
    uint32_t example = 0;
    float weight = 0;  // of the common features that were looked at
  };
  /// The examples with the greatest weights, at most `limit`; equal ones newest first.
  std::vector<Match> Find(const std::vector<Feature>& features, size_t limit) const;

 private:
  static constexpr size_t kBuckets = size_t{1} << 20U;
  static constexpr uint32_t kKept = 4096;  // examples of a bucket
  static size_t BucketOf(Feature feature) { return feature >> 12U; }
  void Allot();
  std::span<const uint32_t> Built(size_t bucket) const;

  size_t size_ = 0;
  std::vector<uint32_t> counts_;                   // of all examples, by bucket
  std::vector<uint32_t> begins_;                   // of a bucket's examples in `examples_`
  std::vector<uint32_t> examples_;                 // of Build, newest first in a bucket
  std::map<size_t, std::vector<uint32_t>> added_;  // by bucket, oldest first
  mutable std::vector<float> weights_;             // by example, all 0 between queries
};

template <class Features>
void FeatureIndex::Build(size_t examples, Features features) {
  *this = FeatureIndex();
  size_ = examples;
  for (size_t i = 0; i < examples; ++i) {
    for (const Feature feature : features(i)) ++counts_[BucketOf(feature)];
  }
  Allot();
  std::vector<uint32_t> next(begins_.begin(), begins_.end() - 1);
  for (size_t i = examples; i-- > 0;) {
    for (const Feature feature : features(i)) {
      const size_t bucket = BucketOf(feature);
      if (next[bucket] < begins_[bucket + 1]) examples_[next[bucket]++] = static_cast<uint32_t>(i);
    }
  }
}

}  // namespace zermelo::learn
