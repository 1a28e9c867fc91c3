// Best-first search over tactic states.
#pragma once

#include "strategy/strategy.h"

namespace zermelo::strategy {

struct BestFirstParameters {
  size_t candidates_per_state = 60;
  size_t batch = 12;                 // candidates in one check
  double cost_per_goal = 0.5;        // added to a state's cost for every goal after the first
  double cost_per_step = 0.3;        // added for every tactic
  size_t max_depth = 24;             // tactics in a proof
  double seconds_per_candidate = 2;  // a candidate is cut off after this,
  double retry_factor = 4;           // and tried again later with this many times more,
  size_t max_retries = 2;            // so often,
  double cost_per_retry = 1.5;       // each time as if it cost that much more
  size_t max_goal_bytes = 20'000;    // states larger than this are dropped
  bool operator==(const BestFirstParameters&) const = default;
};

/// Expands the cheapest tactic state first; a state's cost is the sum of its candidates' costs.
/// Each state is expanded in batches of candidates, a later batch waiting in the queue at the cost
/// of its first candidate. States are deduplicated by their printed goals. Tactics work on the
/// first goal, so once the first goals of a state are solved, other states that still have goals
/// before the same rest are dropped. As many batches run at once as the pool has workers.
/// A state whose policy is out of time or budget has no candidates.
/// Errors: kEnvironment or kCrashed when Lean no longer runs, other errors of the policy; not
/// finding a proof is an Outcome.
core::Task<core::Result<Outcome>> BestFirst(lean::Checker& checker, policy::Policy& policy,
                                            const Problem& problem,
                                            const BestFirstParameters& parameters, Limits limits);

}  // namespace zermelo::strategy
