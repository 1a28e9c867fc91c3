// RMaxTS: Monte-Carlo tree search by truncate-and-resume (DeepSeek-Prover-V1.5, arXiv 2408.08152,
// section 4, appendices A.4 and A.5; reference code: prover/algorithms/rmax_tree_search.py).
#pragma once

#include <nlohmann/json.hpp>

#include "strategy/rmaxts/proof_tree.h"
#include "strategy/strategy.h"

namespace zermelo::strategy {

/// The bandits of the paper's ablations (figure 4, table 8), and PUCT.
enum class TreePolicy {
  kDucb,   // eq. 7-9
  kUcb1,   // eq. 4-6
  kSwucb,  // eq. 10-12
  kUct,    // eq. 4-6 without intrinsic reward: section 5.2's baseline
  kPuct,   // AlphaGo Zero's, all priors equal
};
NLOHMANN_JSON_SERIALIZE_ENUM(TreePolicy, {{static_cast<TreePolicy>(-1), nullptr},
                                          {TreePolicy::kDucb, "ducb"},
                                          {TreePolicy::kUcb1, "ucb1"},
                                          {TreePolicy::kSwucb, "swucb"},
                                          {TreePolicy::kUct, "uct"},
                                          {TreePolicy::kPuct, "puct"}})

struct RmaxtsParameters {
  size_t trees = 1;           // root parallelism: trees that do not know of each other (16 in
                              // the paper's largest experiments)
  size_t generations = 6400;  // for each tree (section 5.1)
  size_t workers = 32;        // for each tree: generations under way at once (A.4)
  TreePolicy bandit = TreePolicy::kDucb;
  double gamma = 0.99;     // of ducb (section 4.3)
  uint32_t window = 64;    // of swucb: 32, 64 or 128 in table 8
  double exploration = 1;  // factor of the bonus; 1 as printed
  search::Convention convention = search::Convention::kPaper;
  search::Merge merge = search::Merge::kSiblings;  // Algorithm 1, line 25
  StateMerging state_merging = StateMerging::kExact;
  bool intrinsic_reward = true;     // eq. 3; off: only proofs are rewarded
  bool tactic_state = true;         // append it to the prompt as a comment (section 4.1, "Resume")
  size_t max_prefix_bytes = 8'192;  // longer beginnings get no node (2,048 tokens in the code)
  double check_seconds = 60;        // a generation that Lean takes longer over earns nothing
  uint64_t seed = 0;
  bool operator==(const RmaxtsParameters&) const = default;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RmaxtsParameters, trees, generations, workers, bandit, gamma,
                                   window, exploration, convention, merge, state_merging,
                                   intrinsic_reward, tactic_state, max_prefix_bytes, check_seconds,
                                   seed)

/// kUsage when a parameter is out of its range, or was an unknown word in JSON.
core::Status Check(const RmaxtsParameters& parameters);

/// Selects a node, has the model go on from one of the proofs that lead there, cuts what it wrote
/// off before Lean's first error, and adds the states on the way; until Lean accepts a proof. Each
/// tree keeps to one of the models' prompts (policy::CompletionPolicy::ForTree), so that a mixture
/// of chain-of-thought and other prompts is one over trees, as in section 5.1; a single tree mixes.
/// Errors: as Expander::Run. Requires `environment.completions`.
core::Task<core::Result<Outcome>> Rmaxts(const Environment& environment, const Problem& problem,
                                         const RmaxtsParameters& parameters, Limits limits);

}  // namespace zermelo::strategy
