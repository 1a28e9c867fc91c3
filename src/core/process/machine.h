// Cores and memory of this machine.
#pragma once

#include <cstdint>

namespace zermelo::core {

struct Machine {
  unsigned cores = 0;
  uint64_t memory_bytes = 0;            // physical, or the cgroup's limit if lower
  uint64_t available_memory_bytes = 0;  // without swapping; at most the cgroup's limit
};
Machine DescribeMachine();

}  // namespace zermelo::core
