// Confines a child process: files by Landlock, system calls by seccomp, sizes by rlimits
// (docs/adr/0006-sandbox.md).
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "core/error.h"

namespace zermelo::core {

/// What a confined process may do. It keeps the descriptors that it was started with, opens no
/// socket, signals no process outside, gains no privileges, and leaves no core file.
struct SandboxRules {
  std::vector<std::filesystem::path> read;   // files and whole folders: read, list, execute
  std::vector<std::filesystem::path> write;  // folders: all of that, and make, change, remove
  uint64_t max_file_bytes = 1ULL << 30U;     // of each file that it writes
  bool processes = false;                    // may start other processes, confined like itself
};

/// What programs of every kind read when they start: libraries, devices, the machine's size.
std::vector<std::filesystem::path> SystemFiles();

/// Rules made ready in the parent, so that the child has only system calls to make after fork.
class Sandbox {
 public:
  /// Paths that do not exist are left out. What this kernel cannot do is left out too:
  /// DescribeSandbox tells what that is. kEnvironment when a ruleset that the kernel should take
  /// is refused.
  static Result<Sandbox> Prepare(const SandboxRules& rules);
  Sandbox(Sandbox&&) noexcept;
  Sandbox& operator=(Sandbox&&) noexcept;
  ~Sandbox();

  /// In the child, between fork and exec: async-signal-safe. False, with errno set, when a rule
  /// could not be applied; the child must not go on then.
  bool Enter() const;

 private:
  struct Impl;
  explicit Sandbox(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// What the kernel offers to confine a process with.
struct SandboxAbilities {
  int landlock_abi = 0;  // 0: none. Files.
  bool seccomp = false;  // system calls, so sockets and processes
};
SandboxAbilities DescribeSandbox();

}  // namespace zermelo::core
