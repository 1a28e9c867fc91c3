// The requests and answers of the state server (state_server.lean), as values.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "lean/diagnostic.h"

namespace zermelo::lean {

/// A state of one state server; the numbers of another one mean other states.
using StateNumber = uint64_t;

/// A hole whose declaration has been elaborated.
struct OpenedHole {
  StateNumber state = 0;
  std::vector<std::string> goals;  // as Lean prints them
};

/// A tactic of a run and what it did. Positions are in the text of the run.
struct TacticStep {
  Position begin, end;
  std::optional<StateNumber> state;  // after it; none if it failed or was cut off
  std::vector<std::string> goals;    // in that state
  std::vector<Diagnostic> messages;
  bool cut = false;         // at the time limit
  bool elaborated = false;  // for this run: it had not been run in this state before
  bool aborted = false;     // it gave up after an error that it had already reported
};

/// What a sequence of tactics did in a state.
struct StateRun {
  std::vector<TacticStep> steps;          // up to the first that failed
  std::vector<Diagnostic> syntax_errors;  // of what follows the last step
  StateNumber state = 0;                  // the last one that was reached
  std::vector<std::string> goals;         // in that state
  bool has_sorry = false;                 // if there are no goals: the proof contains `sorry`
  bool has_holes = false;                 // if there are no goals: parts of the proof are missing
  /// For each place that was asked for, the goals that the language server shows there; none if it
  /// shows nothing, or the run did not get there.
  std::vector<std::optional<std::vector<std::string>>> goals_at;

  bool cut() const { return !steps.empty() && steps.back().cut; }
  /// The error that comes first in the text, the syntax errors included; null if there is none.
  const Diagnostic* FirstError() const;
  /// No error, and nothing is left to prove. Provisional: the kernel has not seen the proof.
  bool Closed() const;
};

/// All return kCrashed for an answer that is not from a state server.
core::Result<OpenedHole> ParseOpenedHole(const nlohmann::json& answer);
core::Result<StateRun> ParseStateRun(const nlohmann::json& answer);
/// The runs of several texts.
core::Result<std::vector<StateRun>> ParseTried(const nlohmann::json& answer);

}  // namespace zermelo::lean
