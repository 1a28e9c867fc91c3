// Coroutines on one thread: tasks, one-shot answers, groups of children.
//
// All waiting happens on one io_context driven by one thread, so nothing here locks. A task must
// not block that thread: Lean and models run in other processes, long computations in OnThread.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "core/deadline.h"

namespace zermelo::core {

template <class T>
using Task = boost::asio::awaitable<T>;
using Executor = boost::asio::any_io_executor;

/// Wakes waiting tasks. Notify wakes all current waiters; later waiters do not see it.
class Signal {
 public:
  explicit Signal(const Executor& executor) : timer_(executor, Clock::time_point::max()) {}
  void Notify() { timer_.cancel(); }
  /// Returns on Notify or at the deadline, and also when another waiter's deadline passes: check
  /// the awaited condition in a loop.
  Task<void> Wait(Deadline deadline);

 private:
  boost::asio::steady_timer timer_;
};

/// One answer, set once, received by one waiter. Later Set calls are ignored.
template <class T>
class OneShot {
 public:
  explicit OneShot(const Executor& executor) : signal_(executor) {}
  void Set(T value) {
    if (value_) return;
    value_.emplace(std::move(value));
    signal_.Notify();
  }
  bool ready() const { return value_.has_value(); }
  /// The answer, or nullopt when the deadline passes first. Moves the answer out.
  Task<std::optional<T>> Wait(Deadline deadline) {
    while (!value_ && !deadline.Passed()) co_await signal_.Wait(deadline);
    co_return std::move(value_);
  }

 private:
  Signal signal_;
  std::optional<T> value_;
};

/// Calls `on_expiry`, once, when the deadline passes during the guard's lifetime.
class DeadlineGuard {
 public:
  DeadlineGuard(const Executor& executor, Deadline deadline, std::function<void()> on_expiry);
  ~DeadlineGuard();
  DeadlineGuard(const DeadlineGuard&) = delete;
  DeadlineGuard& operator=(const DeadlineGuard&) = delete;
  bool expired() const { return state_->expired; }

 private:
  struct State {
    std::function<void()> on_expiry;
    bool expired = false;
  };
  std::shared_ptr<State> state_;
  boost::asio::steady_timer timer_;
};

/// A group of child tasks. Join returns after the last one has ended and rethrows the first
/// exception that a child threw. A group must be joined before it is destroyed.
class TaskGroup {
 public:
  explicit TaskGroup(Executor executor);
  ~TaskGroup();
  void Spawn(Task<void> child);
  size_t running() const { return state_->running; }
  Task<void> Join();

 private:
  struct State {
    explicit State(const Executor& executor) : ended(executor) {}
    size_t running = 0;
    std::exception_ptr failure;
    Signal ended;
  };
  Executor executor_;
  std::shared_ptr<State> state_;
};

/// Starts a task that is not joined: it must own what it uses and end by itself. An exception that
/// escapes it propagates out of io_context::run, that is, ends the program.
void Launch(const Executor& executor, Task<void> task);

/// Runs `work` on a thread of its own and resumes on the executor when it has ended; rethrows its
/// exception. If the io_context is destroyed meanwhile, its destruction waits for the thread, so
/// what `work` refers to must outlive the task's frame.
Task<void> OnThread(Executor executor, std::function<void()> work);

/// Runs one task to completion on `io` and returns its result; rethrows its exception.
template <class T>
T RunToEnd(boost::asio::io_context& io, Task<T> task);

}  // namespace zermelo::core

#include "core/async_impl.h"
