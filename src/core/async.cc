#include "core/async.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cassert>
#include <sys/eventfd.h>
#include <thread>

namespace zermelo::core {

namespace asio = boost::asio;

Task<void> Signal::Wait(Deadline deadline) {
  // A deadline cancels the shared timer and so wakes all waiters; they check their conditions
  // again.
  boost::system::error_code ignored;
  if (deadline.at() == Clock::time_point::max()) {
    co_await timer_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    co_return;
  }
  const DeadlineGuard guard(timer_.get_executor(), deadline, [this] { timer_.cancel(); });
  co_await timer_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
}

DeadlineGuard::DeadlineGuard(const Executor& executor, Deadline deadline,
                             std::function<void()> on_expiry)
    : state_(std::make_shared<State>(State{std::move(on_expiry)})), timer_(executor) {
  if (deadline.at() == Clock::time_point::max()) return;
  timer_.expires_at(deadline.at());
  timer_.async_wait([weak = std::weak_ptr<State>(state_)](const boost::system::error_code& error) {
    const auto state = weak.lock();
    if (error || !state) return;
    state->expired = true;
    state->on_expiry();
  });
}

DeadlineGuard::~DeadlineGuard() = default;

TaskGroup::TaskGroup(Executor executor)
    : executor_(std::move(executor)), state_(std::make_shared<State>(executor_)) {}

TaskGroup::~TaskGroup() {
  assert(state_->running == 0 && "join a task group before destroying it");
}

void TaskGroup::Spawn(Task<void> child) {
  ++state_->running;
  asio::co_spawn(executor_, std::move(child), [state = state_](const std::exception_ptr& failure) {
    --state->running;
    if (failure && !state->failure) state->failure = failure;
    state->ended.Notify();
  });
}

Task<void> TaskGroup::Join() {
  while (state_->running > 0) co_await state_->ended.Wait(Deadline());
  if (state_->failure) std::rethrow_exception(state_->failure);
}

Task<void> OnThread(Executor executor, std::function<void()> work) {
  const int event = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (event < 0) {  // no descriptor is left: rather late than not at all
    work();
    co_return;
  }
  asio::posix::stream_descriptor ended(executor, event);
  std::exception_ptr failure;
  // The thread signals its end by the event only: it may run while the io_context is destroyed.
  std::jthread thread([&] {
    try {
      work();
    } catch (...) {
      failure = std::current_exception();
    }
    ::eventfd_write(event, 1);
  });
  boost::system::error_code ignored;
  co_await ended.async_wait(asio::posix::descriptor_base::wait_read,
                            asio::redirect_error(asio::use_awaitable, ignored));
  thread.join();
  if (failure) std::rethrow_exception(failure);
}

void Launch(const Executor& executor, Task<void> task) {
  asio::co_spawn(executor, std::move(task), [](const std::exception_ptr& failure) {
    if (failure) std::rethrow_exception(failure);
  });
}

}  // namespace zermelo::core
