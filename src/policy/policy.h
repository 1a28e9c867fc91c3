// A policy proposes; it never calls Lean and never decides (DESIGN.md, The flow).
#pragma once

#include <string>
#include <vector>

#include "lean/goal.h"

namespace zermelo::policy {

/// One tactic, or a few lines of tactics, to be tried on the first goal of a state.
struct Candidate {
  std::string tactic;    // may have several lines; indentation relative to column 0
  double cost = 1;       // search cost, >= 0: a negative log-probability, or made to look so
  bool closing = false;  // expected to close the goal or to fail
  std::string origin;    // which policy or idea proposed it
};

/// What a step policy may look at.
struct StepContext {
  lean::ProofState state;                      // all goals; candidates act on the first
  bool has_mathlib = false;                    // its tactics exist
  int depth = 0;                               // tactics so far
  std::vector<std::string> premises;           // names of library theorems worth trying
  std::vector<std::string> local_definitions;  // functions and types defined in the file
};

/// Thread-compatible: calls on one object must not overlap.
class StepPolicy {
 public:
  virtual ~StepPolicy() = default;
  /// At most `n` candidates, cheapest first, without duplicates. Never fails; may be empty.
  virtual std::vector<Candidate> Propose(const StepContext& context, size_t n) = 0;
};

}  // namespace zermelo::policy
