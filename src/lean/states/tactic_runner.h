// The interface for running tactics in proof states that are kept as values: a state server or a
// decorator of one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/async.h"
#include "core/cancellation.h"
#include "core/error.h"
#include "lean/probe.h"

namespace zermelo::lean {

/// Where tactics are run.
struct StateHole {
  std::string text;  // a file with the tactic `sorry` in the hole; what follows is ignored
  size_t byte = 0;   // of that `sorry`
  auto operator<=>(const StateHole&) const = default;
};

/// Candidates for one tactic state. All texts are laid out as in the file; each line ends with a
/// break.
struct Trials {
  StateHole hole;
  std::string before;                   // the tactics from the hole to the state
  std::vector<std::string> candidates;  // each begins on a line of its own
  std::string after;  // a line that could follow them, for the messages of syntax errors
  ProbeLimits limits;
};

class TacticRunner {
 public:
  virtual ~TacticRunner() = default;
  /// Runs each candidate on the first goal of the state: the results that Probe gives, in order.
  /// nullopt, without waiting: it has not started yet or is busy. Errors: kInput if Lean does not
  /// reach the hole; kTimeout when the deadline passes before the first candidate runs; kCancelled
  /// on request; kCrashed when Lean died twice on this; kEnvironment if there can be no runner.
  /// After an error, it is worth trying Probe. Calls may overlap; the runner must outlive them.
  virtual core::Task<core::Result<std::optional<std::vector<ProbeResult>>>> Try(Trials trials) = 0;
};

}  // namespace zermelo::lean
