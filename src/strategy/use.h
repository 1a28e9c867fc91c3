// What a part of a search has used.
#pragma once

#include <cstdint>

#include "lean/checker.h"
#include "llm/budget.h"

namespace zermelo::strategy {

struct Use {
  llm::Spending spending;   // without dollars
  uint64_t checks = 0;      // of documents by Lean
  double lean_seconds = 0;  // their time, without imports

  void Add(const core::Result<lean::CheckResult>& checked) {
    ++checks;
    if (checked) lean_seconds += checked->seconds;
  }
  bool operator==(const Use&) const = default;
};

}  // namespace zermelo::strategy
