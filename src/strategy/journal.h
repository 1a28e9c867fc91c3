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
#include <string>
#include <string_view>

#include "core/async.h"
#include "core/cancellation.h"
#include "core/error.h"

namespace zermelo::strategy {

/// The kinds of events that strategies append; docs/runs.md lists their fields.
namespace event {
inline constexpr std::string_view kSelected = "selected";         // the node that is expanded next
inline constexpr std::string_view kNodeAdded = "node_added";      // a new state
inline constexpr std::string_view kBackedUp = "backed_up";        // a reward and its node
inline constexpr std::string_view kLemmaProved = "lemma_proved";  // a part of a proof
inline constexpr std::string_view kProofFound = "proof_found";    // Lean accepted it
inline constexpr std::string_view kGaveUp = "gave_up";            // the end without a proof
inline constexpr std::string_view kSubgoal = "subgoal";           // a theorem to be proved
inline constexpr std::string_view kSubgoalState = "subgoal_state";    // a change of its state
inline constexpr std::string_view kSketch = "sketch";                 // a decomposition
inline constexpr std::string_view kSketchRefused = "sketch_refused";  // why it failed
inline constexpr std::string_view kRoundBegun = "round_begun";        // the start of a trajectory
inline constexpr std::string_view kMessage = "message";               // of a conversation
inline constexpr std::string_view kContextCut = "context_cut";        // messages removed from it
inline constexpr std::string_view kSketched = "sketched";             // a sketch and its quality
inline constexpr std::string_view kBlueprint = "blueprint";  // state of a lemma of the plan
}  // namespace event

/// Rings once unless it is destroyed first.
class Alarm {
 public:
  Alarm() = default;
  virtual ~Alarm() = default;
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;
};

/// A call outside of the strategy whose answer is recorded.
struct Act {
  std::string kind;     // of the event with the answer: "checked", "generated"
  std::string key;      // identical for the same request, byte for byte, in every execution
  std::string model;    // the model called; empty: none
  std::string request;  // JSON, stored with a model's answer
  bool costly = false;  // the answer is made durable before it is returned
  /// Fields of an event "<kind>_begun", durable before a costly act begins; null: no event.
  nlohmann::json announced;
  /// Performs the call and returns the answer as JSON, results and expected errors alike. Runs on
  /// another executor than the strategy, at most once, and not at all if the answer is recorded.
  std::function<core::Task<nlohmann::json>()> perform;
  /// Ends the call early; may be null. An act that is cancelled before it starts is not started.
  core::Cancellation* cancellation = nullptr;
};

/// The journal of one run. All calls on the strategy's executor.
class Journal {
 public:
  Journal() = default;
  virtual ~Journal() = default;
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// Appends a decision; it is durable before the next costly act starts. Takes microseconds.
  /// `fields`: an object, identical in every execution (no times, no addresses).
  virtual void Append(std::string_view kind, nlohmann::json fields) = 0;
  /// Whether events must contain everything needed to recompute the decisions.
  virtual bool tracing() const = 0;

  /// Returns the answer of an act, performed now or taken from the record. Fails with kCancelled if
  /// the act was never started. Called by the Checker and the models, not by strategies.
  virtual core::Task<core::Result<nlohmann::json>> Perform(Act act) = 0;

  /// Calls `ring` on the strategy's executor after `time` of the run has passed. Time before an
  /// interruption counts, the interruption itself does not.
  virtual std::unique_ptr<Alarm> SetAlarm(core::Duration time, std::function<void()> ring) = 0;
  /// Seconds of the run so far. For display only: it differs between executions.
  virtual double elapsed() const = 0;
};

}  // namespace zermelo::strategy
