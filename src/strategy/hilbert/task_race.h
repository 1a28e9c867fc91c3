// A group of tasks with a completion rule, one of Hilbert's three (arXiv 2509.22819, the task
// groups of its code): wait for all, cancel the others after the first success, or after the first
// failure.
#pragma once

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "core/async.h"
#include "core/cancellation.h"
#include "core/error.h"
#include "core/gate.h"
#include "strategy/limits.h"

namespace zermelo::strategy {

enum class JoinPolicy { kAll, kFirstSuccess, kFirstFailure };

/// A child succeeds if its Result has a value, and fails if it has an error other than kCancelled.
/// All children are joined: none outlives Join. A group with children must be joined before it is
/// destroyed. Single-threaded.
template <class T>
class TaskRace {
 public:
  using Result = core::Result<T>;
  /// Must end soon after the cancellation of its limits is requested.
  using Child = std::function<core::Task<Result>(const Limits& own)>;

  /// At most `at_once` children run at the same time. `limits` bound every child and must outlive
  /// the group.
  TaskRace(const core::Executor& executor, JoinPolicy rule, size_t at_once, const Limits& limits)
      : rule_(rule),
        limits_(limits),
        outer_(limits.cancellation, [this] { cancellation_.Request(); }),
        gate_(executor, at_once),
        group_(executor) {}

  /// Starts a child when it has its turn. Its result is kCancelled if the outcome is decided, the
  /// group cancelled or the limits ended by then.
  void Spawn(Child child) {
    const size_t index = results_.size();
    results_.push_back(core::Fail(core::ErrorCode::kCancelled, "not started"));
    if (cancellation_.requested()) return;
    group_.Spawn(RunChild(index, std::move(child)));
  }

  /// Waits for every child and returns their results in spawn order. Rethrows the first exception
  /// that a child threw.
  core::Task<std::vector<Result>> Join() {
    co_await group_.Join();
    co_return std::move(results_);
  }

  /// Index of the child that decided: the first to succeed (kFirstSuccess) or fail (kFirstFailure).
  std::optional<size_t> decided_by() const { return decided_by_; }

 private:
  core::Task<void> RunChild(size_t index, Child child) {
    try {
      const Limits own = Within(limits_, &cancellation_);
      const auto pass = co_await Enter(gate_, own);
      if (!pass) co_return;
      auto result = co_await child(own);
      results_[index] = std::move(result);
    } catch (...) {
      cancellation_.Request();  // the others are no longer needed; Join rethrows
      throw;
    }
    const bool decides = rule_ == JoinPolicy::kFirstSuccess   ? results_[index].has_value()
                         : rule_ == JoinPolicy::kFirstFailure ? Failed(results_[index])
                                                              : false;
    if (!decides || decided_by_ || cancellation_.requested()) co_return;
    decided_by_ = index;
    cancellation_.Request();
  }

  static bool Failed(const Result& result) {
    return !result && result.error().code != core::ErrorCode::kCancelled;
  }

  const JoinPolicy rule_;
  const Limits& limits_;
  core::Cancellation cancellation_;
  const core::Cancellation::Subscription outer_;
  core::Gate gate_;
  core::TaskGroup group_;
  std::vector<Result> results_;
  std::optional<size_t> decided_by_;
};

}  // namespace zermelo::strategy
