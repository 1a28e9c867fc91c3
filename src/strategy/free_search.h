// Proves a theorem without models: by automation tactics and the built-in search.
#pragma once

#include "strategy/registry.h"

namespace zermelo::strategy {

/// The usual time limit for each automation tactic.
inline constexpr double kAutomationSeconds = 1;

/// Services without models: the built-in policy proposes tactics.
Services WithoutModels(const Services& services);

/// Tries automation tactics (`simp`, `omega`, …) on the theorem, all in one probe. Errors: as
/// Expander::Run.
core::Task<core::Result<SearchResult>> Automation(const Services& services, const Problem& problem,
                                                  double seconds_each, Limits limits);

/// Automation, then best-first search. `services`: as WithoutModels gives them.
core::Task<core::Result<SearchResult>> FreeSearch(const Services& services, const Problem& problem,
                                                  const StrategyParameters& parameters,
                                                  Limits limits);

/// FreeSearch on single statements; `context` describes the file that contains them. `services` and
/// `parameters` must outlive the prover and its calls.
StatementProver MakeFreeProver(const Services& services, policy::StepContext context,
                               const StrategyParameters& parameters);

}  // namespace zermelo::strategy
