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

}  // namespace zermelo::core
