// Imports that are not there, and what to do about them.
#pragma once

#include <string>

#include "lean/diagnostic.h"
#include "lean/toolchain.h"

namespace zermelo::lean {

/// What to do when a message says that an imported module is missing or not built, as Lean 4.9 to
/// 4.35 word it; empty when it says something else.
std::string ImportHint(const Diagnostic& diagnostic, const Toolchain& toolchain);

}  // namespace zermelo::lean
