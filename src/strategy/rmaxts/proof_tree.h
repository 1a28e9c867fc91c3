// The tree of RMaxTS, the memory of truncate-and-resume (DeepSeek-Prover-V1.5, section 4.1 and
// Algorithm 1). It is independent of models and of Lean: its caller generates and verifies.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "search/tree.h"
#include "strategy/proof/proof_segments.h"

namespace zermelo::strategy {

/// When two tactic states count as equal.
enum class StateMerging {
  kExact,             // equal as printed by Lean (the reference code)
  kUpToInaccessible,  // equal up to inaccessible names: `n✝`
};
NLOHMANN_JSON_SERIALIZE_ENUM(StateMerging,
                             {{static_cast<StateMerging>(-1), nullptr},
                              {StateMerging::kExact, "exact"},
                              {StateMerging::kUpToInaccessible, "up_to_inaccessible"}})

struct ProofTreeParameters {
  search::TreeParameters tree;
  bool intrinsic_reward = true;     // eq. 3; false: only proofs are rewarded (figure 4's UCT)
  size_t max_prefix_tokens = 2048;  // longer prefixes are not resumed; estimated (llm/usage.h)
  StateMerging merging = StateMerging::kExact;
};

/// A node is a tactic state with the set of all known proof prefixes that lead to it. Each text is
/// stored once: a prefix is another prefix followed by a segment. Nothing blocks; calls must not
/// overlap. The same parameters and calls give the same tree and the same expansions.
class ProofTree {
 public:
  ProofTree(const ProofTreeParameters& parameters, const std::string& root_state);

  /// A generation to make: a proof that continues one of the node's prefixes.
  struct Expansion {
    search::NodeId node = search::kRoot;
    uint32_t prefix = 0;
    bool operator==(const Expansion&) const = default;
  };
  /// Selects a node (lines 10-18) and draws one of its prefixes uniformly. Until End or Abandon,
  /// the expansion counts as a pending reward of 0. Returns nullopt if every node is closed.
  /// `on_selected` is called with the node before the pending reward is added.
  std::optional<Expansion> Begin(const std::function<void(search::NodeId)>& on_selected = {});

  enum class From { kNode, kRoot };
  struct AddedPath {
    search::NodeId last;  // the end of the path
    size_t nodes_added;
    double reward;
  };
  /// Adds the accepted part of the generation, from the end of the prefix to the first error (lines
  /// 22-35), and backs its reward up from the expanded node (lines 5-6). A segment that does not
  /// change the state is joined with the next one. A state without goals is closed. From::kRoot:
  /// the generation does not continue the prefix but is a proof of its own, a path from the root.
  AddedPath End(const Expansion& expansion, std::span<const Segment> segments,
                From from = From::kNode);
  /// Ends an expansion without a generation and without a reward.
  void Abandon(const Expansion& expansion);

  /// The text of a prefix.
  std::string Tactics(uint32_t prefix) const;
  /// The goals as Lean printed them when the node was added.
  const std::string& State(search::NodeId node) const { return *texts_[shown_[tree_.key(node)]]; }
  /// The prefixes of a node, in the order in which they were found.
  const std::vector<uint32_t>& Prefixes(search::NodeId node) const { return prefixes_of_[node]; }
  const search::Tree& tree() const { return tree_; }

 private:
  struct Prefix {
    uint32_t before;             // another prefix; prefix 0 is empty
    const std::string* tactics;  // the tactics after it
    size_t tokens;               // of the whole prefix
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
  std::unordered_map<uint64_t, uint32_t> known_prefixes_;  // by preceding prefix and tactics
  std::vector<std::vector<uint32_t>> prefixes_of_;         // by node
  uint64_t begun_ = 0;
};

}  // namespace zermelo::strategy
