// From what a model said to the Lean code in it. Lean itself is not looked at here: that is
// policy/reply_proof.h.
//
// Pure functions; any bytes are accepted; linear in their input.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "llm/format.h"

namespace zermelo::llm {

/// The text without its thinking: what stands between `<think>` and `</think>`, everything from a
/// `<think>` on that is not closed, and everything up to a `</think>` that was opened in the
/// prompt.
std::string WithoutThinking(std::string_view text);

enum class NoCode {
  kEmpty,         // nothing but blanks
  kOnlyThinking,  // the model did not get to its answer
  kNoBlock,       // an answer, but no code block in it
  kEmptyBlock,
};
/// "the reply has no code block", …
const char* Explain(NoCode reason);

/// The Lean in a reply, as `kind` says it is written:
/// - continuation: everything before the first code fence, blanks at the beginning included;
/// - block: the last block marked lean or lean4, else the last without a mark. A block that is not
///   closed ends with the text. Blocks of other languages are no code;
/// - tactic: the text, or its block, without blanks around it and without the echo of a prompt that
///   ends in `:::`.
tl::expected<std::string, NoCode> FindCode(ReplyKind kind, std::string_view reply);

}  // namespace zermelo::llm
