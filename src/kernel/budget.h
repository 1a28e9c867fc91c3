// Limits of a check, and how it ends early. Inside the kernel a violated rule is thrown, since it
// ends the check of a declaration from any depth; Check catches it, so no caller sees an exception.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "kernel/check.h"

namespace zermelo::kernel {

struct Refusal {
  Decision outcome = Decision::kRejected;
  std::string reason;
};

[[noreturn]] inline void Reject(std::string reason) {
  throw Refusal{Decision::kRejected, std::move(reason)};
}
[[noreturn]] inline void Decline(std::string reason) {
  throw Refusal{Decision::kDeclined, std::move(reason)};
}

inline constexpr const char* kStopped = "the check was stopped";

/// How many ids can be compared in the time of one step, for Tick(steps).
inline constexpr size_t kComparedAStep = 16;

/// The budget of one thread. Every function whose recursion or loops depend on the input calls
/// Tick.
class Budget {
 public:
  using Clock = std::chrono::steady_clock;

  /// `stack`: bytes that the calling function may still use; `bytes_used` counts those of the arena
  /// and the caches; `stop` may be null.
  Budget(Clock::time_point deadline, size_t bytes, size_t stack, std::function<size_t()> bytes_used,
         const std::atomic<bool>* stop = nullptr)
      : deadline_(deadline),
        stop_(stop),
        bytes_(bytes),
        bytes_used_(std::move(bytes_used)),
        stack_end_(Here() - stack) {}

  void Tick() {
    if (Here() < stack_end_) Decline("it needs deeper recursion than this kernel allows");
    if (--left_ <= 0) Look();
  }
  /// For a step that takes as long as this many others.
  void Tick(uint64_t steps) {
    left_ -= static_cast<int64_t>(std::min<uint64_t>(steps, kSteps));
    Tick();
  }

 private:
  static uintptr_t Here() { return reinterpret_cast<uintptr_t>(__builtin_frame_address(0)); }
  void Look() {
    left_ = kSteps;
    if (stop_ != nullptr && *stop_) Decline(kStopped);
    if (Clock::now() > deadline_) Decline("the time limit was reached");
    if (bytes_used_() > bytes_) Decline("the memory limit was reached");
  }

  Clock::time_point deadline_;
  const std::atomic<bool>* stop_;
  size_t bytes_;
  std::function<size_t()> bytes_used_;
  uintptr_t stack_end_;
  static constexpr int64_t kSteps = 4096;  // between two looks at the clock
  int64_t left_ = kSteps;
};

}  // namespace zermelo::kernel
