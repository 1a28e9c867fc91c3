// Children of one kind whose outcomes decide together: Hilbert's three ways to complete
// (arXiv 2509.22819, its code's task groups): wait for all; the first success makes the others
// superfluous; the first failure makes the others pointless.
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

enum class CompletionRule { kAll, kFirstSuccess, kFirstFailure };

/// What a child is given; it has to end soon after the cancellation is requested.
struct ChildContext {
  Deadline deadline;
  Cancellation* cancellation = nullptr;
};

/// A child succeeds when its Result has a value. All children are joined: none outlives Join. One
/// thread. A group that has children must be joined before it is destroyed.
template <class T>
class RuledGroup {
 public:
  using Child = std::function<Task<Result<T>>(ChildContext)>;

  /// No child has more time than `deadline`. `outer` may be null, else it must outlive the group;
  /// when it is requested, so are the children's.
  RuledGroup(const Executor& executor, CompletionRule rule, Deadline deadline, Cancellation* outer)
      : rule_(rule),
        deadline_(deadline),
        outer_(outer, [this] { cancellation_.Request(); }),
        group_(executor) {}

  /// Starts a child; `own` can only shorten its time. After the outcome is decided, or the group
  /// cancelled, a child is not started: its result is kCancelled.
  void Spawn(Child child, Deadline own = Deadline()) {
    const size_t index = results_.size();
    results_.push_back(Fail(ErrorCode::kCancelled, "it was not begun: it is no longer needed"));
    if (cancellation_.requested()) return;
    group_.Spawn(RunChild(index, std::move(child), deadline_.Earlier(own)));
  }

  /// Waits for every child. Their results, in the order in which they were spawned. Rethrows the
  /// first exception that a child ended with.
  Task<std::vector<Result<T>>> Join() {
    co_await group_.Join();
    co_return std::move(results_);
  }

  /// The child that decided: the first to succeed (kFirstSuccess) or fail (kFirstFailure).
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
      cancellation_.Request();  // the others need not go on; Join rethrows
      throw;
    }
    const bool decides = rule_ == CompletionRule::kFirstSuccess   ? results_[index].has_value()
                         : rule_ == CompletionRule::kFirstFailure ? !results_[index].has_value()
                                                                  : false;
    if (!decides || decided_by_ || cancellation_.requested()) co_return;
    decided_by_ = index;
    cancellation_.Request();
  }

  const CompletionRule rule_;
  const Deadline deadline_;
  Cancellation cancellation_;
  const Cancellation::Subscription outer_;
  TaskGroup group_;
  std::vector<Result<T>> results_;
  std::optional<size_t> decided_by_;
};

}  // namespace zermelo::core
