// A lock, so that one process at a time works on a run.
#pragma once

#include <cstdint>
#include <filesystem>

#include "core/error.h"
#include "core/files/fd.h"

namespace zermelo::store {

/// Held until it is destroyed or the process ends, in whatever way.
class RunLock {
 public:
  /// Locks a byte of `<database>.lock`, where `database` is the file with the run; does not wait.
  /// kInput: another process is working on this run. kEnvironment: the lock file cannot be opened
  /// or locked.
  static core::Result<RunLock> Take(const std::filesystem::path& database, int64_t run);

 private:
  explicit RunLock(core::Fd fd) : fd_(std::move(fd)) {}
  core::Fd fd_;
};

}  // namespace zermelo::store
