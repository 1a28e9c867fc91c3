// Runs strategies in the order of their cost: free ones before paid ones, quick ones before slow
// ones.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "strategy/free_search.h"
#include "strategy/strategy.h"

namespace zermelo::strategy {

/// Auto::Parameters (in auto.cc) says what each means.
struct AutoParameters {
  double automation_seconds = kAutomationSeconds;
  double builtin_share = 0.25;
  double whole_proof_share = 0.5;
  bool operator==(const AutoParameters&) const = default;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(AutoParameters, automation_seconds, builtin_share,
                                   whole_proof_share)

/// Fails with kUsage if a parameter is out of range.
core::Status Check(const AutoParameters& parameters);

/// One of several strategies that are run in sequence.
struct Phase {
  std::string name;
  double share = 1;  // maximum share of the time that is left
  std::function<core::Task<core::Result<SearchResult>>(Limits)> run;
};

/// Runs the phases in order until one finds a proof (all of them if all proofs are wanted) or the
/// limits end. `time`: the time that the limits leave in total. Phases with a share below 1 get a
/// timebox; a phase with share 1 may use all the time that is left. The result is the sum of the
/// phases' outcomes. An error of a phase is returned unless a proof has been found.
core::Task<core::Result<SearchResult>> RunPhases(std::vector<Phase> phases, core::Duration time,
                                                 bool all, Limits limits);

}  // namespace zermelo::strategy
