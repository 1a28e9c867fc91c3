#include "cli/terminal/interrupt.h"

#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <unistd.h>

namespace zermelo::cli {

struct InterruptGuard::State : std::enable_shared_from_this<State> {
  State(const core::Executor& executor, std::function<void()> f)
      : signals(executor, SIGINT, SIGTERM), on_first(std::move(f)) {}

  boost::asio::signal_set signals;
  std::function<void()> on_first;
  bool interrupted = false;

  void Listen() {
    signals.async_wait([weak = weak_from_this()](const boost::system::error_code& error, int) {
      const auto self = weak.lock();
      if (error || !self) return;
      if (self->interrupted) ::_exit(130);
      self->interrupted = true;
      self->on_first();
      self->Listen();
    });
  }
};

InterruptGuard::InterruptGuard(const core::Executor& executor, std::function<void()> on_first)
    : state_(std::make_shared<State>(executor, std::move(on_first))) {
  state_->Listen();
}

InterruptGuard::~InterruptGuard() {
  boost::system::error_code ignored;
  state_->signals.cancel(ignored);
}

bool InterruptGuard::interrupted() const { return state_->interrupted; }

}  // namespace zermelo::cli
