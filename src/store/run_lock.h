// One process at a time works on a run.
#pragma once

#include <cstdint>
#include <filesystem>

#include "core/error.h"
#include "core/fd.h"

namespace zermelo::store {

/// Held until it is destroyed or the process ends, however it ends.
class RunLock {
 public:
  /// `database`: the file that the run is in; the lock is a byte of `<database>.lock`. kInput:
  /// another process works on this run. kEnvironment: the file cannot be written.
  static core::Result<RunLock> Take(const std::filesystem::path& database, int64_t run);

 private:
  explicit RunLock(core::Fd fd) : fd_(std::move(fd)) {}
  core::Fd fd_;
};

}  // namespace zermelo::store
