// What a strategy may use up, and how others look on and stop it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "core/async.h"
#include "core/cancellation.h"
#include "strategy/journal.h"

namespace zermelo::strategy {

struct Limits {
  /// To pass on to what is waited for; never, when a journal keeps the time. Whether it has passed
  /// is not for strategies to ask.
  core::Deadline deadline;
  std::function<bool()> stop = [] { return false; };  // somebody does not want it any more
  /// Requested when it has to end; may be null. Ends what is waited for, too.
  core::Cancellation* cancellation = nullptr;
  /// Of which these are a part; may be null. A proof that is being confirmed when the part's time
  /// has passed has until those end. Must outlive the part; a part of the part has none.
  const Limits* whole = nullptr;
  std::function<void(const std::string&)> trying = [](const auto&) {};  // for progress displays
  Journal* journal = nullptr;                                           // null: nothing is recorded
  bool silent = false;  // decisions are no events: a part of something that tells its own

  /// Time is up or nobody wants the proof any more: end as soon as what is in flight has ended.
  bool Ended() const;
  void Append(std::string_view kind, nlohmann::json fields) const {
    if (journal != nullptr && !silent) journal->Append(kind, std::move(fields));
  }
  bool tracing() const { return journal != nullptr && journal->tracing(); }
};

/// A part of the time: limits that end when it has passed, and when the outer ones end.
class Timebox {
 public:
  /// `outer` and its cancellation must outlive the timebox; `executor` is the strategy's.
  Timebox(const core::Executor& executor, const Limits& outer, core::Duration time);
  ~Timebox();
  Timebox(const Timebox&) = delete;
  Timebox& operator=(const Timebox&) = delete;

  const Limits& limits() const { return limits_; }
  /// It ended because its own time has passed.
  bool timed_out() const { return timed_out_; }

 private:
  core::Cancellation cancellation_;
  Limits limits_;
  bool timed_out_ = false;
  const core::Cancellation::Subscription outer_;
  std::unique_ptr<Alarm> alarm_;
};

/// Limits that whoever holds them can end, and that end when the outer ones do.
class Sublimits {
 public:
  /// `outer` and its cancellation must outlive them.
  explicit Sublimits(const Limits& outer);
  Sublimits(const Sublimits&) = delete;
  Sublimits& operator=(const Sublimits&) = delete;

  const Limits& limits() const { return limits_; }
  /// What is in flight ends soon, and nothing more is begun.
  void End() { cancellation_.Request(); }
  bool ended() const { return limits_.Ended(); }

 private:
  core::Cancellation cancellation_;
  Limits limits_;
  const core::Cancellation::Subscription outer_;
};

}  // namespace zermelo::strategy
