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
  kUct,    // eq. 4-6 without intrinsic reward: the baseline of section 5.2
  kPuct,   // AlphaGo Zero's, all priors equal
};
NLOHMANN_JSON_SERIALIZE_ENUM(TreePolicy, {{static_cast<TreePolicy>(-1), nullptr},
                                          {TreePolicy::kDucb, "ducb"},
                                          {TreePolicy::kUcb1, "ucb1"},
                                          {TreePolicy::kSwucb, "swucb"},
                                          {TreePolicy::kUct, "uct"},
                                          {TreePolicy::kPuct, "puct"}})

/// RmaxtsStrategy::Parameters (in rmaxts.cc) says what each means.
struct RmaxtsParameters {
  size_t trees = 1;
  size_t generations = 6400;  // section 5.1
  size_t workers = 32;        // A.4
  TreePolicy bandit = TreePolicy::kDucb;
  double gamma = 0.99;  // section 4.3
  uint32_t window = 64;
  double exploration = 1;  // as printed
  search::Convention convention = search::Convention::kPaper;
  search::Merge merge = search::Merge::kSiblings;  // Algorithm 1, line 25
  StateMerging state_merging = StateMerging::kExact;
  bool intrinsic_reward = true;     // eq. 3
  bool tactic_state = true;         // section 4.1, "Resume"
  size_t max_prefix_tokens = 2048;  // llm/usage.h estimates them
  double check_seconds = 60;
  uint64_t seed = 0;
  bool operator==(const RmaxtsParameters&) const = default;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RmaxtsParameters, trees, generations, workers, bandit, gamma,
                                   window, exploration, convention, merge, state_merging,
                                   intrinsic_reward, tactic_state, max_prefix_tokens, check_seconds,
                                   seed)

/// Fails with kUsage if a parameter is out of range or an enum had an unknown name in JSON.
core::Status Check(const RmaxtsParameters& parameters);

/// Repeats until Lean accepts a proof: selects a node, has the model continue one of its prefixes,
/// truncates the result before Lean's first error, and adds the states on the way. With several
/// trees, each tree uses one of the models' prompts (policy::CompletionPolicy::ForTree), so that a
/// mixture of chain-of-thought and other prompts is a mixture of trees, as in section 5.1; a single
/// tree mixes them. Errors: as Expander::Run. Requires `services.completions`.
core::Task<core::Result<SearchResult>> Rmaxts(const Services& services, const Problem& problem,
                                              const RmaxtsParameters& parameters, Limits limits);

}  // namespace zermelo::strategy
