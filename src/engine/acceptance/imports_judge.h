// Zermelo's kernel on everything that candidates import (`--kernel all`).
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <string>

#include "core/async.h"
#include "core/cancellation.h"
#include "core/error.h"
#include "trust/kernels/imports_check.h"

namespace zermelo::engine {

/// Checks each set of imports once and remembers the verdict. All calls on the executor's thread.
class ImportsJudge {
 public:
  using OnProgress = std::function<void(const char* stage, size_t done, size_t count)>;

  /// `on_progress` may be null. It is called on the executor's thread, at most ten times a second.
  explicit ImportsJudge(core::Executor executor, OnProgress on_progress = {});
  ImportsJudge(const ImportsJudge&) = delete;
  ImportsJudge& operator=(const ImportsJudge&) = delete;

  /// Checks on all processors, on threads of their own, or waits for a check that is under way.
  /// Fills in the request's threads, `stop` and `on_progress`. `cancellation` may be null. Errors:
  /// those of trust::JudgeImports.
  core::Task<core::Result<trust::ImportsVerdict>> Judge(trust::ImportsRequest request,
                                                        core::Cancellation* cancellation);

 private:
  OnProgress Posted() const;

  const core::Executor executor_;
  const OnProgress on_progress_;
  core::Signal ended_;
  bool is_judging_ = false;
  std::map<std::string, trust::ImportsVerdict> judged_;  // by fingerprint
};

}  // namespace zermelo::engine
