// The tree of RMaxTS: what truncate-and-resume remembers (DeepSeek-Prover-V1.5, section 4.1 and
// Algorithm 1). It knows neither models nor Lean: its caller generates and verifies.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "search/tree.h"

namespace zermelo::strategy {

struct RmaxtsParameters {
  search::TreeParameters tree;
  bool intrinsic_reward = true;     // eq. 3; without it only proofs are rewarded (figure 4's UCT)
  size_t max_prefix_bytes = 8'192;  // longer beginnings are not resumed
  bool operator==(const RmaxtsParameters&) const = default;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RmaxtsParameters, tree, intrinsic_reward, max_prefix_bytes)

/// A piece of a verified proof and the tactic state after it.
struct Segment {
  std::string tactics;  // as written, with its line breaks
  std::string state;    // the goals as Lean prints them; empty: none are left
};

/// A node is a tactic state and the set of all beginnings of proofs that were found to lead to it.
/// Texts are stored once: a beginning is a segment after another beginning. Nothing blocks; calls
/// must not overlap. The same parameters and calls give the same tree and the same expansions.
class ProofTree {
 public:
  ProofTree(const RmaxtsParameters& parameters, const std::string& root_state);

  /// A generation to be made: a proof that goes on after a beginning of the node's.
  struct Expansion {
    search::NodeId node = search::kRoot;
    uint32_t prefix = 0;
    bool operator==(const Expansion&) const = default;
  };
  /// Selects a node (lines 10-18) and draws one of its beginnings, all being equally likely. Until
  /// End or Abandon it counts as a reward of 0. Nothing when every node is closed.
  std::optional<Expansion> Begin();

  struct Outcome {
    search::NodeId last;  // where the path ends
    size_t nodes_added;
    double reward;
  };
  /// Adds what Lean accepted of the generation, from the end of the beginning to the first error
  /// (lines 22-35), and backs its reward up from the expanded node (lines 5-6). A segment that
  /// leaves the state as it was becomes part of the next one. A state without goals is closed.
  Outcome End(const Expansion& expansion, std::span<const Segment> segments);
  /// The generation never came: no reward.
  void Abandon(const Expansion& expansion);

  /// The text of a beginning.
  std::string Tactics(uint32_t prefix) const;
  const std::string& State(search::NodeId node) const { return *states_[tree_.key(node)]; }
  /// The beginnings of a node, in the order in which they were found.
  const std::vector<uint32_t>& Prefixes(search::NodeId node) const { return prefixes_of_[node]; }
  const search::Tree& tree() const { return tree_; }

 private:
  struct Prefix {
    uint32_t before;             // another beginning; the first one is empty
    const std::string* tactics;  // after it
    size_t bytes;                // of the whole
  };
  using Texts = std::unordered_map<std::string, uint32_t>;

  search::StateKey Intern(const std::string& state);
  uint32_t AddPrefix(search::NodeId node, uint32_t before, const std::string& tactics);

  const RmaxtsParameters parameters_;
  Texts state_keys_;
  std::vector<const std::string*> states_;  // by key
  search::Tree tree_;

  Texts tactics_;  // to their numbers
  std::vector<Prefix> prefixes_;
  std::unordered_map<uint64_t, uint32_t> known_prefixes_;  // by the one before and the tactics
  std::vector<std::vector<uint32_t>> prefixes_of_;         // by node
  uint64_t begun_ = 0;
};

}  // namespace zermelo::strategy
