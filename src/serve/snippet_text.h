// Analyses and edits the text of snippets, without Lean.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "trust/source/source_rules.h"

namespace zermelo::serve {

struct SnippetAudit {
  // Constructions that an honest proof does not need, except `sorry`s and imports.
  std::vector<trust::SourceFinding> findings;
  // Lines, from 0, with a word for an unfinished proof (`sorry`, `admit`, `sorryAx`).
  std::vector<size_t> unfinished;
  // The text defines syntax, so tokens and diagnostics do not show reliably what it proves.
  bool defines_syntax = false;
};
SnippetAudit Audit(std::string_view text);

/// Returns the text with the value of every theorem replaced by `sorry`, that is, its claims.
/// Without theorems it is returned unchanged.
std::string WithoutProofs(std::string_view text);

/// Extracts the Lean code from a model's output: the last block fenced as Lean, else the last
/// fenced block, else everything; without the special tokens at the end of a generation.
std::string ExtractLean(std::string_view output);

/// Whether a prompt has opened a code fence that the answer continues.
bool OpensFence(std::string_view prompt);

/// The code in a model's answer to `prompt`, together with the prompt's code if the answer
/// continues it. `query`: prompt and answer as one text, or the answer alone.
std::string CodeOfAnswer(const std::string& query, const std::string& prompt);

/// The tactics of a proof that may be given as `by` with tactics. The lines of a block keep their
/// columns relative to each other.
std::string WithoutBy(const std::string& proof);

/// Builds the candidate for a statement from a model's code. Code with declarations gets the
/// statement's imports if it has none. Code without declarations is a proof and replaces the
/// statement's `sorry`, if there is exactly one; otherwise it is returned unchanged.
std::string Assemble(const std::string& statement, const std::string& code);

}  // namespace zermelo::serve
