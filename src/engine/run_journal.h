// Records a run and resumes it (strategy/journal.h says what that asks of strategies;
// docs/adr/0009-deterministic-replay.md why it is done like this).
//
// The work has an io_context of its own, which is run only here and only until nothing in it is
// ready: that is a step. A step begins with one answer, one alarm or the start, so what happens in
// a step depends on nothing else, and the order of the answers is all that has to be written down.
#pragma once

#include <array>
#include <boost/asio/io_context.hpp>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/cancellation.h"
#include "engine/run_record.h"
#include "strategy/limits.h"

namespace zermelo::engine {

/// Kinds of events that the engine writes itself.
namespace event {
inline constexpr std::string_view kAlarm = "alarm";      // a Timebox ended
inline constexpr std::string_view kRewound = "rewound";  // events from `to` on are not replayed
inline constexpr std::string_view kResumed = "resumed";
inline constexpr std::string_view kInterrupted = "interrupted";
inline constexpr std::string_view kSearchEnded = "search_ended";  // what follows is not replayed
inline constexpr std::string_view kTheoremBegun = "theorem_begun";
inline constexpr std::string_view kTheoremEnded = "theorem_ended";  // what the search found
inline constexpr std::string_view kProved = "proved";  // acceptance took the proof of a theorem
inline constexpr std::string_view kFailed = "failed";  // there is no proof, or it was refused
inline constexpr std::string_view kGenerationBegun = "generated_begun";
inline constexpr std::string_view kGenerated = "generated";  // what a model answered
inline constexpr std::string_view kChecked = "checked";      // what Lean said
inline constexpr std::string_view kRetrieved = "retrieved";  // what was found in the library
inline constexpr std::string_view kComputed = "computed";    // what a model's program printed
using strategy::event::kBackedUp;
using strategy::event::kBlueprint;
using strategy::event::kContextCut;
using strategy::event::kGaveUp;
using strategy::event::kLemmaProved;
using strategy::event::kMessage;
using strategy::event::kNodeAdded;
using strategy::event::kProofFound;
using strategy::event::kRoundBegun;
using strategy::event::kSelected;
using strategy::event::kSketch;
using strategy::event::kSketched;
using strategy::event::kSketchRefused;
using strategy::event::kSubgoal;
using strategy::event::kSubgoalState;
inline constexpr std::array kAll{
    kSelected,  kNodeAdded,       kBackedUp,     kLemmaProved, kProofFound,   kGaveUp,
    kGenerated, kGenerationBegun, kChecked,      kAlarm,       kTheoremBegun, kTheoremEnded,
    kProved,    kFailed,          kSearchEnded,  kInterrupted, kResumed,      kRewound,
    kComputed,  kRetrieved,       kRoundBegun,   kMessage,     kContextCut,   kSketched,
    kBlueprint, kSubgoal,         kSubgoalState, kSketch,      kSketchRefused};
}  // namespace event

struct RunJournalOptions {
  bool tracing = false;
  size_t max_buffered = 256;                                  // events; more are written at once
  core::Duration max_delay = std::chrono::milliseconds(100);  // until an event is written
  /// Called once, on the world's executor, when the record can no longer be written. The run goes
  /// on without one.
  std::function<void(const core::Error&)> on_lost_record;
};

/// Made for one run of one work. All calls on the world's thread.
class RunJournal : public strategy::Journal {
 public:
  /// `world`: where acts are performed. `record` may be null: nothing is kept. Both must outlive
  /// it.
  RunJournal(core::Executor world, RunRecord* record, RunJournalOptions options);
  ~RunJournal() override;

  /// Where the work runs; its policies and models must live there, too.
  core::Executor executor() { return steps_.get_executor(); }
  /// For a work: no deadline, and a cancellation that Interrupt requests.
  strategy::Limits limits();

  /// Runs the work to its end: what the record holds again, the rest for the first time. Returns
  /// after all it started has ended. Errors: the record cannot be read; kInput: the work did
  /// something else than the record says (both end the work as Interrupt does).
  core::Task<core::Status> Run(core::Task<void> work);

  /// The record ends here, and the work shall end soon; a resumed run goes on from here.
  void Interrupt();
  bool interrupted() const { return interrupted_; }
  /// When the work ended with `error` and an answer brought it from outside (no Lean, no server, a
  /// wrong key): a resumed run is to ask that again, and not to replay it.
  void RewindBefore(const core::Error& error);

  /// Events that are not replayed, of what follows the search. Durable when this returns.
  core::Status AppendAfterwards(std::string_view kind, nlohmann::json fields);

  /// Events that were replayed instead of made.
  uint64_t replayed() const { return replayed_; }
  bool replaying() const { return replaying_; }

  // strategy::Journal
  void Append(std::string_view kind, nlohmann::json fields) override;
  bool tracing() const override { return options_.tracing; }
  core::Task<core::Result<nlohmann::json>> Perform(strategy::Act act) override;
  std::unique_ptr<strategy::Alarm> SetAlarm(core::Duration time,
                                            std::function<void()> ring) override;
  double elapsed() const override;

 private:
  using Answer = core::Result<nlohmann::json>;
  struct Pending {
    Pending(strategy::Act a, const core::Executor& executor)
        : act(std::move(a)), answer(executor) {}
    strategy::Act act;
    core::OneShot<Answer> answer;
  };
  struct Ringer {
    std::function<void()> ring;
    double at = 0;                               // of elapsed()
    std::unique_ptr<core::DeadlineGuard> timer;  // once live
  };
  struct Arrival {
    enum class Kind { kAnswer, kNotBegun, kAlarm };
    Kind kind = Kind::kAnswer;
    uint64_t number = 0;
    nlohmann::json answer;
  };
  /// An answer that was an error of the environment, and what was begun until it came.
  struct Trouble {
    int64_t seq = 0;
    std::string message;
    uint64_t begun = 0;
  };
  class SetRinger;

  void Pump();
  void PumpSoon();
  bool Advance();
  bool ReplayNext(const store::Event& event);
  void DeliverNext();
  bool Deliver(uint64_t number, Answer answer);
  bool Ring(uint64_t number);

  core::Status OpenRecord();
  const store::Event* Peek();
  void Consume();
  void GoLive();
  void StopRecording();
  void EndWork();
  void Diverge(const std::string& what);

  void BeginWaiting();
  core::Task<void> PerformInWorld(uint64_t number, std::shared_ptr<Pending> pending);
  void StartTimer(uint64_t number, Ringer& ringer);
  void Arrive(Arrival arrival);

  void Buffer(store::Event event);
  core::Status Flush();
  void NoteTrouble(int64_t seq, uint64_t number, const strategy::Act& act,
                   const nlohmann::json& answer);

  const core::Executor world_;
  RunRecord* const record_;
  const RunJournalOptions options_;
  boost::asio::io_context steps_;
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // for what is posted

  // The work.
  bool work_ended_ = false;
  std::exception_ptr work_failure_;
  core::Signal work_signal_;
  core::Cancellation cancellation_;
  bool interrupted_ = false;
  bool pumping_ = false;

  // Acts and alarms, numbered in the order in which the work starts them.
  uint64_t next_number_ = 0;
  std::map<uint64_t, std::shared_ptr<Pending>> pending_;
  std::vector<uint64_t> waiting_;  // of pending_: not begun
  std::map<uint64_t, Ringer> ringers_;
  std::deque<Arrival> arrivals_;
  core::TaskGroup acts_;

  // The record: what is left to be replayed, and what is not yet written.
  bool replaying_ = false;
  bool recording_ = false;
  bool lost_ = false;  // the record can no longer be written
  uint64_t replayed_ = 0;
  int64_t read_from_ = 0;  // the next that Peek reads
  int64_t replay_end_ = 0;
  std::vector<std::pair<int64_t, int64_t>> rewound_;  // [first, last) that are skipped
  std::deque<store::Event> read_ahead_;
  int64_t next_seq_ = 0;
  std::vector<store::Event> buffer_;
  std::unique_ptr<core::DeadlineGuard> flush_timer_;
  using Asked = std::pair<std::string, std::string>;  // an act's kind and model
  std::map<Asked, Trouble> troubles_;                 // forgotten when they are over
  std::optional<core::Error> failure_;

  // Time of work.
  double replayed_seconds_ = 0;
  double seconds_before_ = 0;  // when it went live
  core::Clock::time_point live_since_;
};

}  // namespace zermelo::engine
