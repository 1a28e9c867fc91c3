// Compares the state server with Lean's workers on the probes of state_probes.txt, of many kinds.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "lean/checker.h"
#include "lean/probe.h"
#include "lean/states/tactic_runner.h"

namespace zermelo::lean {

/// A proof state and tactics to try there.
struct StateProbe {
  std::string subject;
  std::string text;                     // a file; the first `sorry` of its last declaration
  std::string tactics;                  // is the hole, from which these lead to the state
  std::vector<std::string> candidates;  // at least one
  bool operator==(const StateProbe&) const = default;
};

/// Reads the format of state_probes.txt, which its head describes.
std::vector<StateProbe> ParseStateProbes(std::string_view text);
/// Those of the program: at least 200 candidates.
std::vector<StateProbe> StateProbes();
size_t CandidatesOf(const std::vector<StateProbe>& probes);

/// A tactic for which the two give different results.
struct ProbeDifference {
  StateProbe probe;  // with this candidate alone
  ProbeResult worker, states;
};

/// Whether both say the same of a tactic. Numbers of metavariables do not count; a tactic that was
/// too slow was not compared.
bool Agree(const ProbeResult& worker, const ProbeResult& states);

/// Tries all candidates both ways; `done` is told after each state how many have been tried. The
/// errors of Probe and TacticRunner::Try; kTimeout if the runner is busy.
core::Task<core::Result<std::vector<ProbeDifference>>> CompareOn(Checker& worker,
                                                                 TacticRunner& states,
                                                                 std::vector<StateProbe> probes,
                                                                 std::function<void(size_t)> done);

}  // namespace zermelo::lean
