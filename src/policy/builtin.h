// The built-in policy: proposes from the text of the tactic state and what the library offers for
// it, without a language model.
//
// It reads the first goal (view.h), asks every idea (ideas.h), and sorts what they say by cost. The
// scale: below 1 a candidate is expected to end the goal or to simplify it without loss; around 1
// it is expected to end it but takes seconds; from 1.5 on it makes a choice that the search must
// undo.
#pragma once

#include <memory>
#include <vector>

#include "policy/policy.h"

namespace zermelo::policy {

/// Keeps no state and never calls Lean.
std::unique_ptr<StepPolicy> MakeBuiltinPolicy();

}  // namespace zermelo::policy
