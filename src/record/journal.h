// Records a strategy's run, so that a run that was killed resumes where it was (docs/runs.md,
// docs/adr/0009-deterministic-replay.md).
//
// A strategy is a deterministic function of its problem, its parameters, its seed, and the order in
// which the answers of Lean and of models arrive. A recorded run stores that order together with
// the answers. A resumed run executes the strategy again from the start, feeds it the recorded
// answers in the recorded order without calling Lean or a model, and continues live where the
// record ends. The strategy's decisions on the way (its events) must match the record.
//
// A strategy must therefore follow these rules:
// - It waits only for Lean (the lean::Checker that it is given), for models (through its policies),
//   for a Timebox, or for its own coroutines on its own executor.
// - It never reads the clock: Limits::Ended() says whether time is up. Deadlines are only passed on
//   to the calls it awaits.
// - Randomness comes from its seed only; it does not iterate over containers ordered by hash or by
//   address.
// - It appends an event before it acts on a decision.
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/async.h"
#include "record/events.h"
#include "record/recorder.h"

namespace zermelo::record {

/// Rings once unless it is destroyed first.
class Alarm {
 public:
  Alarm() = default;
  virtual ~Alarm() = default;
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;
};

/// The journal of one run. All calls on the strategy's executor. Strategies do not call Perform:
/// the checker and the models that they are given do (recorded_calls.h).
class Journal : public Recorder {
 public:
  /// Appends a decision; it is durable before the next costly call starts. Takes microseconds.
  /// `fields`: an object, identical in every execution (no times, no addresses).
  virtual void Append(std::string_view kind, nlohmann::json fields) = 0;
  /// Whether events must contain everything needed to recompute the decisions.
  virtual bool tracing() const = 0;
  /// Whether events must contain every tactic that was tried.
  virtual bool records_tactics() const { return false; }

  /// Calls `ring` on the strategy's executor after `time` of the run has passed. Time before an
  /// interruption counts, the interruption itself does not.
  virtual std::unique_ptr<Alarm> SetAlarm(core::Duration time, std::function<void()> ring) = 0;
  /// Seconds of the run so far. For display only: it differs between executions.
  virtual double elapsed() const = 0;
};

}  // namespace zermelo::record
