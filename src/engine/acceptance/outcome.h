// How a judgement ended: one list of words for the command line, evaluations, servers and Python.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/error.h"

namespace zermelo::lean {
enum class CheckStatus;
}

namespace zermelo::engine {

struct AcceptanceReport;

enum class Outcome : uint8_t {
  kAccepted,        // a proof of what was asked for
  kRejected,        // not a proof of it
  kOpen,            // it still has a `sorry`, and nothing else is wrong
  kDeclined,        // the second kernel, whose verdict is required, could not judge it
  kTimedOut,        // Lean needed longer than the limit
  kCrashed,         // Lean died on it, more than once
  kInfrastructure,  // it was not judged: no Lean, no memory, no worker, a broken library
};
inline constexpr size_t kOutcomeCount = 7;

/// "accepted", "rejected", "open", "declined", "timed_out", "crashed", "infrastructure".
const char* Name(Outcome outcome);
/// False if no outcome has this name.
bool ParseOutcome(std::string_view name, Outcome* outcome);

/// Whether the proof was judged: not if Lean crashed or there was none. What was not judged has no
/// reward, not even 0.
bool WasJudged(Outcome outcome);
/// 0 for kAccepted, 3 for kInfrastructure, else 1.
int ExitCode(Outcome outcome);

Outcome OutcomeOf(const AcceptanceReport& report);
/// Of a document that Lean has checked; kTimedOut if it did not reach its end.
Outcome OutcomeOf(lean::CheckStatus status);
/// The outcome of a judgement that ended in an error: kTimedOut, kCrashed or kInfrastructure;
/// kRejected for an error in the input.
Outcome OutcomeOf(const core::Error& error);

}  // namespace zermelo::engine
