// For tests only: sites in small files.
#pragma once

#include <string>

#include "syntax/declarations.h"
#include "syntax/proof/proof_site.h"

namespace zermelo::syntax::testing {

/// The first hole of the last declaration.
inline ProofSite LastSite(const std::string& text) {
  const auto declarations = FindDeclarations(text);
  return ProofSite(text, declarations.back(), declarations.back().holes.at(0));
}

}  // namespace zermelo::syntax::testing
