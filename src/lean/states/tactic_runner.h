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
#include "lean/states/state_protocol.h"

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

/// Tactics to run from a hole on.
struct StateQuery {
  StateHole hole;
  std::string tactics;  // laid out as in the file; each line ends with a break
  core::Duration limit = std::chrono::seconds(20);  // for what is not known yet
  core::Deadline deadline;                          // also for the wait for a process
  /// Ends the wait for a process, and the run. May be null; must outlive the run.
  core::Cancellation* cancellation = nullptr;
  bool stop_at_error = false;  // after the first tactic with an error, even if Lean recovers
  /// Bytes of `tactics`, also within blocks, whose goals are wanted.
  std::vector<size_t> goals_at = {};
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

class StateRunner : public TacticRunner {
 public:
  /// Runs tactics from a hole on. A run that is cut off at its limit is a result. nullopt and
  /// errors as for Try.
  virtual core::Task<core::Result<std::optional<StateRun>>> RunNow(StateQuery query) = 0;
};

}  // namespace zermelo::lean
