#include "core/machine.h"

#include <algorithm>
#include <fstream>
#include <linux/seccomp.h>
#include <string>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

namespace zermelo::core {

namespace {

uint64_t MemInfo(const std::string& key) {
  std::ifstream file("/proc/meminfo");
  std::string name;
  uint64_t kibibytes = 0;
  std::string unit;
  while (file >> name >> kibibytes) {
    std::getline(file, unit);
    if (name == key + ":") return kibibytes << 10U;
  }
  return 0;
}

}  // namespace

Machine DescribeMachine() {
  Machine machine;
  machine.cores = std::max(1U, std::thread::hardware_concurrency());
  machine.memory_bytes = MemInfo("MemTotal");
  machine.available_memory_bytes = MemInfo("MemAvailable");
  std::ifstream group("/sys/fs/cgroup/memory.max");
  uint64_t limit = 0;
  if (group >> limit && limit > 0) {
    machine.memory_bytes = std::min(machine.memory_bytes, limit);
    machine.available_memory_bytes = std::min(machine.available_memory_bytes, limit);
  }
  return machine;
}

SandboxAbilities DescribeSandbox() {
  constexpr unsigned kAskVersion = 1;
  SandboxAbilities abilities;
#ifdef SYS_landlock_create_ruleset
  const long abi = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, kAskVersion);
  abilities.landlock_abi = static_cast<int>(std::max(abi, 0L));
#endif
  uint32_t action = SECCOMP_RET_ERRNO;
  abilities.seccomp = ::syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
  return abilities;
}

}  // namespace zermelo::core
