// The text of a statement: finding it in a file, and making it end in `sorry`.
#pragma once

#include <string>
#include <string_view>

#include "core/error.h"
#include "eval/datasets/dataset.h"

namespace zermelo::eval {

/// Splits a Lean text into the header, statement, trailer and theorem of a problem. `wanted`: the
/// name of the theorem; if the text has no such theorem, its last theorem, lemma or example is
/// taken. An existing proof is replaced by `sorry`. kInput: there is no theorem.
core::Status CutStatement(std::string_view text, const std::string& wanted, Problem& problem);

/// Completes a statement from a jsonl that stops at `:=` or `:= by` to end in `:= by\n  sorry`.
/// Other statements are returned without trailing blanks; CutStatement completes those that stop
/// before `:=`.
std::string EndWithSorry(std::string statement);

/// Whether a doc comment stands in it.
bool HasDocComment(std::string_view statement);

/// Wraps any text in one doc comment, "/-- … -/\n"; a text that already is one comment is kept.
std::string AsDocComment(const std::string& text);

/// Replaces `sorry`s that are data, such as `abbrev X_solution : T := sorry`, by the answers.
/// `known`: the answer that the benchmark gives elsewhere; used if there is exactly one such
/// `sorry`. Otherwise the answer is the comment below the `sorry` (PutnamBench), which is removed.
/// Returns the number of `sorry`s that stay open.
size_t GiveAnswers(std::string& text, const std::string& known);

}  // namespace zermelo::eval
