// A group of tasks with a completion rule, one of Hilbert's three (arXiv 2509.22819, the task
// groups of its code): wait for all, cancel the others after the first success, or after the first
// failure.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/async.h"
#include "core/cancellation.h"
#include "core/error.h"

namespace zermelo::core {

enum class JoinPolicy { kAll, kFirstSuccess, kFirstFailure };

/// Passed to a child, which must end soon after cancellation is requested.
struct ChildContext {
  Deadline deadline;
  Cancellation* cancellation = nullptr;
};

/// A child succeeds if its Result has a value, and fails if it has an error other than kCancelled.
/// All children are joined: none outlives Join. A group with children must be joined before it is
/// destroyed. Single-threaded.
template <class T>
class TaskRace {
 public:
  using Child = std::function<Task<Result<T>>(ChildContext)>;

  /// `deadline` bounds every child. Requesting `outer` cancels the children; it may be null, else
  /// it must outlive the group.
  TaskRace(const Executor& executor, JoinPolicy rule, Deadline deadline, Cancellation* outer)
      : rule_(rule),
        deadline_(deadline),
        outer_(outer, [this] { cancellation_.Request(); }),
        group_(executor) {}

  /// Starts a child; `own` can only shorten its deadline. Once the outcome is decided or the group
  /// cancelled, a child is not started and its result is kCancelled.
  void Spawn(Child child, Deadline own = Deadline()) {
    const size_t index = results_.size();
    results_.push_back(Fail(ErrorCode::kCancelled, "not started: no longer needed"));
    if (cancellation_.requested()) return;
    group_.Spawn(RunChild(index, std::move(child), deadline_.Earlier(own)));
  }

  /// Waits for every child and returns their results in spawn order. Rethrows the first exception
  /// that a child threw.
  Task<std::vector<Result<T>>> Join() {
    co_await group_.Join();
    co_return std::move(results_);
  }

  /// Index of the child that decided: the first to succeed (kFirstSuccess) or fail (kFirstFailure).
  std::optional<size_t> decided_by() const { return decided_by_; }

 private:
  Task<void> RunChild(size_t index, Child child, Deadline deadline) {
    ChildContext context;
    context.deadline = deadline;
    context.cancellation = &cancellation_;
    try {
      auto result = co_await child(context);
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

  static bool Failed(const Result<T>& result) {
    return !result && result.error().code != ErrorCode::kCancelled;
  }

  const JoinPolicy rule_;
  const Deadline deadline_;
  Cancellation cancellation_;
  const Cancellation::Subscription outer_;
  TaskGroup group_;
  std::vector<Result<T>> results_;
  std::optional<size_t> decided_by_;
};

}  // namespace zermelo::core
