// Lean code that a model wrote for a file (lemmas, definitions and the theorem), to be checked
// after the file's header and the known lemmas.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "strategy/lemma_store.h"
#include "strategy/session.h"
#include "syntax/theorem.h"

namespace zermelo::strategy {

/// One declaration of a submission.
struct Declared {
  std::string keyword;    // "theorem" (also for a lemma), "def", "abbrev", "example"
  std::string name;       // as written; empty for an example
  std::string key;        // DeclarationKey; that of a definition includes its value
  std::string signature;  // `(x : A) : P`
  std::string head;       // `theorem foo (x : A) : P`, including any `… in` prefix
  std::string value;      // ` := by simp`
  std::string doc;        // the doc comment without its delimiters
  bool has_sorry = false;

  /// The whole declaration without its doc comment.
  std::string Text() const { return head + value; }
};

struct Submission {
  std::vector<Declared> declared;  // in order
  /// The code to check; commands that the file has already (imports, opens, scopes) are blanked.
  std::string code;
  const Declared* Find(std::string_view name) const;
};

/// Reads a submission from any bytes. The first declaration that states one of the targets gets
/// that target's head, whatever its name in the code: later code may rely on its name, and a
/// negation on the namespaces opened in its head. Fails with kInput and a message for the model if
/// the code has a command that is not allowed (an axiom, a macro, an `open` that the file does not
/// have), text outside of declarations, or an unbalanced bracket.
core::Result<Submission> ReadSubmission(std::string_view code, std::string_view header,
                                        std::span<const Declared> targets = {});

/// Lean's verdict on a submission.
struct SubmissionReport {
  enum class Status { kAccepted, kOpen, kRefused, kUnknown };
  /// kOpen: accepted except for `sorry`s that are written in the code. A declaration that Lean says
  /// uses `sorry` although it does not have the word is refused.
  Status status = Status::kUnknown;
  std::string report;  // for the model: errors with their lines, output of #check, goals
  bool ended = false;  // kUnknown: the run has ended
};

/// Checks `code` by `role` after `header` and `lemmas` with the kernel on, for at most `limit`.
core::Task<SubmissionReport> JudgeSubmission(Session& session, std::string_view role,
                                             std::string_view header, std::string_view lemmas,
                                             std::string code, core::Duration limit);

/// The declaration, proved; `by`: its origin.
ProvedLemma LemmaOf(const Declared& declared, std::string by);

/// A theorem as a declaration without a value.
Declared TargetOf(const syntax::Theorem& theorem);

}  // namespace zermelo::strategy
