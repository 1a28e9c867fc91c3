#include "record/run_journal.h"

#include <algorithm>
#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <cassert>
#include <fmt/format.h>

#include "core/json.h"
#include "record/answer_json.h"
#include "record/call_store.h"

namespace zermelo::record {

namespace asio = boost::asio;
using core::Deadline;
using core::ErrorCode;
using core::Fail;
using core::Result;
using core::Status;
using core::Task;
using nlohmann::json;

namespace {

constexpr size_t kReadAhead = 512;  // events
constexpr auto kSlice = std::chrono::milliseconds(50);

// Not written by the work itself.
constexpr std::array kNotReplayed{event::kResumed, event::kRewound, event::kInterrupted,
                                  event::kProved, event::kFailed};

bool IsReplayed(const std::string& kind) {
  return std::find(kNotReplayed.begin(), kNotReplayed.end(), kind) == kNotReplayed.end();
}

// Records of older programs lack these events, on which nothing depends: a replay of such a record
// goes on without them.
constexpr std::array kNewerThanSomeRecords{event::kNodeClosed, event::kSubgoalUsed,
                                           event::kStrategyBegun, event::kProofOrigins};

bool MayBeMissing(std::string_view kind) {
  return std::find(kNewerThanSomeRecords.begin(), kNewerThanSomeRecords.end(), kind) !=
         kNewerThanSomeRecords.end();
}

/// Whether two events of one kind, by the text of the first one's fields, differ only in what they
/// tell people: another version of the program may say it in other words.
bool IsReworded(const std::string& before, json now) {
  json was = FromText(before);
  if (!was.is_object()) return false;
  for (const char* words : {"message", "why"}) {
    was.erase(words);
    now.erase(words);
  }
  return was == now;
}

json Object(json fields) {
  if (fields.is_null()) return json::object();
  return fields;
}

store::Event MakeEvent(std::string_view kind, const json& fields) {
  store::Event event;
  event.kind = std::string(kind);
  event.fields = core::Dump(fields);
  return event;
}

json WithNumber(json fields, uint64_t number) {
  fields = Object(std::move(fields));
  fields["act"] = number;
  return fields;
}

/// The answer in an event; a discarded value if it is missing or unreadable.
json AnswerOf(const store::Event& event) {
  return FromText(event.call ? event.call->reply : event.answer);
}

core::Error Cancelled() {
  return {.code = ErrorCode::kCancelled, .message = "not started: the search has ended"};
}

}  // namespace

/// Removes the alarm when the strategy destroys it.
class RunJournal::AlarmHandle : public Alarm {
 public:
  AlarmHandle(RunJournal& journal, uint64_t number) : journal_(journal), number_(number) {}
  ~AlarmHandle() override { journal_.alarms_.erase(number_); }

 private:
  RunJournal& journal_;
  const uint64_t number_;
};

RunJournal::RunJournal(core::Executor host, RunRecord* record, RunJournalOptions options)
    : host_(std::move(host)),
      record_(record),
      options_(std::move(options)),
      work_signal_(host_),
      calls_(host_) {}

RunJournal::~RunJournal() = default;

Task<Status> RunJournal::Run(Task<void> work) {
  if (auto opened = OpenRecord(); !opened) co_return Fail(opened.error());
  asio::co_spawn(steps_, std::move(work), [this](const std::exception_ptr& failure) {
    work_ended_ = true;
    work_failure_ = failure;
    work_signal_.Notify();
  });
  Pump();
  while (!work_ended_) co_await work_signal_.Wait(Deadline());
  co_await calls_.Join();
  if (work_failure_) std::rethrow_exception(work_failure_);
  if (const store::Event* more = replaying() ? Peek() : nullptr; more != nullptr) {
    Diverge(fmt::format("the search ends here, but the record continues with `{}`", more->kind));
  }
  if (replaying()) GoLive();
  static_cast<void>(Flush());  // errors go to on_lost_record
  if (failure_) co_return Fail(*failure_);
  co_return Status();
}

void RunJournal::Interrupt() {
  if (interrupted_) return;
  StopRecording();
  EndWork();
  PumpSoon();
}

/// Writes what is buffered; from now on nothing that the work does is recorded.
void RunJournal::StopRecording() {
  if (replaying()) {
    used_ = nullptr;  // the replayed part is less than what the record says
    GoLive();
  }
  static_cast<void>(Flush());
  if (record_phase_ == RecordPhase::kWriting) MoveTo(RecordPhase::kStopped);
}

/// Cancels in a step of its own, so that no strategy is called back in the middle of a step.
void RunJournal::EndWork() {
  interrupted_ = true;
  asio::post(steps_, [this] { cancellation_.Request(); });
}

void RunJournal::Diverge(const std::string& what) {
  if (failure_) return;
  failure_ = core::Error{
      .code = ErrorCode::kInput,
      .message = "the run cannot be resumed: " + what,
      .hint = "resuming needs the same Zermelo, configuration and prompts; start a new run"};
  GoLive();
  EndWork();
}

// Steps.

/// Runs steps until the next one needs an arrival; yields to other handlers after each time slice.
void RunJournal::Pump() {
  if (pumping_ || work_ended_) return;
  pumping_ = true;
  const Deadline slice = Deadline::After(kSlice);
  bool more = true;
  while (more && !slice.Passed()) more = Advance();
  pumping_ = false;
  if (more) PumpSoon();
}

void RunJournal::PumpSoon() {
  asio::post(host_, [this, alive = std::weak_ptr<bool>(alive_)] {
    if (!alive.expired()) Pump();
  });
}

/// Runs one step and delivers what triggers the next one. False if that has not arrived yet.
bool RunJournal::Advance() {
  steps_.restart();
  steps_.poll();
  if (work_ended_) return false;
  if (replaying()) {
    const store::Event* const next = Peek();
    if (next == nullptr) {
      GoLive();
    } else {
      return ReplayNext(*next);
    }
  }
  BeginWaiting();
  if (arrivals_.empty()) return false;
  DeliverNext();
  return true;
}

bool RunJournal::ReplayNext(const store::Event& event) {
  const json fields = core::JsonOrDiscarded(event.fields);
  if (!fields.is_object() || !fields.contains("act") || !fields["act"].is_number_unsigned()) {
    Diverge(
        fmt::format("event {} was `{}`, but the search now does nothing", event.seq, event.kind));
    return true;
  }
  const uint64_t number = fields["act"].get<uint64_t>();
  const int64_t seq = event.seq;
  if (event.kind == event::kAlarm) {
    Consume();
    if (!Ring(number)) Diverge(fmt::format("event {} is an alarm that was not set", seq));
    return true;
  }
  const auto found = pending_.find(number);
  const bool begun = fields.value("begun", true);
  if (found == pending_.end() || found->second->call.kind != event.kind ||
      (begun && found->second->call.key != fields.value("key", ""))) {
    Diverge(fmt::format("event {} answers a request that the search no longer makes ({} {})", seq,
                        event.kind, fields.value("key", "")));
    return true;
  }
  json answer = begun ? AnswerOf(event) : json();
  if (answer.is_discarded()) {
    Diverge(fmt::format("event {} cannot be read", seq));
    return true;
  }
  Consume();
  std::erase(waiting_, number);
  if (begun) {
    NoteOutage(seq, number, found->second->call, answer);
    Deliver(number, std::move(answer));
  } else {
    Deliver(number, Fail(Cancelled()));
  }
  return true;
}

void RunJournal::DeliverNext() {
  Arrival arrival = std::move(arrivals_.front());
  arrivals_.pop_front();
  if (arrival.kind == Arrival::Kind::kAlarm) {
    if (!alarms_.contains(arrival.number)) return;  // destroyed meanwhile
    Buffer(MakeEvent(event::kAlarm, {{"act", arrival.number}}));
    Ring(arrival.number);
    return;
  }
  const ExternalCall& call = pending_.at(arrival.number)->call;
  if (arrival.kind == Arrival::Kind::kNotBegun) {
    Buffer(MakeEvent(call.kind, {{"act", arrival.number}, {"begun", false}}));
    Deliver(arrival.number, Fail(Cancelled()));
    return;
  }
  store::Event event = MakeEvent(call.kind, {{"act", arrival.number}, {"key", call.key}});
  if (call.model.empty()) {
    event.answer = TextOf(arrival.answer);
  } else {
    event.call = MakeRow(call, 0, arrival.answer);
  }
  NoteOutage(next_seq_, arrival.number, call, arrival.answer);
  Buffer(std::move(event));
  if (call.costly) static_cast<void>(Flush());  // errors go to on_lost_record
  Deliver(arrival.number, std::move(arrival.answer));
}

void RunJournal::Deliver(uint64_t number, Answer answer) {
  const auto found = pending_.find(number);
  const auto pending = std::move(found->second);
  pending_.erase(found);
  pending->answer.Set(std::move(answer));
}

bool RunJournal::Ring(uint64_t number) {
  const auto found = alarms_.find(number);
  if (found == alarms_.end()) return false;
  const auto ring = std::move(found->second.ring);
  alarms_.erase(found);
  asio::post(steps_, ring);
  return true;
}

// The record.

Status RunJournal::OpenRecord() {
  live_since_ = core::Clock::now();
  if (record_ == nullptr) return {};
  const auto count = record_->Count();
  if (!count) return Fail(count.error());
  const auto seconds = record_->Seconds();
  if (!seconds) return Fail(seconds.error());
  const auto marks =
      record_->Read(0, static_cast<size_t>(*count),
                    {std::string(event::kRewound), std::string(event::kSearchEnded)});
  if (!marks) return Fail(marks.error());
  next_seq_ = *count;
  seconds_before_ = *seconds;
  for (const store::Event& mark : *marks) {
    if (mark.kind != event::kRewound) continue;
    const json fields = core::JsonOrDiscarded(mark.fields);
    rewound_.emplace_back(fields.value("to", mark.seq), mark.seq);
  }
  replay_end_ = *count;
  for (const store::Event& mark : *marks) {
    if (mark.kind != event::kSearchEnded) continue;
    replay_end_ = mark.seq;
    break;
  }
  MoveTo(*count > 0 ? RecordPhase::kReplaying : RecordPhase::kWriting);
  return {};
}

void RunJournal::MoveTo(RecordPhase next) {
  assert(next > record_phase_);
  record_phase_ = next;
}

/// The next event to replay; null if there is none.
const store::Event* RunJournal::Peek() {
  while (true) {
    if (read_ahead_.empty()) {
      const int64_t left = replay_end_ - read_from_;
      if (left <= 0) return nullptr;
      auto events = record_->Read(read_from_, std::min<size_t>(kReadAhead, left), {});
      if (!events || events->empty()) {
        failure_ = events ? core::Error{ErrorCode::kInput, "the record of the run has gaps"}
                          : events.error();
        replay_end_ = read_from_;
        EndWork();
        return nullptr;
      }
      read_from_ = events->back().seq + 1;
      std::move(events->begin(), events->end(), std::back_inserter(read_ahead_));
    }
    const store::Event& next = read_ahead_.front();
    const bool skipped = std::any_of(rewound_.begin(), rewound_.end(), [&](const auto& r) {
      return next.seq >= r.first && next.seq < r.second;
    });
    if (!skipped && next.seq < replay_end_ && IsReplayed(next.kind)) return &next;
    read_ahead_.pop_front();
  }
}

void RunJournal::Consume() {
  replayed_seconds_ = read_ahead_.front().at;
  read_ahead_.pop_front();
  ++replayed_;
}

void RunJournal::GoLive() {
  MoveTo(failure_ ? RecordPhase::kLost : RecordPhase::kWriting);
  read_ahead_.clear();
  live_since_ = core::Clock::now();
  Buffer(MakeEvent(event::kResumed, json{{"replayed", replayed_}}));
  for (auto& [number, alarm] : alarms_) StartTimer(number, alarm);
}

void RunJournal::Append(std::string_view kind, json fields) {
  fields = Object(std::move(fields));
  if (replaying()) {
    const store::Event* const next = Peek();
    if (next != nullptr) {
      const std::string text = core::Dump(fields);
      if (next->kind == kind && (next->fields == text || IsReworded(next->fields, fields))) {
        return Consume();
      }
      if (next->kind != kind && MayBeMissing(kind)) return;
      return Diverge(fmt::format("event {} was `{}` {}, but is now `{}` {}", next->seq, next->kind,
                                 next->fields, kind, text));
    }
    GoLive();
  }
  Buffer(MakeEvent(kind, fields));
}

void RunJournal::Buffer(store::Event event) {
  if (record_phase_ != RecordPhase::kWriting && record_phase_ != RecordPhase::kAfterwards) return;
  event.seq = next_seq_++;
  event.at = elapsed();
  buffer_.push_back(std::move(event));
  if (buffer_.size() >= options_.max_buffered) {
    static_cast<void>(Flush());  // errors go to on_lost_record
  } else if (!flush_timer_) {
    flush_timer_ = std::make_unique<core::DeadlineGuard>(host_, Deadline::After(options_.max_delay),
                                                         [this] { static_cast<void>(Flush()); });
  }
}

Status RunJournal::Flush() {
  flush_timer_.reset();
  if (buffer_.empty()) return {};
  auto written = record_->Append(buffer_, elapsed(), used_ ? core::Dump(used_()) : "");
  buffer_.clear();
  if (written) return {};
  MoveTo(RecordPhase::kLost);
  if (options_.on_lost_record) {
    asio::post(host_, [this, alive = std::weak_ptr<bool>(alive_), error = written.error()] {
      if (!alive.expired()) options_.on_lost_record(error);
    });
  }
  return written;
}

Status RunJournal::AppendAfterwards(std::string_view kind, json fields) {
  if (record_ == nullptr || record_phase_ == RecordPhase::kLost) return {};
  const bool idle =
      record_phase_ == RecordPhase::kUnopened || record_phase_ == RecordPhase::kStopped;
  if (idle) MoveTo(RecordPhase::kAfterwards);
  Buffer(MakeEvent(kind, Object(std::move(fields))));
  return Flush();
}

/// A successful answer to a request begun after the error clears the error.
void RunJournal::NoteOutage(int64_t seq, uint64_t number, const ExternalCall& call,
                            const json& answer) {
  const Service service(call.kind, call.model);
  const auto error = ErrorIn(answer);
  if (error && (error->code == ErrorCode::kEnvironment || error->code == ErrorCode::kUsage ||
                error->code == ErrorCode::kRefused)) {
    outages_[service].try_emplace(error->message, Outage{seq, next_number_});
    return;
  }
  const auto known = outages_.find(service);
  if (known == outages_.end()) return;
  std::erase_if(known->second, [&](const auto& entry) { return number >= entry.second.begun; });
}

void RunJournal::RewindBefore(const core::Error& error) {
  std::optional<int64_t> to;
  for (const auto& [service, outages] : outages_) {
    const auto found = outages.find(error.message);
    if (found == outages.end()) continue;
    to = std::min(to.value_or(found->second.seq), found->second.seq);
  }
  if (!to) return;
  static_cast<void>(AppendAfterwards(event::kRewound, json{{"to", *to}}));
}

// Calls and alarms.

Task<Result<json>> RunJournal::Perform(ExternalCall call) {
  const uint64_t number = next_number_++;
  if (!call.announced.is_null()) {
    Append(call.kind + "_begun", WithNumber(std::move(call.announced), number));
  }
  const auto pending = std::make_shared<Pending>(std::move(call), executor());
  pending_.emplace(number, pending);
  waiting_.push_back(number);
  auto answer = co_await pending->answer.Wait(Deadline());
  co_return std::move(*answer);
}

/// Costly calls begin only after their announcements are durable.
void RunJournal::BeginWaiting() {
  if (waiting_.empty()) return;
  const auto waiting = std::exchange(waiting_, {});
  const bool costly = std::any_of(waiting.begin(), waiting.end(), [&](uint64_t number) {
    return pending_.at(number)->call.costly;
  });
  if (costly) static_cast<void>(Flush());  // errors go to on_lost_record
  for (const uint64_t number : waiting) {
    const auto& pending = pending_.at(number);
    const core::Cancellation* const cancellation = pending->call.cancellation;
    if (interrupted_ || (cancellation != nullptr && cancellation->requested())) {
      arrivals_.push_back({.kind = Arrival::Kind::kNotBegun, .number = number, .answer = {}});
    } else {
      calls_.Spawn(PerformOnHost(number, pending));
    }
  }
}

Task<void> RunJournal::PerformOnHost(uint64_t number, std::shared_ptr<Pending> pending) {
  Arrival arrival;
  arrival.number = number;
  try {
    arrival.answer = co_await pending->call.perform();
  } catch (const std::exception& e) {  // a bug: end the work and the record
    failure_ = core::Error{ErrorCode::kInternal, e.what(), ""};
    arrival.kind = Arrival::Kind::kNotBegun;
    StopRecording();
    EndWork();
  }
  Arrive(std::move(arrival));
}

void RunJournal::Arrive(Arrival arrival) {
  arrivals_.push_back(std::move(arrival));
  Pump();
}

std::unique_ptr<Alarm> RunJournal::SetAlarm(core::Duration time, std::function<void()> ring) {
  const uint64_t number = next_number_++;
  ArmedAlarm& alarm = alarms_[number];
  alarm.ring = std::move(ring);
  alarm.at = elapsed() + core::Seconds(time);
  if (!replaying()) StartTimer(number, alarm);
  return std::make_unique<AlarmHandle>(*this, number);
}

void RunJournal::StartTimer(uint64_t number, ArmedAlarm& alarm) {
  const double left = std::max(0.0, alarm.at - elapsed());
  alarm.timer = std::make_unique<core::DeadlineGuard>(
      host_, Deadline::After(core::FromSeconds(left)),
      [this, number] { Arrive({.kind = Arrival::Kind::kAlarm, .number = number, .answer = {}}); });
}

double RunJournal::elapsed() const {
  if (replaying()) return replayed_seconds_;
  return seconds_before_ + core::Seconds(core::Clock::now() - live_since_);
}

}  // namespace zermelo::record
