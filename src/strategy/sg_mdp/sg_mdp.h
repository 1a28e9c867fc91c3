// Self-generated goal-conditioned MCTS (Bourbaki, arXiv 2507.02726, section 3).
#pragma once

#include <nlohmann/json.hpp>

#include "strategy/strategy.h"

namespace zermelo::strategy {

/// What to do with a tactic that answers with a suggestion (`exact?`, `apply?`, `simp?`).
enum class Suggestions {
  kReplace,   // try what it suggests in its place
  kComplete,  // have a model of proofs write the rest of the proof (section 4, "Implementation")
};
NLOHMANN_JSON_SERIALIZE_ENUM(Suggestions, {{static_cast<Suggestions>(-1), nullptr},
                                           {Suggestions::kReplace, "replace"},
                                           {Suggestions::kComplete, "complete"}})

/// Of section 4: trials and iterations. The paper does not tell the others.
struct SgMdpParameters {
  size_t iterations = 512;      // K: selections
  size_t trials = 10;           // N: tactics tried in one expansion, and children of one node
  size_t samples_per_call = 4;  // tactics that models are asked for at once, of these
  double exploration = 1;       // C of the UCB
  double depth_weight = 0.1;    // value of a state: so much for every tactic on the way to it,
  double lambda = 1;            // and so much for every solved conjecture (lambda of eq. 1)
  bool conjectures = true;      // a `have` pushes its statement as a goal
  bool prune = true;            // leave conjectures that are not used out of the final proof
  Suggestions suggestions = Suggestions::kReplace;
  size_t workers = 4;              // expansions under way at once
  size_t max_depth = 64;           // tactics in a proof
  double seconds_per_tactic = 4;   // a tactic is cut off after this
  double check_seconds = 60;       // likewise a proof that a model completed
  size_t max_goal_bytes = 20'000;  // states larger than this are dropped
  bool operator==(const SgMdpParameters&) const = default;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SgMdpParameters, iterations, trials, samples_per_call,
                                   exploration, depth_weight, lambda, conjectures, prune,
                                   suggestions, workers, max_depth, seconds_per_tactic,
                                   check_seconds, max_goal_bytes)

/// kUsage when a parameter is out of its range, or was an unknown word in JSON.
core::Status Check(const SgMdpParameters& parameters);

/// A node is the proof so far and its goals in order, the current one first (the top of the paper's
/// stack; Lean's tactics work on it). Each iteration selects the node with the highest
/// W/N + C sqrt(ln N / N) of all, tries up to N tactics for its current goal, adds the first valid
/// one that leads to a new state, and backs the new state's value up to the root. A conjecture
/// becomes the current goal and is solved when all goals that it left are. A node is closed when it
/// has N children or an expansion of it fails.
/// Errors: as Expander::Run. Requires `environment.steps`; `environment.completions` for kComplete.
core::Task<core::Result<Outcome>> SgMdp(const Environment& environment, const Problem& problem,
                                        const SgMdpParameters& parameters, Limits limits);

}  // namespace zermelo::strategy
