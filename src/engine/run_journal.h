// Records a run and resumes it (strategy/journal.h states the rules for strategies;
// docs/adr/0009-deterministic-replay.md gives the reasons for the design).
//
// The work has an io_context of its own, which only the journal runs, each time until no handler is
// ready: that is a step. A step is triggered by one answer, one alarm or the start and depends on
// nothing else, so recording the order of the answers is enough to reproduce the run.
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

/// Kinds of events: those that the engine writes, and those of strategies.
namespace event {
inline constexpr std::string_view kAlarm = "alarm";      // a Timebox expired
inline constexpr std::string_view kRewound = "rewound";  // events from `to` on are not replayed
inline constexpr std::string_view kResumed = "resumed";
inline constexpr std::string_view kInterrupted = "interrupted";
inline constexpr std::string_view kSearchEnded = "search_ended";  // what follows is not replayed
inline constexpr std::string_view kTheoremBegun = "theorem_begun";
inline constexpr std::string_view kTheoremEnded = "theorem_ended";  // what the search found
inline constexpr std::string_view kProved = "proved";  // acceptance accepted a theorem's proof
inline constexpr std::string_view kFailed = "failed";  // there is no proof, or it was rejected
inline constexpr std::string_view kGenerationBegun = "generated_begun";
inline constexpr std::string_view kGenerated = "generated";  // a model's answer
inline constexpr std::string_view kChecked = "checked";      // Lean's answer
inline constexpr std::string_view kRetrieved = "retrieved";  // premises found in the library
inline constexpr std::string_view kComputed = "computed";    // output of a model's program
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
  size_t max_buffered = 256;                                  // events; then they are written
  core::Duration max_delay = std::chrono::milliseconds(100);  // until an event is written
  /// Called once, on the host executor, when the record can no longer be written. The run continues
  /// without a record.
  std::function<void(const core::Error&)> on_lost_record;
};

/// Serves one run of one work. All calls on the thread of the host executor.
class RunJournal : public strategy::Journal {
 public:
  /// `world`: the host executor, which performs acts. `record`: null to record nothing. Both must
  /// outlive the journal.
  RunJournal(core::Executor world, RunRecord* record, RunJournalOptions options);
  ~RunJournal() override;

  /// The executor of the work; the policies and models that it calls must use it, too.
  core::Executor executor() { return steps_.get_executor(); }
  /// Limits for the work: no deadline, and a cancellation that Interrupt requests.
  strategy::Limits limits();

  /// Runs the work to its end: replays the record, then continues live. Returns after every act
  /// that it started has ended. Errors: the record cannot be read; kInput: the work diverged from
  /// the record. Both end the work as Interrupt does.
  core::Task<core::Status> Run(core::Task<void> work);

  /// Ends the record here and cancels the work; a resumed run continues from here.
  void Interrupt();
  bool interrupted() const { return interrupted_; }
  /// Call it when the work ended with `error`. If an answer from outside caused it (no Lean, no
  /// server, a wrong key), a resumed run repeats that request instead of replaying the answer.
  void RewindBefore(const core::Error& error);

  /// Appends an event of what follows the search; it is not replayed. Durable on return.
  core::Status AppendAfterwards(std::string_view kind, nlohmann::json fields);

  /// Number of events replayed from the record.
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
  /// An answer that was an environment or usage error. `begun`: the next number when it arrived.
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
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // for posted handlers

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
  std::vector<uint64_t> waiting_;  // the pending acts that have not begun
  std::map<uint64_t, Ringer> ringers_;
  std::deque<Arrival> arrivals_;
  core::TaskGroup acts_;

  // The record: events still to replay, and events not yet written.
  bool replaying_ = false;
  bool recording_ = false;
  bool lost_ = false;  // the record can no longer be written
  uint64_t replayed_ = 0;
  int64_t read_from_ = 0;  // number of the next event that Peek reads
  int64_t replay_end_ = 0;
  std::vector<std::pair<int64_t, int64_t>> rewound_;  // ranges [first, last) to skip
  std::deque<store::Event> read_ahead_;
  int64_t next_seq_ = 0;
  std::vector<store::Event> buffer_;
  std::unique_ptr<core::DeadlineGuard> flush_timer_;
  using Asked = std::pair<std::string, std::string>;  // an act's kind and model
  std::map<Asked, Trouble> troubles_;                 // erased when a later request succeeds
  std::optional<core::Error> failure_;

  // Time spent on the work.
  double replayed_seconds_ = 0;
  double seconds_before_ = 0;  // before it went live
  core::Clock::time_point live_since_;
};

}  // namespace zermelo::engine
