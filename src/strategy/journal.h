// How a strategy's run is written down, so that a run that was killed goes on where it was
// (docs/runs.md, docs/adr/0009-deterministic-replay.md).
//
// A strategy is a deterministic function of its problem, its parameters, its seed, and the order in
// which the answers of Lean and of models arrive. A recorded run writes that order down together
// with the answers; a resumed run executes the strategy again from its beginning, gives it the
// recorded answers in the recorded order without asking anybody, and goes on live where the record
// ends. What a strategy decides on the way (its events) must come out as it was recorded.
//
// For a strategy this means:
// - What it waits for is Lean (the lean::Checker that it is given), models (by way of its
//   policies), a Timebox, or its own coroutines on its own executor. Nothing else.
// - It never looks at the clock: Limits::Ended() says whether time is up. Deadlines are only passed
//   on to what is waited for.
// - What is random comes from its seed; it does not walk containers that are ordered by hash or by
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
inline constexpr std::string_view kSelected = "selected";         // what is expanded next
inline constexpr std::string_view kNodeAdded = "node_added";      // a state that was not known
inline constexpr std::string_view kBackedUp = "backed_up";        // a reward, and to where
inline constexpr std::string_view kLemmaProved = "lemma_proved";  // a part of a proof
inline constexpr std::string_view kProofFound = "proof_found";  // that Lean took; not yet "proved"
inline constexpr std::string_view kGaveUp = "gave_up";          // a search that ended without one
inline constexpr std::string_view kSubgoal = "subgoal";         // a theorem to be proved
inline constexpr std::string_view kSubgoalState = "subgoal_state";    // what became of one
inline constexpr std::string_view kSketch = "sketch";                 // how a theorem is divided
inline constexpr std::string_view kSketchRefused = "sketch_refused";  // and why that failed
inline constexpr std::string_view kRoundBegun = "round_begun";        // a trajectory of an agent
inline constexpr std::string_view kMessage = "message";               // of its conversation
inline constexpr std::string_view kContextCut = "context_cut";        // what it no longer remembers
inline constexpr std::string_view kSketched = "sketched";    // a sketch and what it is worth
inline constexpr std::string_view kBlueprint = "blueprint";  // a lemma of the plan, as it is now
}  // namespace event

/// Rings unless it is destroyed before.
class Alarm {
 public:
  Alarm() = default;
  virtual ~Alarm() = default;
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;
};

/// Something done outside of the strategy whose answer is written down.
struct Act {
  std::string kind;     // of the event that holds the answer: "checked", "generated"
  std::string key;      // the same for the same request, byte for byte, in every execution
  std::string model;    // that is asked; empty: none is
  std::string request;  // JSON, kept with a model's answer
  bool costly = false;  // the answer is made durable before it is told
  /// Fields of an event "<kind>_begun", durable before a costly act begins; null: no event.
  nlohmann::json announced;
  /// Does it. The answer as JSON: results and expected errors alike. Runs on another executor than
  /// the strategy, at most once, and not at all when the answer is known.
  std::function<core::Task<nlohmann::json>()> perform;
  /// Ends it early; may be null. An act that is cancelled before it began is not begun.
  core::Cancellation* cancellation = nullptr;
};

/// Written by one run. All calls on the executor of the strategy.
class Journal {
 public:
  Journal() = default;
  virtual ~Journal() = default;
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// Appends a decision; durable no later than the next act that costs something begins. Costs
  /// microseconds. `fields`: an object, the same in every execution (no times, no addresses).
  virtual void Append(std::string_view kind, nlohmann::json fields) = 0;
  /// Whether events are to hold all that is needed to recompute them.
  virtual bool tracing() const = 0;

  /// The answer of an act, now or from the record. Error kCancelled: it was never begun. Strategies
  /// do not call this: their Checker and their models do.
  virtual core::Task<core::Result<nlohmann::json>> Perform(Act act) = 0;

  /// Calls `ring` on the strategy's executor after so much time of the run, in which the times
  /// before it was interrupted count and those in between do not.
  virtual std::unique_ptr<Alarm> SetAlarm(core::Duration time, std::function<void()> ring) = 0;
  /// Seconds of the run so far. For display: not the same in every execution.
  virtual double elapsed() const = 0;
};

}  // namespace zermelo::strategy
