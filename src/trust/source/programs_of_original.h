// What stands before a program of the original in the candidate, and may change what it does.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "trust/source/source_rules.h"

namespace zermelo::trust {

/// A program of the original (`#eval`, `elab`, …) is not judged, but the names in it mean what is
/// declared before it. So every command of the candidate up to the one with the token `program`
/// must be
/// - the next command of the original, of which queries (`#eval`) and theorems may be left out,
/// - the same with another value, if it had a `sorry`, or
/// - an added theorem;
/// where values contain no command and declare nothing else. Returns the first token of the first
/// command that is none of these. Linear.
std::optional<size_t> FirstChangeBefore(std::span<const SourceToken> original,
                                        std::span<const SourceToken> candidate, size_t program);

}  // namespace zermelo::trust
