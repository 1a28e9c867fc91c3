// Free things first: what costs nothing is tried before what costs money, what is quick before what
// is slow.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "strategy/strategy.h"

namespace zermelo::strategy {

struct AutoParameters {
  double automation_seconds = 1;   // for each tactic that may prove the theorem alone
  double builtin_share = 0.25;     // of the time, for the first search of built-in tactics
  double whole_proof_share = 0.5;  // of the time that is left then, for whole proofs
  bool operator==(const AutoParameters&) const = default;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(AutoParameters, automation_seconds, builtin_share,
                                   whole_proof_share)

/// kUsage when a parameter is out of its range.
core::Status Check(const AutoParameters& parameters);

/// Tactics that prove what they prove without help, one probe of them all. Errors: as
/// Expander::Run.
core::Task<core::Result<Outcome>> Automation(const Environment& environment, const Problem& problem,
                                             double seconds_each, Limits limits);

/// One strategy of several, run one after another.
struct Phase {
  std::string name;
  double share = 1;  // of the time that is left, at most
  std::function<core::Task<core::Result<Outcome>>(Limits)> run;
};

/// Runs the phases until one finds a proof (until the last, when all proofs are wanted) or the
/// limits end; a phase that ends early leaves its time to those after it. `time` is what the limits
/// leave in all. The outcome adds up; an error of a phase ends it, unless a proof has been found.
core::Task<core::Result<Outcome>> RunPhases(std::vector<Phase> phases, core::Duration time,
                                            bool all, Limits limits);

}  // namespace zermelo::strategy
