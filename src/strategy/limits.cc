#include "strategy/limits.h"

namespace zermelo::strategy {

namespace {

/// The alarm of runs without a journal.
class TimerAlarm : public record::Alarm {
 public:
  TimerAlarm(const core::Executor& executor, core::Duration time, std::function<void()> ring)
      : guard_(executor, core::Deadline::After(time), std::move(ring)) {}

 private:
  const core::DeadlineGuard guard_;
};

}  // namespace

Limits Within(const Limits& outer, core::Cancellation* cancellation) {
  Limits limits = outer;
  limits.cancellation = cancellation;
  limits.whole = nullptr;
  return limits;
}

core::Task<std::unique_ptr<core::Gate::Pass>> Enter(core::Gate& gate, const Limits& limits) {
  return gate.Enter(limits.deadline, limits.cancellation, [&limits] { return limits.Ended(); });
}

bool Limits::Ended() const {
  if (stop() || (cancellation != nullptr && cancellation->requested())) return true;
  return journal == nullptr && deadline.Passed();
}

Timebox::Timebox(const core::Executor& executor, const Limits& outer, core::Duration time)
    : limits_(Within(outer, &cancellation_)),
      outer_(outer.cancellation, [this] { cancellation_.Request(); }) {
  const auto ring = [this] {
    timed_out_ = true;
    cancellation_.Request();
  };
  if (outer.journal != nullptr) {
    alarm_ = outer.journal->SetAlarm(time, ring);
  } else {
    limits_.deadline = outer.deadline.Earlier(core::Deadline::After(time));
    alarm_ = std::make_unique<TimerAlarm>(executor, time, ring);
  }
}

Timebox::~Timebox() = default;

Sublimits::Sublimits(const Limits& outer)
    : limits_(Within(outer, &cancellation_)),
      outer_(outer.cancellation, [this] { cancellation_.Request(); }) {}

}  // namespace zermelo::strategy
