// Whoever elaborates documents: a pool of Lean processes, or a decorator of one.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/async.h"
#include "core/error.h"
#include "lean/worker.h"

namespace zermelo::lean {

class Checker {
 public:
  virtual ~Checker() = default;
  /// Waits for a free Lean and checks. kTimeout: the deadline passed, waiting or checking.
  /// kCancelled: as asked. kCrashed: Lean died on this document twice. kEnvironment: Lean cannot be
  /// started. Calls may overlap; the checker must outlive them.
  virtual core::Task<core::Result<CheckResult>> Check(CheckRequest request) = 0;
  /// How many checks are worth having under way at once.
  virtual size_t size() const = 0;
  /// Documents answered so far, with whatever answer.
  virtual uint64_t checks() const = 0;

  /// Checks them all, as many at once as it will; calls `on_answer` with the index of each as it
  /// ends. Returns after the last.
  core::Task<void> CheckBatch(std::vector<CheckRequest> requests,
                              std::function<void(size_t, core::Result<CheckResult>)> on_answer);
};

}  // namespace zermelo::lean
