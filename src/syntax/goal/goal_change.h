// What a tactic changed: two proof states compared.
//
// Only their texts are compared, so the answer is the same for the same states, whatever Lean's
// variables are called inside.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "syntax/goal/goal.h"

namespace zermelo::syntax {

/// A hypothesis of the same name with another type or value. Each has one name.
struct ChangedHypothesis {
  Hypothesis before, after;
  bool operator==(const ChangedHypothesis&) const = default;
};

/// A goal that a tactic left, compared with the goal that it came from. Each hypothesis has one
/// name.
struct GoalChange {
  size_t before = 0;  // its goal before the tactic
  size_t after = 0;
  std::vector<Hypothesis> added, removed;
  std::vector<ChangedHypothesis> changed;
  bool target_changed = false;
  bool operator==(const GoalChange&) const = default;
};

struct StateChange {
  std::vector<size_t> closed;     // earlier goals from which no goal is left
  std::vector<GoalChange> goals;  // of those that changed, in order
  bool operator==(const StateChange&) const = default;
};

/// Goals that are the same before and after, apart from their position, are unchanged. Every other
/// goal is compared with the most similar earlier one that is not unchanged, the first of several:
/// most hypotheses in common, then the same tag, then the same target.
StateChange Compare(const ProofState& before, const ProofState& after);

}  // namespace zermelo::syntax
