// What the names of Lean's declarations tell.
#pragma once

#include "trust/term.h"

namespace zermelo::trust {

/// `_private.M.0` of `_private.M.0.f`; kAnonymous if the name is not private.
NameId PrivatePrefix(const Terms& terms, NameId name);

/// A declaration that elaboration made on its own and numbered (`f._proof_1`, `f.match_2`): its
/// name may differ between two files that say the same.
bool IsAuxiliary(const Terms& terms, NameId name);

/// A name that a macro made up (`helper._@.M.1234._hygCtx._hyg.5`): it tells where the macro was
/// used, and moves when the text before it grows.
bool IsMacroScoped(const Terms& terms, NameId name);

/// A declaration that Lean makes on demand for another one (`f.eq_1`, `f.induct`, auxiliary ones):
/// two modules may both have made it.
bool IsGenerated(const Terms& terms, NameId name);

/// The declaration that a generated one belongs to: `f` of `f.match_2._proof_1` or `f.eq_1`. A name
/// that belongs to none is itself.
NameId WithoutGenerated(const Terms& terms, NameId name);

}  // namespace zermelo::trust
