// The limits of a strategy's run, and the hooks to observe and stop it.
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "core/async.h"
#include "core/cancellation.h"
#include "core/gate.h"
#include "record/journal.h"
#include "strategy/use.h"

namespace zermelo::strategy {

namespace event = record::event;

struct Limits {
  /// Passed on to the calls that a strategy awaits; never passes if a journal keeps the time.
  /// Strategies must not check it: they call Ended().
  core::Deadline deadline;
  std::function<bool()> stop = [] { return false; };  // true: the run is to stop
  /// Requested when the run has to end; also ends the calls it awaits. May be null.
  core::Cancellation* cancellation = nullptr;
  /// The limits that these are a part of; may be null. A proof that is being confirmed when the
  /// part's time has passed may use the time of the whole. Must outlive the part. Not inherited by
  /// parts of the part.
  const Limits* whole = nullptr;
  std::function<void(const std::string&)> trying = [](const auto&) {};  // for progress displays
  record::Journal* journal = nullptr;                                   // null: nothing is recorded
  bool silent = false;  // appends no events: the caller records its own
  /// What is used within these limits and their parts is also added here. May be null; must outlive
  /// the calls.
  Use* use = nullptr;

  /// Time is up or the run was stopped: end as soon as the work in progress has ended.
  bool Ended() const;
  bool records() const { return journal != nullptr && !silent; }
  void Append(std::string_view kind, nlohmann::json fields) const {
    if (records()) journal->Append(kind, std::move(fields));
  }
  /// `fields`: makes them; not called if nothing is recorded.
  template <std::invocable Fields>
  void Append(std::string_view kind, const Fields& fields) const {
    if (records()) journal->Append(kind, fields());
  }
  bool tracing() const { return journal != nullptr && journal->tracing(); }
  bool records_tactics() const { return journal != nullptr && journal->records_tactics(); }
};

/// `outer` with another cancellation, which must be requested when that of `outer` is; used for the
/// children of a group.
Limits Within(const Limits& outer, core::Cancellation* cancellation);

/// Waits for a place; null if the limits, which must outlive the wait, end first.
core::Task<std::unique_ptr<core::Gate::Pass>> Enter(core::Gate& gate, const Limits& limits);

/// Limits that end after a given time, or when the outer limits end.
class Timebox {
 public:
  /// `outer` and its cancellation must outlive the timebox; `executor` is the strategy's.
  Timebox(const core::Executor& executor, const Limits& outer, core::Duration time);
  ~Timebox();
  Timebox(const Timebox&) = delete;
  Timebox& operator=(const Timebox&) = delete;

  const Limits& limits() const { return limits_; }
  /// Whether its own time has passed.
  bool timed_out() const { return timed_out_; }

 private:
  core::Cancellation cancellation_;
  Limits limits_;
  bool timed_out_ = false;
  const core::Cancellation::Subscription outer_;
  std::unique_ptr<record::Alarm> alarm_;
};

/// Limits that can be ended on their own, and that end when the outer limits end.
class Sublimits {
 public:
  /// `outer` and its cancellation must outlive this object.
  explicit Sublimits(const Limits& outer);
  Sublimits(const Sublimits&) = delete;
  Sublimits& operator=(const Sublimits&) = delete;

  const Limits& limits() const { return limits_; }
  /// Cancels the work in progress; no more work is started.
  void End() { cancellation_.Request(); }
  bool ended() const { return limits_.Ended(); }

 private:
  core::Cancellation cancellation_;
  Limits limits_;
  const core::Cancellation::Subscription outer_;
};

}  // namespace zermelo::strategy
