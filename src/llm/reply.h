// Extracts the Lean code from a model's reply. policy/reply_proof.h reads the code itself.
//
// Pure functions; any bytes are accepted; linear in their input.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "llm/prompt/format.h"

namespace zermelo::llm {

/// The text without its reasoning: without everything between `<think>` and `</think>`, after a
/// `<think>` that is not closed, and before a `</think>` that was opened in the prompt.
std::string WithoutThinking(std::string_view text);

enum class NoCode {
  kEmpty,         // only blanks
  kOnlyThinking,  // the reply ends before the answer
  kNoBlock,       // an answer, but no code block in it
  kEmptyBlock,
};
/// "the reply has no code block", …
const char* Explain(NoCode reason);

/// The Lean code in a reply, by kind:
/// - continuation: everything before the first code fence, leading blanks included;
/// - block: the last block marked lean or lean4; without one, the last unmarked block. A block that
///   is not closed ends with the text. Blocks of other languages are ignored;
/// - tactic: the text, or its block, without surrounding blanks and without the echo of a prompt
///   that ends in `:::`.
tl::expected<std::string, NoCode> FindCode(ReplyKind kind, std::string_view reply);

}  // namespace zermelo::llm
