// Groups declarations that are checked together, and orders the groups.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kernel/check.h"
#include "kernel/environment.h"
#include "kernel/rules/view.h"

namespace zermelo::kernel {

/// A block of inductive types with its constructors and recursors, or a single other declaration.
struct Unit {
  std::vector<uint32_t> members;  // positions in Environment::declarations()
};

struct Plan {
  /// In the order in which they are checked; unit i has the rank i + 1, trusted declarations 0.
  std::vector<Unit> units;
  std::vector<uint32_t> ranks;  // by declaration
  /// Declarations that no unit can hold, and those that depend on themselves, with the reason.
  std::vector<std::pair<uint32_t, std::string>> rejected;
};

/// Linear in the size of the terms; no recursion.
Plan MakePlan(const Environment& environment, const KnownNames& known, Order order);

}  // namespace zermelo::kernel
