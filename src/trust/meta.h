// Detects declarations that are programs that could run inside Lean.
#pragma once

#include "trust/compare.h"
#include "trust/terms.h"

namespace zermelo::trust {

/// Whether a definition takes or produces syntax, or runs in one of Lean's elaboration monads. What
/// Lean generates for a `notation`, `macro` or `(h : p := by simp)` does not count; the source
/// rules judge those.
bool IsMetaProgram(const Terms& terms, const Constant& constant);

}  // namespace zermelo::trust
