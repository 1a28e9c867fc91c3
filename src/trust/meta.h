// Detects declarations that are programs that could run inside Lean.
#pragma once

#include <unordered_set>

#include "trust/compare.h"
#include "trust/terms.h"

namespace zermelo::trust {

/// Whether a name is one of syntax or of Lean's elaboration monads.
bool IsMetaName(const Terms& terms, NameId name);

/// Whether it is what Lean generates for a `notation`, `macro` or `(h : p := by simp)`: the source
/// rules judge those.
bool IsOfNotation(const Terms& terms, const Constant& constant);

/// Whether a definition takes or produces syntax, or runs in one of Lean's elaboration monads;
/// those of IsOfNotation do not count. `meta`: constants of the module that use a name of
/// IsMetaName (Dependencies::UsersThroughOthers), which a type may hide.
bool IsMetaProgram(const Terms& terms, const Constant& constant,
                   const std::unordered_set<NameId>& meta);

}  // namespace zermelo::trust
