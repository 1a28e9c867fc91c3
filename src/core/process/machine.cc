#include "core/process/machine.h"

#include <algorithm>
#include <fstream>
#include <string>
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

}  // namespace zermelo::core
