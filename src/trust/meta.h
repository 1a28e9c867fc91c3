// Detects declarations that are programs that could run inside Lean.
#pragma once

#include <unordered_set>

#include "trust/compare.h"
#include "trust/terms.h"

namespace zermelo::trust {

/// Whether a name is one of syntax or of Lean's elaboration monads.
bool IsMetaName(const Terms& terms, NameId name);

/// Whether a name is one of `IO` or of what that is made of, if Lean's library declares it.
bool IsEffectName(const Terms& terms, NameId name);

/// Whether it is what Lean generates for a `notation`, `macro` or `(h : p := by simp)`: the source
/// rules judge those.
bool IsOfNotation(const Terms& terms, const Constant& constant);

/// Whether a definition takes or produces syntax, acts, or computes with something that does, by
/// its type or its value; those of IsOfNotation do not count. `meta`: constants of the module that
/// use a name of IsMetaName or IsEffectName (Dependencies::UsersThroughOthers).
bool IsMetaProgram(const Terms& terms, const Constant& constant,
                   const std::unordered_set<NameId>& meta);

}  // namespace zermelo::trust
