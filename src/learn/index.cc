#include "learn/index.h"

#include <algorithm>
#include <cmath>

namespace zermelo::learn {
namespace {

constexpr size_t kLookedAt = 16'000;  // examples in a query, all features together

}  // namespace

FeatureIndex::FeatureIndex() : counts_(kBuckets), begins_(kBuckets + 1) {}

void FeatureIndex::Allot() {
  for (size_t bucket = 0; bucket < kBuckets; ++bucket) {
    begins_[bucket + 1] = begins_[bucket] + std::min(counts_[bucket], kKept);
  }
  examples_.resize(begins_.back());
}

void FeatureIndex::Add(const std::vector<Feature>& features) {
  const auto example = static_cast<uint32_t>(size_++);
  for (const Feature feature : features) {
    ++counts_[BucketOf(feature)];
    auto& examples = added_[BucketOf(feature)];
    if (examples.size() == size_t{2} * kKept)
      examples.erase(examples.begin(), examples.begin() + kKept);
    examples.push_back(example);
  }
}

std::span<const uint32_t> FeatureIndex::Built(size_t bucket) const {
  return std::span(examples_).subspan(begins_[bucket], begins_[bucket + 1] - begins_[bucket]);
}

double FeatureIndex::Weight(Feature feature) const {
  const uint32_t count = counts_[BucketOf(feature)];
  if (count == 0) return 0;
  const double idf = std::log(1 + static_cast<double>(size_) / count);
  return idf * idf;
}

std::vector<FeatureIndex::Match> FeatureIndex::Find(const std::vector<Feature>& features,
                                                    size_t limit) const {
  std::vector<Feature> rare_first = features;
  std::ranges::stable_sort(rare_first, {}, [&](Feature f) { return counts_[BucketOf(f)]; });
  weights_.resize(size_);
  std::vector<uint32_t> touched;
  size_t left = kLookedAt;
  for (const Feature feature : rare_first) {
    const auto weight = static_cast<float>(Weight(feature));
    const auto look_at = [&](uint32_t example) {
      if (left == 0) return;
      --left;
      if (weights_[example] == 0) touched.push_back(example);
      weights_[example] += weight;
    };
    if (const auto added = added_.find(BucketOf(feature)); added != added_.end()) {
      std::ranges::for_each(added->second.rbegin(), added->second.rend(), look_at);
    }
    std::ranges::for_each(Built(BucketOf(feature)), look_at);
  }
  std::vector<Match> matches;
  matches.reserve(touched.size());
  for (const uint32_t example : touched) {
    matches.push_back({example, weights_[example]});
    weights_[example] = 0;
  }
  const auto better = [](const Match& a, const Match& b) {
    return a.weight != b.weight ? a.weight > b.weight : a.example > b.example;
  };
  const size_t size = std::min(limit, matches.size());
  std::partial_sort(matches.begin(), matches.begin() + static_cast<long>(size), matches.end(),
                    better);
  matches.resize(size);
  return matches;
}

}  // namespace zermelo::learn
