// The built-in policy: proposes candidates from the text of the tactic state and the theorems of
// the library, without a language model.
//
// It reads the first goal (arith/arithmetic_goal.h), runs every heuristic
// (heuristics/heuristics.h), and sorts the candidates by cost. The scale: below 1, a candidate is
// expected to close the goal or to simplify it without loss; around 1, it is expected to close the
// goal but takes seconds; from 1.5 on, it makes a choice that the search may have to undo.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "core/error.h"
#include "policy/policy.h"

namespace zermelo::policy {

/// The names of the heuristics, which are the origins of their candidates.
std::span<const std::string_view> Heuristics();

/// kUsage if one of `names`, with commas between them, is no heuristic; the hint lists all.
core::Status CheckHeuristics(std::string_view names);

/// The policy has no state and never calls Lean. `without`: names of heuristics whose candidates it
/// leaves out, with commas between them.
std::unique_ptr<StepPolicy> MakeBuiltinPolicy(std::string_view without = {});

}  // namespace zermelo::policy
