// The text of a statement: where it is in a file, and how it comes to end in `sorry`.
#pragma once

#include <string>
#include <string_view>

#include "core/error.h"
#include "eval/dataset.h"

namespace zermelo::eval {

/// Cuts a Lean text into header, statement, trailer and theorem of a problem. `wanted`: the name of
/// the theorem if the text has several; else the last theorem, lemma or example is meant. A proof
/// that stands there is taken away: what is left ends in `sorry`.
/// kInput: there is no theorem.
core::Status CutStatement(std::string_view text, const std::string& wanted, Problem& problem);

/// Ends a statement as written in a jsonl, which may stop at `:=`, `:= by` or before, with
/// `:= by\n  sorry`. One that has a proof or a `sorry` stays as it is.
std::string EndWithSorry(std::string statement);

/// A text about a statement as one doc comment, whatever it holds: "/-- … -/\n". What is one
/// comment already stays as it is.
std::string AsDocComment(const std::string& text);
/// The words of a comment without its marks.
std::string WithoutCommentMarks(const std::string& text);

/// Puts answers in place of the `sorry`s that are data, such as `abbrev X_solution : T := sorry`.
/// `known`: the answer as the benchmark has it elsewhere, for the one `sorry` that there is;
/// otherwise it stands in the comment below the `sorry` (PutnamBench), which is taken away. Answers
/// how many are still open.
size_t GiveAnswers(std::string& text, const std::string& known);

}  // namespace zermelo::eval
