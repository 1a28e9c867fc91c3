// A hole of a file as a place to try proofs in.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "lean/declarations.h"
#include "lean/diagnostic.h"

namespace zermelo::lean {

/// A file, cut after the declaration of interest, with tactics in the hole.
struct SiteDocument {
  std::string text;
  size_t begin = 0;                     // of the tactics, in bytes: where the first one begins
  size_t end = 0;                       // where the last one ends
  uint32_t first_line = 0;              // of the tactics, from 0
  uint32_t declaration_first_line = 0;  // the declaration with the hole, inclusive
  uint32_t declaration_last_line = 0;
  bool InDeclaration(const Diagnostic& d) const {
    return d.begin.line >= declaration_first_line && d.begin.line <= declaration_last_line;
  }
};

class ProofSite {
 public:
  /// `declaration` and `hole` are of `text` (FindDeclarations).
  ProofSite(std::string text, const Declaration& declaration, const Hole& hole);

  /// For trying: the search's heartbeat limit, whatever kernel the worker was started with.
  SiteDocument ForSearch(std::string_view tactics) const;
  /// For believing: the kernel on, the file's own limits.
  SiteDocument ForConfirmation(std::string_view tactics) const;

 private:
  SiteDocument Build(std::string_view option_line, std::string_view tactics) const;

  std::string text_;       // up to the end of the declaration (of the mutual block that it is in)
  size_t options_at_ = 0;  // where an option line may stand: before the declaration or its mutual
  Declaration declaration_;
  Hole hole_;
};

}  // namespace zermelo::lean
