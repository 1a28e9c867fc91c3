// Limits how many tasks run at once.
#pragma once

#include <cstddef>

#include "core/async.h"
#include "core/cancellation.h"

namespace zermelo::serve {

class Gate {
 public:
  /// At most `places` passes exist at once.
  Gate(const core::Executor& executor, size_t places) : free_(places), left_(executor) {}

  /// Occupies one place until it is destroyed.
  class Pass {
   public:
    explicit Pass(Gate& gate) : gate_(gate) { --gate_.free_; }
    ~Pass() {
      ++gate_.free_;
      gate_.left_.Notify();
    }
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;

   private:
    Gate& gate_;
  };

  /// Waits for a free place; null if the deadline passes or the wait is cancelled.
  core::Task<std::unique_ptr<Pass>> Enter(core::Deadline deadline,
                                          core::Cancellation& cancellation) {
    const core::Cancellation::Subscription wake(cancellation, [this] { left_.Notify(); });
    while (free_ == 0 && !deadline.Passed() && !cancellation.requested()) {
      co_await left_.Wait(deadline);
    }
    if (free_ == 0 || cancellation.requested()) co_return nullptr;
    co_return std::make_unique<Pass>(*this);
  }

 private:
  size_t free_;
  core::Signal left_;
};

}  // namespace zermelo::serve
