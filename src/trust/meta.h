// Which declarations are programs that could run inside Lean.
#pragma once

#include "trust/compare.h"
#include "trust/term.h"

namespace zermelo::trust {

/// Whether a definition takes or makes syntax, or acts in one of Lean's elaboration monads. What
/// Lean makes of a `notation`, `macro` or `(h : p := by simp)` is no such program: source rules
/// judge those.
bool IsMetaProgram(const Terms& terms, const Constant& constant);

}  // namespace zermelo::trust
