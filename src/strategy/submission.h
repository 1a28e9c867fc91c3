// Lean that a model wrote for a file: lemmas, definitions and the theorem, to be checked after the
// file's header and the lemmas that are known.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "lean/checker.h"
#include "llm/format.h"
#include "strategy/lemma_memory.h"
#include "strategy/limits.h"

namespace zermelo::strategy {

/// One declaration of a submission.
struct Declared {
  std::string keyword;    // "theorem" (also for a lemma), "def", "abbrev", "example"
  std::string name;       // as written; empty for an example
  std::string statement;  // StatementKey
  std::string head;       // `theorem foo (x : A) : P`, with what it is opened in
  std::string text;       // all of it but the doc comment
  std::string doc;        // the doc comment, without its marks
  bool has_sorry = false;
};

struct Submission {
  std::vector<Declared> declared;  // in order
  /// What is checked: commands that the file has already (imports, opens, scopes) are blank.
  std::string code;
  const Declared* Find(std::string_view name) const;
};

/// Any bytes. kInput, in words for the model: a command that has no place here (an axiom, a macro,
/// an `open` that the file does not have), text that is no declaration, an open bracket.
core::Result<Submission> ReadSubmission(std::string_view code, std::string_view header);

/// What Lean says of a submission.
struct Judgement {
  enum class Verdict { kAccepted, kOpen, kRefused, kUnknown };
  Verdict verdict = Verdict::kUnknown;  // kOpen: only `sorry`s are missing
  std::string report;  // for the model: errors with the lines they are in, what #check said, goals
  bool ended = false;  // kUnknown: the run has ended
};

/// Checks `code` after `header` and `lemmas`, the kernel on, for at most `limit`. Errors only those
/// that end a run: kEnvironment.
core::Task<core::Result<Judgement>> JudgeSubmission(lean::Checker& checker, std::string_view header,
                                                    std::string_view lemmas, std::string code,
                                                    core::Duration limit, Limits limits);

/// The statement of `theorem` as declared there, without `:= by`, and its key.
Declared TargetOf(const llm::PromptInput& theorem);

}  // namespace zermelo::strategy
