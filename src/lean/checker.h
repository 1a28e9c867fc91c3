// The interface for elaborating documents: a pool of Lean processes or a decorator of one.
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
  /// Waits for a free worker and checks the document. Errors: kTimeout when the deadline passes,
  /// waiting or checking; kCancelled on request; kCrashed when Lean died twice on this document;
  /// kEnvironment when Lean cannot be started. Calls may overlap; the checker must outlive them.
  virtual core::Task<core::Result<CheckResult>> Check(CheckRequest request) = 0;
  /// Number of checks worth running at once.
  virtual size_t size() const = 0;
  /// Number of checks answered so far, whatever the result.
  virtual uint64_t checks() const = 0;

  /// Checks all requests, as many at once as the checker allows. Calls `on_answer` with the index
  /// and result of each as it ends; returns after the last one.
  core::Task<void> CheckBatch(std::vector<CheckRequest> requests,
                              std::function<void(size_t, core::Result<CheckResult>)> on_answer);
};

}  // namespace zermelo::lean
