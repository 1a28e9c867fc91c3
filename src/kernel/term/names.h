// Classifies the names of Lean declarations.
#pragma once

#include "kernel/term/term.h"

namespace zermelo::kernel {

/// The prefix `_private.M.0` of `_private.M.0.f`; kAnonymous if the name is not private.
NameId PrivatePrefix(const Terms& terms, NameId name);

/// Whether elaboration generated and numbered this declaration (`f._proof_1`, `f.match_2`). Its
/// name may differ between two files with the same content.
bool IsAuxiliary(const Terms& terms, NameId name);

/// Whether a macro made up this name (`helper._@.M.1234._hygCtx._hyg.5`). It shows where the macro
/// was used and changes when the text before it grows.
bool IsMacroScoped(const Terms& terms, NameId name);

/// Whether Lean makes this declaration on demand for another one (`f.eq_1`, `f.induct`, auxiliary
/// ones). Two modules may both have made it.
bool IsGenerated(const Terms& terms, NameId name);

/// The declaration that a generated one belongs to: `f` for `f.match_2._proof_1` or `f.eq_1`.
/// Returns any other name unchanged.
NameId WithoutGenerated(const Terms& terms, NameId name);

}  // namespace zermelo::kernel
