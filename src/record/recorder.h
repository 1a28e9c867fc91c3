// The interface through which calls leave the program: to Lean, to models, to Python programs and
// to the library's search. A recorder performs a call and keeps its answer, or returns the answer
// that it has kept. The journal of a run (run_journal.h) is one; call_store.h has the others.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "core/async.h"
#include "core/cancellation.h"
#include "core/error.h"

namespace zermelo::record {

/// A call outside of the program whose answer is recorded.
struct ExternalCall {
  std::string kind;     // of the event with the answer: "checked", "generated"
  std::string key;      // identical for the same request, byte for byte, in every execution
  std::string model;    // the model called; empty: none
  std::string request;  // JSON, stored with a model's answer
  bool costly = false;  // the answer is made durable before it is returned
  /// Fields of an event "<kind>_begun", durable before a costly call begins; null: no event.
  nlohmann::json announced;
  /// Performs the call and returns the answer as JSON, results and expected errors alike. Runs at
  /// most once, and not at all if the answer is recorded; not on the caller's executor if the
  /// recorder says so (performs_elsewhere).
  std::function<core::Task<nlohmann::json>()> perform;
  /// Whether an answer also holds for later equal requests; null: no answer does.
  std::function<bool(const nlohmann::json& answer)> reusable;
  /// Ends the call early; may be null. A call that is cancelled before it starts is not started.
  core::Cancellation* cancellation = nullptr;
};

/// All calls on the caller's executor; calls may overlap. A recorder must outlive its calls.
class Recorder {
 public:
  Recorder() = default;
  virtual ~Recorder() = default;
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// Returns the answer of a call, performed now or taken from the record. Errors: kCancelled if
  /// the call was never started; others if the record cannot be read or written, or lacks a call
  /// that must be in it.
  virtual core::Task<core::Result<nlohmann::json>> Perform(ExternalCall call) = 0;
  /// Whether calls are performed on another executor than the caller's; the caller must then
  /// receive nothing from them before Perform returns.
  virtual bool performs_elsewhere() const = 0;
};

}  // namespace zermelo::record
