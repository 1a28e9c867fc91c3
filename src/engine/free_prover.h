// Single statements proved by what costs nothing: tactics that prove alone, and the built-in
// search.
#pragma once

#include "strategy/best_first/best_first.h"
#include "strategy/statement_prover.h"
#include "strategy/strategy.h"

namespace zermelo::engine {

struct FreeParameters {
  double automation_seconds = 1;  // for each tactic that proves alone
  strategy::BestFirstParameters search;
};

/// A goal of another strategy; `environment.steps` proposes tactics.
core::Task<core::Result<strategy::Outcome>> TryForFree(const strategy::Environment& environment,
                                                       const strategy::Problem& problem,
                                                       FreeParameters parameters,
                                                       strategy::Limits limits);

/// `environment.steps` proposes tactics; `context` is of the file that the statements stand in. The
/// environment must outlive the prover and its calls.
strategy::StatementProver MakeFreeProver(const strategy::Environment& environment,
                                         policy::StepContext context, FreeParameters parameters);

}  // namespace zermelo::engine
