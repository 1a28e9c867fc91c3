#include "retrieve/ranking/fusion.h"

#include <algorithm>
#include <unordered_map>

namespace zermelo::retrieve {

Ranking Fuse(const std::vector<Vote>& votes, size_t limit, double k) {
  std::unordered_map<int64_t, double> scores;
  for (const Vote& vote : votes) {
    double rank = 1;
    for (const auto& [id, ignored] : *vote.ranking) {
      scores[id] += vote.weight / (k + rank);
      ++rank;
    }
  }
  Ranking fused(scores.begin(), scores.end());
  std::sort(fused.begin(), fused.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  if (fused.size() > limit) fused.resize(limit);
  return fused;
}

}  // namespace zermelo::retrieve
