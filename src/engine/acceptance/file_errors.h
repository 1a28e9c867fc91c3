// The errors of a file and the declarations that each affects.
#pragma once

#include <string_view>
#include <vector>

#include "lean/diagnostic.h"
#include "syntax/declarations.h"

namespace zermelo::engine {

inline constexpr size_t kNoDeclaration = static_cast<size_t>(-1);

struct FileError {
  const lean::Diagnostic* diagnostic = nullptr;  // the first error at this place
  size_t declaration = kNoDeclaration;           // index; kNoDeclaration: between declarations
  std::vector<size_t> spoils;  // later declarations that mention it, directly or through others
};

/// Whether Lean lacks compiled code of its own library. The embedded Lean lacks most of it.
bool IsMissingLibraryCode(const lean::Diagnostic& diagnostic);

/// Whether Lean only failed to generate code for a definition; proofs do not need the code.
bool IsCodeGenerationError(const lean::Diagnostic& diagnostic);

/// One entry per declaration with errors and one per error between declarations, in file order.
/// Mentions are matched by the last component of names, so `spoils` may contain too many
/// declarations, never too few. `diagnostics` must outlive the result. Ignores errors of code
/// generation.
std::vector<FileError> FindErrors(std::string_view text,
                                  const std::vector<syntax::Declaration>& declarations,
                                  const std::vector<lean::Diagnostic>& diagnostics);

}  // namespace zermelo::engine
