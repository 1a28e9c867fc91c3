// A priority queue over nodes whose scores change, for MCTS that selects among all nodes at once
// (Bourbaki's selection as printed).
#pragma once

#include <vector>

#include "search/tree.h"

namespace zermelo::search {

/// Highest score first; ties go to the node that was added to the tree first. Changes take
/// logarithmic time. Nothing blocks; calls must not overlap.
class Frontier {
 public:
  bool empty() const { return heap_.empty(); }
  size_t size() const { return heap_.size(); }
  bool Contains(NodeId node) const { return node < places_.size() && places_[node] != kNowhere; }
  /// Requires a non-empty frontier.
  NodeId Best() const { return heap_.front().node; }
  double BestScore() const { return heap_.front().score; }

  /// Adds the node, or changes its score. The score must not be NaN.
  void Set(NodeId node, double score);
  /// Removes the node if it is there.
  void Remove(NodeId node);
  /// Removes and returns the best node. Requires a non-empty frontier.
  NodeId Pop();

 private:
  struct Entry {
    double score;
    NodeId node;
  };
  static constexpr uint32_t kNowhere = UINT32_MAX;

  static bool Before(const Entry& a, const Entry& b) {
    return a.score != b.score ? a.score > b.score : a.node < b.node;
  }
  void Put(size_t place, const Entry& entry);
  void Rise(size_t place, const Entry& entry);
  void Sink(size_t place, const Entry& entry);

  std::vector<Entry> heap_;       // binary: the children of place i are at 2i + 1 and 2i + 2
  std::vector<uint32_t> places_;  // index in heap_, by node
};

}  // namespace zermelo::search
