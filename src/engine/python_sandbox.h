// Python for models: confined as Lean is (docs/adr/0006-sandbox.md), in a folder of its own that is
// gone afterwards.
#pragma once

#include <filesystem>
#include <memory>

#include "strategy/python_runner.h"

namespace zermelo::engine {

/// A program sees the system's libraries and its folder, and nothing else of the disk; it opens no
/// socket and starts no process. What it prints beyond some kilobytes, what it writes beyond 64
/// MiB, its time and its memory are limited.
class PythonSandbox : public strategy::PythonRunner {
 public:
  /// Null when there is no Python, or this kernel cannot confine it (no Landlock or no seccomp).
  static std::unique_ptr<PythonSandbox> Create(const core::Executor& executor);

  /// At most two programs run at once; others wait.
  core::Task<core::Result<strategy::PythonResult>> Run(strategy::PythonTask task,
                                                       core::Cancellation* cancellation) override;

 private:
  PythonSandbox(const core::Executor& executor, std::filesystem::path python)
      : executor_(executor), python_(std::move(python)), ended_(executor) {}

  const core::Executor executor_;
  const std::filesystem::path python_;
  size_t running_ = 0;
  core::Signal ended_;
};

}  // namespace zermelo::engine
