// Hints for imports that are missing or not built.
#pragma once

#include <string>

#include "lean/diagnostic.h"
#include "lean/toolchain.h"

namespace zermelo::lean {

/// The hint for a message that an imported module is missing or not built, in the wording of Lean
/// 4.9 to 4.35; empty for other messages.
std::string ImportHint(const Diagnostic& diagnostic, const Toolchain& toolchain);

}  // namespace zermelo::lean
