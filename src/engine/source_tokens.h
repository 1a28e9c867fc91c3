// The tokens of a Lean text for trust::CheckSource: all that Lean could read as code.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trust/source_rules.h"

namespace zermelo::engine {

/// Whether Lean could read code in this text where we see a comment or a string. Our lexer knows
/// the core token table only; a file can add tokens (`+--`, `a"b`), and any syntax can read a
/// string with `{` as an interpolated one.
bool CouldHideCode(std::string_view text);

class SourceTokens {
 public:
  /// `everything`: what we see as comments and strings is judged too. The holes of s!"{…}" always
  /// are. Where the text declares a token like `+x`, Lean reads `+xelab` as two: then `elab` comes
  /// after `xelab`.
  SourceTokens(std::string_view text, bool everything);
  SourceTokens(const SourceTokens&) = delete;
  SourceTokens& operator=(const SourceTokens&) = delete;
  std::span<const trust::SourceToken> tokens() const { return tokens_; }

 private:
  std::string code_;  // the text without the quotes of what is judged as code
  std::vector<trust::SourceToken> tokens_;
};

}  // namespace zermelo::engine
