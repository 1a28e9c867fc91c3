// A hole of a file as a site for trying proofs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "syntax/declarations.h"
#include "syntax/position.h"

namespace zermelo::syntax {

/// What a proof adds to a file: tactics in the hole, and auxiliary commands (its own lemmas) before
/// the declaration with the hole. Each line of the auxiliary commands ends with a line break;
/// usually there are none.
struct Proof {
  std::string tactics;
  std::string auxiliary;
  /// Both, in reading order.
  std::string Text() const { return auxiliary + tactics; }
  bool operator==(const Proof&) const = default;
};

/// A file, truncated after the declaration of interest, with tactics in the hole.
struct SiteDocument {
  std::string text;
  size_t begin = 0;                     // of the tactics, in bytes: where the first one begins
  size_t end = 0;                       // where the last one ends
  uint32_t first_line = 0;              // of the tactics, from 0
  uint32_t declaration_first_line = 0;  // the auxiliary commands and the declaration, inclusive
  uint32_t declaration_last_line = 0;
  uint32_t last_line = 0;  // of the text; empty
  LineRange DeclarationLines() const { return {declaration_first_line, declaration_last_line}; }
  /// Lean reports what is missing at the end of the declaration at the end of the text.
  bool InDeclaration(Position at) const {
    return DeclarationLines().Contains(at) || at.line >= last_line;
  }
};

class ProofSite {
 public:
  /// `declaration` and `hole` must come from FindDeclarations(text).
  ProofSite(std::string text, const Declaration& declaration, const Hole& hole);

  /// About five times Lean's default: the candidates of a probe share one heartbeat count, and each
  /// has its own time limit.
  static constexpr size_t kSearchHeartbeats = 1'000'000;
  /// For search: with this limit in place of the file's; the kernel setting is the worker's.
  SiteDocument ForSearch(std::string_view tactics, size_t heartbeats = kSearchHeartbeats) const;
  /// For confirmation: with the kernel on and the file's own limits.
  SiteDocument ForConfirmation(std::string_view tactics) const;
  SiteDocument ForConfirmation(const Proof& proof) const;

 private:
  SiteDocument Build(std::string_view option_line, const Proof& proof) const;

  std::string text_;       // up to the end of the declaration or its mutual block
  size_t options_at_ = 0;  // where option lines go: before the declaration or its mutual block
  Declaration declaration_;
  Hole hole_;
};

/// Where auxiliary commands go: the beginning of the line of a declaration of `text`, or of the
/// `mutual` block around it; the declaration itself if it shares its line with other code.
size_t PlaceOfAuxiliary(std::string_view text, const Declaration& declaration);

/// Inserts auxiliary commands at `place`, with the line breaks of `text`.
void InsertAuxiliary(std::string& text, size_t place, std::string_view auxiliary);

/// Number of lines that InsertAuxiliary adds before the beginning of the declaration's range.
/// An `… in` at the end of the commands belongs to that range.
size_t LinesOfAuxiliary(std::string_view auxiliary);

}  // namespace zermelo::syntax
