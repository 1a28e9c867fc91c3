// A counting semaphore: limits how many tasks run at once.
#pragma once

#include <functional>
#include <memory>

#include "core/async.h"
#include "core/cancellation.h"

namespace zermelo::core {

class Gate {
 public:
  /// At most `places` passes exist at once.
  Gate(const Executor& executor, size_t places) : free_(places), left_(executor) {}

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

  /// Waits for a free place. Null if there is none by the deadline, if the wait is cancelled
  /// (`cancellation` may be null), or if `stop`, looked at whenever the wait could end, is true.
  Task<std::unique_ptr<Pass>> Enter(Deadline deadline, Cancellation* cancellation,
                                    std::function<bool()> stop) {
    const Cancellation::Subscription wake(cancellation, [this] { left_.Notify(); });
    const auto unwanted = [&] {
      return (cancellation != nullptr && cancellation->requested()) || stop();
    };
    while (free_ == 0 && !deadline.Passed() && !unwanted()) co_await left_.Wait(deadline);
    if (free_ == 0 || unwanted()) co_return nullptr;
    co_return std::make_unique<Pass>(*this);
  }
  Task<std::unique_ptr<Pass>> Enter(Deadline deadline, Cancellation* cancellation) {
    return Enter(deadline, cancellation, [] { return false; });
  }

 private:
  size_t free_;
  Signal left_;
};

}  // namespace zermelo::core
