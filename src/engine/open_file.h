// A file with `sorry`s: what is to be proved in it, and how much of it Lean takes as it stands.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/async.h"
#include "core/error.h"
#include "core/text.h"
#include "engine/file_errors.h"
#include "lean/checker.h"
#include "lean/declarations.h"
#include "lean/toolchain.h"
#include "llm/budget.h"

namespace zermelo::engine {

/// For a whole file, once: reading it, or verifying it.
inline constexpr auto kWholeFileLimit = std::chrono::minutes(15);

enum class TheoremStatus {
  kProved,    // accepted (acceptance.h)
  kUnproved,  // the budget ended, or acceptance refused the proof; `message` says which
  kError,     // the declaration does not elaborate as it stands; `message` says why
};
const char* Name(TheoremStatus status);  // "proved", "unproved", "error"

/// What a hole is called in requests and results: "foo", "foo.h₁" for a nested have; the `nth` one
/// (from 0, of those that a proof may be looked for) on a line (from 1).
std::string HoleName(const lean::Declaration& declaration, const lean::DeclarationHole& hole,
                     size_t line, size_t nth);

struct TheoremResult {
  std::string name;  // "foo", "foo.h₁" for a nested have; "example (line 12)" when it has none
  size_t line = 0;   // of the `sorry`, from 1
  TheoremStatus status = TheoremStatus::kUnproved;
  std::string proof;      // tactics; empty unless proved
  std::string auxiliary;  // what it puts before the declaration (lean::Proof); mostly empty
  std::vector<std::string> proofs;  // all distinct ones, when all were wanted; the first is `proof`
  std::string message;
  std::vector<std::string> axioms;  // that the declaration rests on, once it is proved
  double seconds = 0;
  uint64_t checks = 0;                         // documents that Lean elaborated for it
  uint64_t samples = 0;                        // candidates tried
  std::map<std::string, llm::Spending> roles;  // what models were paid, by what they were asked for
  size_t depth = 0;                            // of decompositions into subgoals
  std::string progress;                        // "depth 2, 3 of 4 subgoals proved"; mostly nothing
  std::vector<std::string> lemmas;             // subgoals with their proofs, when it is unproved
};

/// A hole to fill, its declaration, and how it went.
struct Target {
  size_t declaration = 0;  // index into the file's declarations
  lean::DeclarationHole hole;
  TheoremResult result;
};

/// A message of Lean as results show it: its beginning, where it is long.
std::string Shortened(const std::string& message);

class OpenFile {
 public:
  explicit OpenFile(std::string text);

  /// Finds what is to be proved: the holes of `theorems` (full names, or the end of one), or of all
  /// where there are none. Holes that are no proofs are noted. kUsage: a name that is not there,
  /// with the nearest, or that has no `sorry`.
  core::Status FindTargets(const std::vector<std::string>& theorems);

  /// Elaborates the file as it is, on `readers` workers at once, so that each has read it. A target
  /// whose declaration has errors, or that Lean did not get to (no "declaration uses sorry"),
  /// cannot be worked on. Then declarations with errors, and stretches between them, are blanked
  /// until Lean has no complaint: the clean text. Errors as the checker's.
  core::Task<core::Status> Read(lean::Checker& checker, size_t readers,
                                const lean::Toolchain& toolchain);

  const std::string& text() const { return text_; }
  const std::vector<lean::Declaration>& declarations() const { return declarations_; }
  std::vector<Target>& targets() { return targets_; }
  const std::vector<Target>& targets() const { return targets_; }
  const lean::Declaration& DeclarationOf(const Target& target) const {
    return declarations_[target.declaration];
  }
  /// Sentences: a `sorry` that is data, an error and what it spoils.
  const std::vector<std::string>& notes() const { return notes_; }

  /// The file without what does not elaborate, byte for byte in its place: what can be compiled.
  const std::string& clean_text() const { return clean_text_; }
  /// By declaration: which one it is in the clean text; kNoDeclaration: it is not there.
  const std::vector<size_t>& clean_index() const { return clean_index_; }
  size_t clean_count() const { return clean_count_; }
  /// A text of this file as acceptance may compile it.
  std::string Acceptable(std::string text) const;

 private:
  bool Wanted(const std::vector<std::string>& theorems, const lean::Declaration& declaration,
              const std::string& name) const;
  core::Status CheckNames(const std::vector<std::string>& theorems) const;
  void JudgeTargets(const std::vector<lean::Diagnostic>& diagnostics);
  core::Task<core::Status> MakeCleanText(lean::Checker& checker,
                                         std::vector<lean::Diagnostic> diagnostics);
  void IndexCleanText();
  void Blank(const FileError& error);
  void NoteErrorsElsewhere(const std::vector<lean::Diagnostic>& diagnostics,
                           const lean::Toolchain& toolchain);

  const std::string text_;
  const std::vector<lean::Declaration> declarations_;
  const core::LineIndex lines_;
  std::vector<Target> targets_;
  std::vector<std::string> notes_;
  std::string clean_text_;
  std::vector<size_t> clean_index_;
  size_t clean_count_ = 0;
  bool lacks_code_ = false;  // Lean has no code for parts of its own library
};

}  // namespace zermelo::engine
