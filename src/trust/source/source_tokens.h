// The tokens of a Lean text for CheckSource: everything that Lean could read as code.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trust/source/source_rules.h"

namespace zermelo::trust {

/// Whether Lean could read code where our lexer sees a comment or a string. The lexer knows only
/// the core token table; a file can add tokens (`+--`, `a"b`), and any syntax can read a string
/// with `{` as an interpolated one.
bool CouldHideCode(std::string_view text);

/// The first rule (source_rules.h) that code breaks for which there is no original, as a sentence.
/// `sorry` and imports are left to the caller. nullopt: no objection.
std::optional<std::string> Objection(std::string_view code);

/// Brackets of code that may be hostile. Counts more than syntax::Nesting does: any token that ends
/// in `[` opens, whatever notation it is.
constexpr bool Opens(std::string_view token) {
  return token == "(" || token == "{" || token == "⟨" || token.ends_with('[');
}
constexpr bool Closes(std::string_view token) {
  return token == ")" || token == "}" || token == "⟩" || token == "]";
}

class SourceTokens {
 public:
  /// kEverything: comments and strings, too. The holes of s!"{…}" are always tokenized.
  enum class Part : uint8_t { kCode, kEverything };

  /// If the text declares a token like `+x`, Lean reads `+xelab` as two tokens: then `elab` follows
  /// `xelab` in tokens().
  SourceTokens(std::string_view text, Part part);
  /// kEverything if the text could hide code, else kCode.
  explicit SourceTokens(std::string_view text)
      : SourceTokens(text, CouldHideCode(text) ? Part::kEverything : Part::kCode) {}
  SourceTokens(const SourceTokens&) = delete;
  SourceTokens& operator=(const SourceTokens&) = delete;
  std::span<const SourceToken> tokens() const { return tokens_; }

 private:
  std::string code_;  // the text, with blanks for the quotes around text judged as code
  std::vector<SourceToken> tokens_;
};

}  // namespace zermelo::trust
