// Ctrl-C: the first asks the work to stop, the second ends the program.
#pragma once

#include <functional>
#include <memory>

#include "core/async.h"

namespace zermelo::cli {

/// During its lifetime, the first SIGINT or SIGTERM calls `on_first` (on the executor's thread) and
/// the second exits with 130 at once; child processes die with the program.
class InterruptGuard {
 public:
  InterruptGuard(const core::Executor& executor, std::function<void()> on_first);
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  bool interrupted() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace zermelo::cli
