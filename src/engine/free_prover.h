// What costs nothing, tried on parts of a proof: tactics that prove alone, and the built-in search.
#pragma once

#include "strategy/best_first/best_first.h"
#include "strategy/statement_prover.h"
#include "strategy/strategy.h"

namespace zermelo::engine {

struct FreeProverParameters {
  double automation_seconds = 1;  // for each tactic that proves alone
  strategy::BestFirstParameters search;
};

/// The free parts of `auto`, for a goal of another strategy. `environment.steps` proposes tactics.
/// Errors: the strategies'.
core::Task<core::Result<strategy::Outcome>> TryForFree(const strategy::Environment& environment,
                                                       const strategy::Problem& problem,
                                                       const FreeProverParameters& parameters,
                                                       strategy::Limits limits);

/// The same for single statements. `context` is of the file that the statements stand in. The
/// environment must outlive the prover and its calls.
strategy::StatementProver MakeFreeProver(const strategy::Environment& environment,
                                         policy::StepContext context,
                                         FreeProverParameters parameters);

}  // namespace zermelo::engine
