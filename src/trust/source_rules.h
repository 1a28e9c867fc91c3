// Cheap rules on the text of a candidate, before Lean sees it.
//
// They refuse what an honest proof does not need and a dishonest one does: code that runs while
// Lean elaborates, options and attributes that weaken checks, axioms, `sorry`. They explain early;
// the verdict (verdict.h) does not rest on them, except where code that runs inside Lean could put
// a declaration past the kernel: no .olean shows that afterwards, so such code is refused here.
//
// Rules look at tokens, so a comment with `sorry` or a theorem `axiom_of_choice` is nothing to
// them.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "trust/reason.h"

namespace zermelo::trust {

/// A token of Lean text; comments are left out. Any tokenizer will do that keeps `Foo.bar`, `#eval`
/// and `«a b»` whole.
struct SourceToken {
  enum class Kind {
    kWord,    // identifier or keyword
    kSymbol,  // `@[`, `]`, `+`, …
    kOther,   // number, string, character, doc comment
  };
  Kind kind = Kind::kOther;
  std::string_view text;
  size_t line = 0;  // 0-based
};

struct SourceFinding {
  Reason reason;
  size_t line = 0;  // in the candidate, 1-based
};

/// What the candidate's text has and the original's does not, in order of lines. Empty: no
/// objection. Linear; any tokens are accepted.
std::vector<SourceFinding> CheckSource(std::span<const SourceToken> original,
                                       std::span<const SourceToken> candidate);

}  // namespace zermelo::trust
