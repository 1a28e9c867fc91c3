// Hilbert's task groups (core/task_race.h), with a limit on how many children run at once.
#pragma once

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "core/gate.h"
#include "core/task_race.h"
#include "strategy/limits.h"

namespace zermelo::strategy {

/// As core::TaskRace; a child whose limits end before it has its turn is not started and fails with
/// kCancelled, which decides nothing.
template <class T>
class LimitedRace {
 public:
  using Result = core::Result<T>;
  using Child = std::function<core::Task<Result>(const Limits& own)>;

  /// `limits` must outlive the group.
  LimitedRace(const core::Executor& executor, core::JoinPolicy rule, size_t at_once,
              const Limits& limits)
      : limits_(limits),
        gate_(executor, at_once),
        race_(executor, rule, limits.deadline, limits.cancellation) {}

  void Spawn(Child child) {
    race_.Spawn([this, child = std::move(child)](core::ChildContext context) {
      return Run(child, context.cancellation);
    });
  }
  core::Task<std::vector<Result>> Join() { return race_.Join(); }
  std::optional<size_t> decided_by() const { return race_.decided_by(); }

 private:
  core::Task<Result> Run(Child child, core::Cancellation* cancellation) {
    const Limits own = Within(limits_, cancellation);
    const auto pass = co_await Enter(gate_, own);
    if (!pass) co_return core::Fail(core::ErrorCode::kCancelled, "not begun");
    co_return co_await child(own);
  }

  const Limits& limits_;
  core::Gate gate_;
  core::TaskRace<T> race_;
};

}  // namespace zermelo::strategy
