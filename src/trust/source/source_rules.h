// Cheap rules on the text of a candidate, applied before Lean sees it.
//
// They reject what an honest proof does not need and a dishonest one does: code that runs while
// Lean elaborates, options and attributes that weaken checks, axioms, `sorry`. They explain early;
// the verdict (verdict.h) does not depend on them, with one exception: code that runs inside Lean
// could get a declaration past the kernel, which no .olean shows afterwards, so such code is
// rejected here. What only switches Lean's own kernel off, or leaves proofs out, is a hint where
// another kernel has accepted the result.
//
// Rules look at tokens, so a comment with `sorry` or a theorem `axiom_of_choice` does not match.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trust/reason.h"

namespace zermelo::trust {

/// A token of Lean text (source_tokens.h); comments are left out.
struct SourceToken {
  enum class Kind {
    kWord,    // identifier or keyword
    kSymbol,  // `@[`, `]`, `+`, …
    kOther,   // number, string, character, doc comment
  };
  Kind kind = Kind::kOther;
  std::string_view text;  // a part of the text, as those of the other tokens, in order
  size_t line = 0;        // 0-based
};

struct SourceFinding {
  Reason reason;
  size_t line = 0;  // in the candidate, 1-based
  /// What it is if a kernel of its own, which no option reaches, has accepted the compiled file: a
  /// sentence. Empty: it is refused whatever a kernel says.
  std::string hint;
  bool is_program = false;  // code that runs inside Lean while it elaborates; has a hint
};

/// The forbidden things in the candidate's text that the original does not have, in order of lines.
/// Empty: no objection. Linear; any tokens are accepted.
std::vector<SourceFinding> CheckSource(std::span<const SourceToken> original,
                                       std::span<const SourceToken> candidate);

}  // namespace zermelo::trust
