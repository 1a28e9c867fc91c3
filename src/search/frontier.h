// A priority queue over nodes whose scores change: best-first search, and MCTS that picks from all
// nodes at once (Bourbaki's selection read as printed).
#pragma once

#include <vector>

#include "search/tree.h"

namespace zermelo::search {

/// Highest score first; among equals the node that was added to the tree first. Each operation
/// takes logarithmic time. Nothing blocks; calls must not overlap.
class Frontier {
 public:
  bool empty() const { return heap_.empty(); }
  size_t size() const { return heap_.size(); }
  bool Contains(NodeId node) const { return node < places_.size() && places_[node] != kNowhere; }
  /// Requires that it is not empty.
  NodeId Best() const { return heap_.front().node; }
  double BestScore() const { return heap_.front().score; }

  /// Adds the node, or moves it. The score is not NaN.
  void Set(NodeId node, double score);
  /// Nothing happens when it is not there.
  void Remove(NodeId node);
  /// Requires that it is not empty.
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
  std::vector<uint32_t> places_;  // in the heap, by node
};

}  // namespace zermelo::search
