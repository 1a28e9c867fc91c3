// Best-first search over tactic states.
#pragma once

#include <nlohmann/json.hpp>

#include "strategy/strategy.h"

namespace zermelo::strategy {

/// A candidate's cost is its negative log-probability, or a comparable value from a policy without
/// a model. BFS-Prover (arXiv 2502.03438) expands the state with the highest (sum of
/// log-probabilities) / length^alpha, length being the number of tactics: that is cost_per_goal =
/// cost_per_step = 0 and length_exponent = alpha.
/// BestFirstStrategy::Parameters (in best_first.cc) says what each means.
struct BestFirstParameters {
  size_t candidates_per_state = 60;
  size_t samples_per_state = 8;
  double length_exponent = 0;
  double cost_per_goal = 0.5;
  double cost_per_step = 0.3;
  size_t batch = 12;
  size_t max_depth = 24;
  double seconds_per_candidate = 2;
  double retry_factor = 4;
  size_t max_retries = 4;
  double cost_per_retry = 1.5;
  size_t max_goal_bytes = 20'000;
  double value_weight = 0;
  bool operator==(const BestFirstParameters&) const = default;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(BestFirstParameters, candidates_per_state, samples_per_state,
                                   length_exponent, cost_per_goal, cost_per_step, batch, max_depth,
                                   seconds_per_candidate, retry_factor, max_retries, cost_per_retry,
                                   max_goal_bytes, value_weight)

/// Fails with kUsage if a parameter is out of range.
core::Status Check(const BestFirstParameters& parameters);

/// Expands the cheapest tactic state first; a state's cost is the sum of the costs of the
/// candidates that lead to it. A state is expanded in batches of candidates; a later batch waits in
/// the queue at the cost of its first candidate. States are deduplicated by their printed goals.
/// Tactics work on the first goal, so once the first goals of a state are solved, other states with
/// further goals before the same rest are dropped. With a `value_weight`, states also cost what
/// they are estimated to cost from there on: the sum over their goals of -ln(chance), where earlier
/// searches give the chance that a goal is closed (learn/value.h); it does not add up along a
/// proof. One batch per Lean worker runs at a time. Once everything is tried, models are queried
/// again about all states, until their budget or the time is used up (BFS-Prover's passes); without
/// models, the policy is queried for more candidates of each state, up to its `most_effort` times.
/// Errors: as Expander::Run; not finding a proof is not an error. Requires `services.steps`.
core::Task<core::Result<SearchResult>> BestFirst(const Services& services, const Problem& problem,
                                                 const BestFirstParameters& parameters,
                                                 Limits limits);

}  // namespace zermelo::strategy
