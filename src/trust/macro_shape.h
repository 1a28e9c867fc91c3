// Decides whether a macro in Lean text only rewrites syntax.
#pragma once

#include <cstddef>
#include <span>

#include "trust/source/source_rules.h"

namespace zermelo::trust {

/// Whether the `macro`, `macro_rules` or `binder_predicate` at tokens[at] runs no code of its own:
/// each right side is one quotation `(…)`, or throwUnsupported, and each `$x` in it is a variable
/// of its left side. Conservative: false if the tokens do not show it. Linear.
bool IsQuotation(std::span<const SourceToken> tokens, size_t at);

/// Whether a token that is first on its line begins a Lean command, so that nothing before it can
/// continue there.
bool BeginsCommand(const SourceToken& token);

}  // namespace zermelo::trust
