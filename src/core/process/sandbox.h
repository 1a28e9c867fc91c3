// Confines a child process: files by Landlock, system calls by seccomp, sizes by rlimits
// (docs/adr/0006-sandbox.md).
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "core/error.h"

namespace zermelo::core {

/// What a confined process may do. It keeps the descriptors it was started with, and cannot open a
/// socket, gain privileges, make namespaces, administrate or count events of the machine, or leave
/// a core file. It cannot signal other processes, change their limits, share memory, messages or
/// keys with them, or outlive its parent, nor change a file's owner, times, flags or extended
/// attributes, or its size by path; changing its mode has no effect.
struct SandboxRules {
  std::vector<std::filesystem::path> read;   // files and folder trees: read, list, execute
  std::vector<std::filesystem::path> write;  // folder trees: also create, change, remove
  uint64_t max_file_bytes = 1ULL << 30U;     // size limit of each file it writes
  /// May start processes, equally confined, signal them and talk to them by pairs of sockets; on
  /// kernels without version 6 of Landlock, it may signal others of the same user, too.
  bool processes = false;
};

/// Paths that programs commonly read at startup: libraries, devices, machine information.
std::vector<std::filesystem::path> SystemFiles();

/// Rules prepared in the parent, so that the child only makes system calls between fork and exec.
class Sandbox {
 public:
  /// Skips paths that do not exist, and restrictions that this kernel does not support (see
  /// DescribeSandbox). kEnvironment if the kernel refuses a ruleset that it should support.
  static Result<Sandbox> Prepare(const SandboxRules& rules);
  Sandbox(Sandbox&&) noexcept;
  Sandbox& operator=(Sandbox&&) noexcept;
  ~Sandbox();

  /// Call in the child, between fork and exec: async-signal-safe. False, with errno set, if a rule
  /// could not be applied; the child must then not continue.
  bool Enter() const;

 private:
  struct Impl;
  explicit Sandbox(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// The kernel's features for confining a process.
struct SandboxAbilities {
  int landlock_abi = 0;  // restricts files; 0: not available
  bool seccomp = false;  // restricts system calls: sockets, processes
};
SandboxAbilities DescribeSandbox();

}  // namespace zermelo::core
