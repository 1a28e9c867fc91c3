// Proves single statements without models: by automation tactics and the built-in search.
#pragma once

#include "strategy/best_first/best_first.h"
#include "strategy/statement_prover.h"
#include "strategy/strategy.h"

namespace zermelo::engine {

struct FreeParameters {
  double automation_seconds = 1;  // time limit of each automation tactic
  strategy::BestFirstParameters search;
};

/// Tries to prove a subgoal of another strategy; `environment.steps` proposes tactics.
core::Task<core::Result<strategy::Outcome>> TryForFree(const strategy::Environment& environment,
                                                       const strategy::Problem& problem,
                                                       FreeParameters parameters,
                                                       strategy::Limits limits);

/// `environment.steps` proposes tactics; `context` describes the file that contains the statements.
/// `environment` must outlive the prover and its calls.
strategy::StatementProver MakeFreeProver(const strategy::Environment& environment,
                                         policy::StepContext context, FreeParameters parameters);

}  // namespace zermelo::engine
