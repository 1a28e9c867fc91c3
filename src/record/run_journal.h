// Records a run and resumes it (journal.h states the rules for strategies;
// docs/adr/0009-deterministic-replay.md gives the reasons for the design).
//
// The work has an io_context of its own, which only the journal runs, each time until no handler is
// ready: that is a step. A step is triggered by one answer, one alarm or the start and depends on
// nothing else, so recording the order of the answers is enough to reproduce the run.
#pragma once

#include <boost/asio/io_context.hpp>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/cancellation.h"
#include "record/journal.h"
#include "record/run_record.h"

namespace zermelo::record {

struct RunJournalOptions {
  bool tracing = false;
  bool records_tactics = false;
  size_t max_buffered = 256;                                  // events; then they are written
  core::Duration max_delay = std::chrono::milliseconds(100);  // until an event is written
  /// Called once, on the host executor, when the record can no longer be written. The run continues
  /// without a record.
  std::function<void(const core::Error&)> on_lost_record;
};

/// Serves one run of one work. Its record only moves from left to right, and may skip phases:
///
///     unopened ──► replaying ──► writing ──► stopped ──► afterwards ──► lost
///
/// A new run writes at once; a resumed one replays what is recorded, then writes. Interrupt stops
/// the record; what AppendAfterwards adds is written nevertheless. It is lost when it cannot be
/// written or read any more, or when the work diverges from it. All calls on the thread of the host
/// executor.
class RunJournal : public Journal {
 public:
  /// `host`: the executor that performs calls. `record`: null to record nothing. Both must outlive
  /// the journal.
  RunJournal(core::Executor host, RunRecord* record, RunJournalOptions options);
  ~RunJournal() override;

  /// The executor of the work; the policies and models that it calls must use it, too.
  core::Executor executor() { return steps_.get_executor(); }
  /// The cancellation of the work; Interrupt requests it.
  core::Cancellation& cancellation() { return cancellation_; }

  /// Runs the work to its end: replays the record, then continues live. Returns after every call
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

  /// Whenever events are written, what `used` returns is written with them: what the work has used
  /// so far, replayed parts included. Null: nothing is.
  void ReportUse(std::function<nlohmann::json()> used) { used_ = std::move(used); }
  /// False, too, if the record was not replayed to its end: what was written before is more.
  bool reports_use() const { return used_ != nullptr; }

  /// Number of events replayed from the record.
  uint64_t replayed() const { return replayed_; }
  bool replaying() const { return record_phase_ == RecordPhase::kReplaying; }
  /// Something is not recorded; on_lost_record is told why, perhaps later.
  bool lost() const { return record_phase_ == RecordPhase::kLost; }

  // Journal
  void Append(std::string_view kind, nlohmann::json fields) override;
  bool tracing() const override { return options_.tracing; }
  bool records_tactics() const override { return options_.records_tactics; }
  core::Task<core::Result<nlohmann::json>> Perform(ExternalCall call) override;
  bool performs_elsewhere() const override { return true; }
  std::unique_ptr<Alarm> SetAlarm(core::Duration time, std::function<void()> ring) override;
  double elapsed() const override;

 private:
  enum class RecordPhase { kUnopened, kReplaying, kWriting, kStopped, kAfterwards, kLost };
  using Answer = core::Result<nlohmann::json>;
  struct Pending {
    Pending(ExternalCall c, const core::Executor& executor)
        : call(std::move(c)), answer(executor) {}
    ExternalCall call;
    core::OneShot<Answer> answer;
  };
  struct ArmedAlarm {
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
  struct Outage {
    int64_t seq = 0;
    uint64_t begun = 0;
  };
  class AlarmHandle;

  void Pump();
  void PumpSoon();
  bool Advance();
  bool ReplayNext(const store::Event& event);
  void DeliverNext();
  void Deliver(uint64_t number, Answer answer);
  bool Ring(uint64_t number);

  core::Status OpenRecord();
  void MoveTo(RecordPhase next);
  const store::Event* Peek();
  void Consume();
  void GoLive();
  void StopRecording();
  void EndWork();
  void Diverge(const std::string& what);

  void BeginWaiting();
  core::Task<void> PerformOnHost(uint64_t number, std::shared_ptr<Pending> pending);
  void StartTimer(uint64_t number, ArmedAlarm& alarm);
  void Arrive(Arrival arrival);

  void Buffer(store::Event event);
  core::Status Flush();
  void NoteOutage(int64_t seq, uint64_t number, const ExternalCall& call,
                  const nlohmann::json& answer);

  const core::Executor host_;
  RunRecord* const record_;
  const RunJournalOptions options_;
  std::function<nlohmann::json()> used_;
  boost::asio::io_context steps_;
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // for posted handlers

  // The work.
  bool work_ended_ = false;
  std::exception_ptr work_failure_;
  core::Signal work_signal_;
  core::Cancellation cancellation_;
  bool interrupted_ = false;
  bool pumping_ = false;

  // Calls and alarms, numbered in the order in which the work starts them.
  uint64_t next_number_ = 0;
  std::map<uint64_t, std::shared_ptr<Pending>> pending_;
  std::vector<uint64_t> waiting_;  // the pending calls that have not begun
  std::map<uint64_t, ArmedAlarm> alarms_;
  std::deque<Arrival> arrivals_;
  core::TaskGroup calls_;

  // The record: events still to replay, and events not yet written.
  RecordPhase record_phase_ = RecordPhase::kUnopened;
  uint64_t replayed_ = 0;
  int64_t read_from_ = 0;  // number of the next event that Peek reads
  int64_t replay_end_ = 0;
  std::vector<std::pair<int64_t, int64_t>> rewound_;  // ranges [first, last) to skip
  std::deque<store::Event> read_ahead_;
  int64_t next_seq_ = 0;
  std::vector<store::Event> buffer_;
  std::unique_ptr<core::DeadlineGuard> flush_timer_;
  using Service = std::pair<std::string, std::string>;  // a call's kind and model
  // By service and message; a service's are erased when a later request succeeds.
  std::map<Service, std::map<std::string, Outage>> outages_;
  std::optional<core::Error> failure_;

  // Time spent on the work.
  double replayed_seconds_ = 0;
  double seconds_before_ = 0;  // before it went live
  core::Clock::time_point live_since_;
};

}  // namespace zermelo::record
