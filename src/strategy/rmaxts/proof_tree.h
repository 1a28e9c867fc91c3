// The tree of RMaxTS: what truncate-and-resume remembers (DeepSeek-Prover-V1.5, section 4.1 and
// Algorithm 1). It knows neither models nor Lean: its caller generates and verifies.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "search/tree.h"
#include "strategy/trace.h"

namespace zermelo::strategy {

/// When two tactic states are the same.
enum class StateMerging {
  kExact,             // Lean prints the same (the reference code)
  kUpToInaccessible,  // the same but for names that a proof cannot say: `n✝`
};
NLOHMANN_JSON_SERIALIZE_ENUM(StateMerging,
                             {{static_cast<StateMerging>(-1), nullptr},
                              {StateMerging::kExact, "exact"},
                              {StateMerging::kUpToInaccessible, "up_to_inaccessible"}})

struct ProofTreeParameters {
  search::TreeParameters tree;
  bool intrinsic_reward = true;     // eq. 3; without it only proofs are rewarded (figure 4's UCT)
  size_t max_prefix_bytes = 8'192;  // longer beginnings are not resumed
  StateMerging merging = StateMerging::kExact;
};

/// A node is a tactic state and the set of all beginnings of proofs that were found to lead to it.
/// Texts are stored once: a beginning is a segment after another beginning. Nothing blocks; calls
/// must not overlap. The same parameters and calls give the same tree and the same expansions.
class ProofTree {
 public:
  ProofTree(const ProofTreeParameters& parameters, const std::string& root_state);

  /// A generation to be made: a proof that goes on after a beginning of the node's.
  struct Expansion {
    search::NodeId node = search::kRoot;
    uint32_t prefix = 0;
    bool operator==(const Expansion&) const = default;
  };
  /// Selects a node (lines 10-18) and draws one of its beginnings, all being equally likely. Until
  /// End or Abandon it counts as a reward of 0. Nothing when every node is closed. `on_selected`
  /// is told of the node before it counts.
  std::optional<Expansion> Begin(const std::function<void(search::NodeId)>& on_selected = {});

  enum class From { kNode, kRoot };
  struct Outcome {
    search::NodeId last;  // where the path ends
    size_t nodes_added;
    double reward;
  };
  /// Adds what Lean accepted of the generation, from the end of the beginning to the first error
  /// (lines 22-35), and backs its reward up from the expanded node (lines 5-6). A segment that
  /// leaves the state as it was becomes part of the next one. A state without goals is closed. A
  /// generation that does not go on after its beginning, but starts a proof of its own, is a path
  /// from the root.
  Outcome End(const Expansion& expansion, std::span<const Segment> segments,
              From from = From::kNode);
  /// The generation never came: no reward.
  void Abandon(const Expansion& expansion);

  /// The text of a beginning.
  std::string Tactics(uint32_t prefix) const;
  /// The goals as Lean printed them when the node was added.
  const std::string& State(search::NodeId node) const { return *texts_[shown_[tree_.key(node)]]; }
  /// The beginnings of a node, in the order in which they were found.
  const std::vector<uint32_t>& Prefixes(search::NodeId node) const { return prefixes_of_[node]; }
  const search::Tree& tree() const { return tree_; }

 private:
  struct Prefix {
    uint32_t before;             // another beginning; the first one is empty
    const std::string* tactics;  // after it
    size_t bytes;                // of the whole
  };
  using TextId = uint32_t;

  TextId InternText(const std::string& text);
  search::StateKey Intern(const Segment& segment);
  uint32_t AddPrefix(search::NodeId node, uint32_t before, const std::string& tactics);

  const ProofTreeParameters parameters_;
  std::unordered_map<std::string, TextId> text_ids_;
  std::vector<const std::string*> texts_;
  std::unordered_map<uint64_t, search::StateKey> state_keys_;  // by state and context
  std::vector<TextId> shown_;                                  // by key
  search::Tree tree_;

  std::vector<Prefix> prefixes_;
  std::unordered_map<uint64_t, uint32_t> known_prefixes_;  // by the one before and the tactics
  std::vector<std::vector<uint32_t>> prefixes_of_;         // by node
  uint64_t begun_ = 0;
};

}  // namespace zermelo::strategy
