// Python for models: confined as Lean is (docs/adr/0006-sandbox.md), in a temporary folder.
#pragma once

#include <filesystem>
#include <memory>

#include "core/process/python_runner.h"

namespace zermelo::engine {

/// A program can access only the system's libraries and its own folder; it cannot open sockets or
/// start processes. Its time and memory are limited, the files in its folder to 64 MiB, and its
/// output is truncated to some kilobytes.
class PythonSandbox : public core::PythonRunner {
 public:
  /// Null if there is no Python, or if this kernel cannot confine it (no Landlock or no seccomp).
  static std::unique_ptr<PythonSandbox> Create(const core::Executor& executor);

  /// At most two programs run at once; further calls wait.
  core::Task<core::Result<core::PythonResult>> Run(core::PythonTask task,
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
