// What the names of Lean's declarations tell.
#pragma once

#include "trust/term.h"

namespace zermelo::trust {

/// `_private.M.0` of `_private.M.0.f`; kAnonymous if the name is not private.
NameId PrivatePrefix(const Terms& terms, NameId name);

/// A declaration that elaboration made on its own and numbered (`f._proof_1`, `f.match_2`): its
/// name may differ between two files that say the same.
bool IsAuxiliary(const Terms& terms, NameId name);

/// A declaration that Lean makes on demand for another one (`f.eq_1`, `f.induct`, auxiliary ones):
/// two modules may both have made it.
bool IsGenerated(const Terms& terms, NameId name);

}  // namespace zermelo::trust
