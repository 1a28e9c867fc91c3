// Groups declarations that are checked together, and orders the groups.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kernel/budget.h"
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

/// Takes time in the sum of the units' terms, of which several can share parts; no recursion.
/// Throws a Refusal that declines at a limit of the budget.
Plan MakePlan(const Environment& environment, const KnownNames& known, Order order, Budget& budget);

}  // namespace zermelo::kernel
