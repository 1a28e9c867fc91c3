// Which errors of a file spoil which of its declarations.
#pragma once

#include <string_view>
#include <vector>

#include "lean/declarations.h"
#include "lean/diagnostic.h"

namespace zermelo::engine {

inline constexpr size_t kNoDeclaration = static_cast<size_t>(-1);

struct FileError {
  const lean::Diagnostic* diagnostic = nullptr;  // the first error there
  size_t declaration = kNoDeclaration;           // where it is; kNoDeclaration: between them
  std::vector<size_t> spoils;  // later declarations that mention it, directly or through others
};

/// Whether Lean misses compiled code of its own library: the embedded Lean lacks most of it.
bool IsMissingLibraryCode(const lean::Diagnostic& diagnostic);

/// Whether Lean only has no code for a definition, which no proof needs.
bool IsCodeGenerationError(const lean::Diagnostic& diagnostic);

/// One entry for each declaration with errors, and one for each error outside, in file order.
/// Mentioning is judged by the last part of names, so `spoils` can hold too many, not too few.
/// `diagnostics` must outlive the result. Code generation does not count.
std::vector<FileError> FindErrors(std::string_view text,
                                  const std::vector<lean::Declaration>& declarations,
                                  const std::vector<lean::Diagnostic>& diagnostics);

}  // namespace zermelo::engine
