// What this machine offers.
#pragma once

#include <cstdint>

namespace zermelo::core {

struct Machine {
  unsigned cores = 0;
  uint64_t memory_bytes = 0;            // physical, or the control group's limit if less
  uint64_t available_memory_bytes = 0;  // without swapping
};
Machine DescribeMachine();

/// What the kernel offers to confine a process with.
struct SandboxAbilities {
  int landlock_abi = 0;  // 0: none. File access.
  bool seccomp = false;  // system calls, so sockets
};
SandboxAbilities DescribeSandbox();

}  // namespace zermelo::core
