// Whether a macro of a Lean text only rewrites syntax.
#pragma once

#include <cstddef>
#include <span>

#include "trust/source_rules.h"

namespace zermelo::trust {

/// Whether the `macro`, `macro_rules` or `binder_predicate` at tokens[at] runs no code of its own:
/// each right side is one quotation `(…)`, or throwUnsupported, and each `$x` in it is a variable
/// of its left side. Conservative: false where the tokens do not tell. Linear.
bool IsQuotation(std::span<const SourceToken> tokens, size_t at);

/// Whether a token, first on its line, begins a command of Lean: nothing that stands before it can
/// go on there.
bool BeginsCommand(const SourceToken& token);

}  // namespace zermelo::trust
