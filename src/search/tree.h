// A search tree in an arena, and the bandit that walks down it.
//
// A node is a state. At a node one can take the arm of a child, or ∅, which means "expand here"
// (DeepSeek-Prover-V1.5, eq. 1; Algorithm 1). One iteration of a search:
//
//   node = tree.Select();          // down to the ∅ that looks best
//   tree.Pend(*node);              // while it is being expanded: a pending reward of 0
//   at = tree.Step(at, key).node;  // for every state on the way that the expansion found
//   tree.Unpend(*node);
//   tree.Backup(*node, reward);
//
// The tree knows neither texts nor Lean; states are 64-bit keys, nodes 32-bit ids that count up
// from the root's 0. Nothing blocks, locks or fails; calls on one tree must not overlap. The same
// calls in the same order give the same tree and the same selections, so a log of them is a log of
// it.
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

/// Where a state counts as known, and its node is used again.
enum class Merge {
  kSiblings,   // under the same parent (Algorithm 1, line 25)
  kWholeTree,  // anywhere: the walk goes on at the node that has it
};
NLOHMANN_JSON_SERIALIZE_ENUM(Merge, {{static_cast<Merge>(-1), nullptr},
                                     {Merge::kSiblings, "siblings"},
                                     {Merge::kWholeTree, "whole_tree"}})

struct TreeParameters {
  BanditParameters bandit;
  Merge merge = Merge::kSiblings;
  double expand_prior = 0.5;  // of every ∅; only kPuct looks at priors
  uint64_t seed = 0;          // of the draws between equal arms
  bool operator==(const TreeParameters&) const = default;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TreeParameters, bandit, merge, expand_prior, seed)

/// kUsage when a parameter is out of its range, or was an unknown word in JSON.
core::Status Check(const TreeParameters& parameters);

/// An arm as the bandit sees it.
struct ArmView {
  NodeId child = kNoNode;  // kNoNode: ∅
  Statistic statistic;     // with the pending zeros
  uint32_t pending = 0;
  double score = 0;
  bool closed = false;
};

/// A node as it is stored: everything that does not follow from the other nodes.
struct NodeRecord {
  NodeId parent = kNoNode;  // kNoNode: the root, and only it
  StateKey key = 0;
  float prior = 0;
  bool closed = false;               // by Close
  Statistic through;                 // the parent's arm to it
  Statistic expanded;                // its ∅
  std::vector<float> through_last;   // kSwucb: the rewards in the window, oldest first
  std::vector<float> expanded_last;  // likewise
  bool operator==(const NodeRecord&) const = default;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(NodeRecord, parent, key, prior, closed, through, expanded,
                                   through_last, expanded_last)

/// A tree without what is pending: work in flight does not survive.
struct TreeSnapshot {
  TreeParameters parameters;
  uint64_t selections = 0;
  std::vector<NodeRecord> nodes;  // by id
  bool operator==(const TreeSnapshot&) const = default;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TreeSnapshot, parameters, selections, nodes)

class Tree {
 public:
  /// The parameters have passed Check.
  Tree(const TreeParameters& parameters, StateKey root);
  /// kInput: not a snapshot that Snapshot() can have made.
  static core::Result<Tree> Restore(const TreeSnapshot& snapshot);
  TreeSnapshot Snapshot() const;

  /// Walks down from the root, at each node to the arm with the highest score, until that is ∅.
  /// Nothing when every node is closed. Changes only the seed of the next walk's draws.
  std::optional<NodeId> Select();

  struct Stepped {
    NodeId node;
    bool added;
  };
  /// The node of the state `key` reached from `from`, added if it is not there. A step to the state
  /// of `from` itself stays there. `prior` is used only for a node that is added.
  Stepped Step(NodeId from, StateKey key, float prior = 0);

  /// One more, one fewer pending reward of 0 on ∅ of `node` and on every arm on the way to it.
  /// Pending zeros come after all rewards that have been backed up.
  void Pend(NodeId node);
  void Unpend(NodeId node);

  /// Adds the reward to ∅ of `node` and to every arm on the way to it (Algorithm 1, lines 37-46).
  /// |reward| is at most a million; kSwucb keeps it as a float.
  void Backup(NodeId node, double reward);

  /// From now on ∅ of `node` is not selected, nor an arm as long as everything below it is closed.
  void Close(NodeId node);

  size_t size() const { return nodes_.size(); }
  StateKey key(NodeId node) const { return nodes_[node].key; }
  NodeId parent(NodeId node) const { return nodes_[node].parent; }
  size_t child_count(NodeId node) const { return nodes_[node].arm_count - 1; }
  /// In the order in which they were added.
  std::vector<NodeId> Children(NodeId node) const;
  /// Of all that went through the node, pending zeros included.
  Statistic Through(NodeId node) const;
  /// ∅ first, then the children: what Select compares, for the trace.
  std::vector<ArmView> Arms(NodeId node) const;
  const TreeParameters& parameters() const { return parameters_; }
  /// Memory held, used or not.
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
    uint32_t slot = 0;          // of its arm among the parent's
    Blocks<Arm>::Ref arms = 0;  // ∅ and the children, in a block of the next power of two
    uint32_t arm_count = 0;
  };
  /// The last rewards of an arm: a ring once there are as many as the window.
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
  /// Where the window of an arm of `node` is.
  static size_t WindowOf(NodeId node, const Arm& arm);

  NodeId AddNode(NodeId parent, StateKey key, float prior);
  void AddArm(NodeId parent, const Arm& arm);
  /// The place in index_ of a node with this key and, for kSiblings, this parent; or of none.
  size_t Find(NodeId parent, StateKey key) const;
  void GrowIndex();

  uint32_t BestArm(NodeId node, uint64_t draw);
  double TotalVisits(NodeId node) const;
  Statistic WithPending(NodeId node, const Arm& arm) const;
  void Record(NodeId node, Arm& arm, double reward);
  void Remember(Window& window, float reward);
  std::span<const float> Older(const Window& window) const;
  std::span<const float> Newer(const Window& window) const;
  std::vector<float> Last(const Window& window) const;
  bool RestoreArm(NodeId node, Arm& arm, const Statistic& statistic,
                  const std::vector<float>& last);
  template <class Visit>
  void Ascend(NodeId node, Visit visit);

  TreeParameters parameters_;
  uint64_t selections_ = 0;

  Chunked<Node> nodes_;
  Blocks<Arm> arms_;
  Arm root_arm_;               // to the root
  std::vector<NodeId> index_;  // open addressing, kNoNode: empty; a power of two, at most 3/4 full

  Chunked<Window> windows_;  // kSwucb only: of ∅ of node n at 2n, of the arm to it at 2n + 1
  Blocks<float> rewards_;

  std::vector<uint32_t> ties_;  // BestArm's, kept for its capacity
};

}  // namespace zermelo::search
