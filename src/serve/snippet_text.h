// What a snippet's text alone tells about it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "trust/source_rules.h"

namespace zermelo::serve {

struct SnippetAudit {
  // Constructions that an honest proof does not need, without `sorry`s and imports.
  std::vector<trust::SourceFinding> findings;
  // Lines, from 0, with a word that stands for an unfinished proof (`sorry`, `admit`, `sorryAx`).
  std::vector<size_t> unfinished;
  // It changes what text means, so that tokens and diagnostics do not tell what was proved.
  bool defines_syntax = false;
};
SnippetAudit Audit(std::string_view text);

/// The text with `sorry` for the value of every theorem: what it claims. Nothing to prove: the
/// text as it is.
std::string WithoutProofs(std::string_view text);

/// The Lean code in what a model wrote: the last block fenced as Lean, or the last fenced block, or
/// everything; without the special tokens that end a generation.
std::string ExtractLean(std::string_view output);

/// A candidate for a statement: code that has declarations gets the statement's imports when it has
/// none; code that has none is a proof, and takes the place of the statement's only `sorry`.
std::string Assemble(const std::string& statement, const std::string& code);

}  // namespace zermelo::serve
