// The built-in policy: proposes candidates from the text of the tactic state and the theorems of
// the library, without a language model.
//
// It reads the first goal (arith/arithmetic_goal.h), runs every heuristic
// (heuristics/heuristics.h), and sorts the candidates by cost. The scale: below 1, a candidate is
// expected to close the goal or to simplify it without loss; around 1, it is expected to close the
// goal but takes seconds; from 1.5 on, it makes a choice that the search may have to undo.
#pragma once

#include <memory>
#include <vector>

#include "policy/policy.h"

namespace zermelo::policy {

/// The policy has no state and never calls Lean.
std::unique_ptr<StepPolicy> MakeBuiltinPolicy();

}  // namespace zermelo::policy
