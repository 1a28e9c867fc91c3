// A search tree in an arena, and the bandit that selects in it.
//
// A node is a state. The arms of a node are its children and ∅, which means "expand here"
// (DeepSeek-Prover-V1.5, eq. 1; Algorithm 1). One iteration of a search:
//
//   node = tree.Select();          // walk down to the best ∅
//   tree.Pend(*node);              // a pending reward of 0 while the node is being expanded
//   at = tree.Step(at, key).node;  // for every state that the expansion reached, in order
//   tree.Unpend(*node);
//   tree.Backup(*node, reward);
//
// The tree is independent of texts and of Lean: states are 64-bit keys, nodes are 32-bit ids that
// count up from 0, the root. Nothing blocks, locks or fails; calls on one tree must not overlap.
// The same calls in the same order give the same tree and the same selections, so a log of the
// calls is enough to rebuild the tree.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/error.h"
#include "search/bandit.h"
#include "search/blocks.h"

namespace zermelo::search {

using NodeId = uint32_t;
using StateKey = uint64_t;  // equal keys are equal states; the caller interns or hashes its states
inline constexpr NodeId kNoNode = UINT32_MAX;
inline constexpr NodeId kRoot = 0;

/// Where a state counts as known, so that its node is reused.
enum class Merge {
  kSiblings,   // under the same parent (Algorithm 1, line 25)
  kWholeTree,  // anywhere in the tree: the walk continues at the existing node
};
NLOHMANN_JSON_SERIALIZE_ENUM(Merge, {{static_cast<Merge>(-1), nullptr},
                                     {Merge::kSiblings, "siblings"},
                                     {Merge::kWholeTree, "whole_tree"}})

struct TreeParameters {
  BanditParameters bandit;
  Merge merge = Merge::kSiblings;
  double expand_prior = 0.5;  // prior of every ∅; only kPuct uses priors
  uint64_t seed = 0;          // for breaking ties
  bool operator==(const TreeParameters&) const = default;
};

/// Fails with kUsage if a parameter is out of range or an enum had an unknown name in JSON.
core::Status Check(const TreeParameters& parameters);

/// An arm as the bandit sees it.
struct ArmView {
  NodeId child = kNoNode;  // kNoNode: ∅
  Statistic statistic;     // pending zeros included
  uint32_t pending = 0;
  double score = 0;
  bool closed = false;
};

class Tree {
 public:
  /// Requires that Check(parameters) succeeds.
  Tree(const TreeParameters& parameters, StateKey root);

  /// Walks down from the root, taking the arm with the highest score at each node until that arm is
  /// ∅, and returns that node. Returns nullopt if every node is closed. Changes only the seed for
  /// breaking ties in the next walk.
  std::optional<NodeId> Select();

  struct Stepped {
    NodeId node;
    bool added;
  };
  /// Returns the node of the state `key` reached from `from`, adding it if it is new. A step to the
  /// state of `from` itself returns `from`. `prior` applies only to a newly added node.
  Stepped Step(NodeId from, StateKey key, float prior = 0);

  /// Adds (Pend) or removes (Unpend) one pending reward of 0 on ∅ of `node` and on every arm on the
  /// path to it. Pending zeros count as more recent than all rewards that were backed up.
  void Pend(NodeId node);
  void Unpend(NodeId node);

  /// Adds the reward to ∅ of `node` and to every arm on the path to it (Algorithm 1, lines 37-46).
  /// |reward| must be at most a million; kSwucb stores it as a float.
  void Backup(NodeId node, double reward);

  /// Excludes ∅ of `node` from selection, and every arm below which all nodes are closed. A node
  /// added later below such an arm makes it selectable again.
  void Close(NodeId node);

  size_t size() const { return nodes_.size(); }
  StateKey key(NodeId node) const { return nodes_[node].key; }
  NodeId parent(NodeId node) const { return nodes_[node].parent; }
  /// Statistic of the arm that leads to the node, pending zeros included.
  Statistic Through(NodeId node) const;
  /// The arms that Select compares, ∅ first, then the children; for traces.
  std::vector<ArmView> Arms(NodeId node) const;
  const TreeParameters& parameters() const { return parameters_; }
  /// Allocated memory, used or not.
  size_t Bytes() const;

 private:
  struct Arm {
    Statistic statistic;     // without the pending zeros
    NodeId child = kNoNode;  // kNoNode: ∅
    uint32_t pending = 0;
    float prior = 0;
    bool closed = false;
  };
  struct Node {
    StateKey key = 0;
    NodeId parent = kNoNode;
    uint32_t slot = 0;          // index of its arm among the parent's
    Blocks<Arm>::Ref arms = 0;  // ∅ and the children, in a block of the next power of two
    uint32_t arm_count = 0;
  };
  /// The most recent rewards of an arm; a ring buffer once the window is full.
  struct Window {
    Blocks<float>::Ref rewards = 0;
    uint32_t size = 0;
    uint32_t oldest = 0;
  };

  bool windowed() const { return parameters_.bandit.bandit == Bandit::kSwucb; }
  Arm* ArmsOf(NodeId node) { return arms_.At(nodes_[node].arms); }
  const Arm* ArmsOf(NodeId node) const { return arms_.At(nodes_[node].arms); }
  /// The arm that leads to the node.
  const Arm& ArmTo(NodeId node) const;
  Arm& ArmTo(NodeId node) { return const_cast<Arm&>(std::as_const(*this).ArmTo(node)); }
  /// Index in windows_ of the window of an arm of `node`.
  static size_t WindowOf(NodeId node, const Arm& arm);

  NodeId AddNode(NodeId parent, StateKey key, float prior);
  void AddArm(NodeId parent, const Arm& arm);
  /// The slot in index_ of the node with this key and, for kSiblings, this parent; otherwise the
  /// empty slot where it would go.
  size_t Find(NodeId parent, StateKey key) const;
  void GrowIndex();

  uint32_t BestArm(NodeId node, uint64_t draw);
  double TotalVisits(NodeId node) const;
  Statistic WithPending(NodeId node, const Arm& arm) const;
  void Record(NodeId node, Arm& arm, double reward);
  void Remember(Window& window, float reward);
  std::span<const float> Older(const Window& window) const;
  std::span<const float> Newer(const Window& window) const;
  template <class Visit>
  void Ascend(NodeId node, Visit visit);

  TreeParameters parameters_;
  uint64_t selections_ = 0;

  Chunked<Node> nodes_;
  Blocks<Arm> arms_;
  Arm root_arm_;               // leads to the root
  std::vector<NodeId> index_;  // open addressing, kNoNode: empty; size 2^k, at most 3/4 full

  Chunked<Window> windows_;  // kSwucb only: ∅ of node n at 2n, the arm to it at 2n + 1
  Blocks<float> rewards_;

  std::vector<uint32_t> ties_;  // scratch space of BestArm
};

}  // namespace zermelo::search
