// A file with `sorry`s: its targets, and the part of it that Lean accepts unchanged.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/async.h"
#include "core/error.h"
#include "core/text.h"
#include "engine/acceptance/file_errors.h"
#include "engine/acceptance/kernels.h"
#include "engine/acceptance/outcome.h"
#include "lean/checker.h"
#include "lean/toolchain.h"
#include "llm/budget.h"
#include "strategy/strategy.h"
#include "syntax/file.h"
#include "syntax/file_constants.h"

namespace zermelo::engine {

/// Time limit for elaborating a whole file once, when reading or verifying it.
inline constexpr auto kWholeFileLimit = std::chrono::minutes(15);

enum class TheoremStatus {
  kProved,      // accepted (acceptance.h)
  kProvedFrom,  // would be accepted if the theorems that it names (`from`) had proofs
  kUnproved,    // the budget ran out, or acceptance rejected the proof; `message` says which
  kError,       // it cannot be proved as it stands, or Lean died on it; `message` says why
};
const char* Name(TheoremStatus status);  // "proved", "proved_from", "unproved", "error"

/// The name of a hole in requests and results: "foo", "foo.h₁" for a nested `have`. `line`: of the
/// hole, from 1. `nth`: its index among the provable holes of the declaration, from 0.
std::string HoleName(const syntax::Declaration& declaration, const syntax::DeclarationHole& hole,
                     size_t line, size_t nth);

struct TheoremResult {
  std::string name;  // "foo", "foo.h₁" for a nested have; "example (line 12)" if anonymous
  size_t line = 0;   // of the `sorry`, from 1
  TheoremStatus status = TheoremStatus::kUnproved;
  bool crashed = false;   // kError, because Lean died on it
  std::string proof;      // tactics; empty unless HasProof
  std::string auxiliary;  // commands inserted before the declaration (syntax::Proof); often empty
  std::vector<std::string> proofs;  // all distinct ones, if requested; the first is `proof`
  std::string message;
  std::vector<std::string> from;    // theorems above it without proofs, that its proof uses
  std::vector<std::string> axioms;  // that the declaration depends on, once it is proved
  std::vector<trust::KernelVerdict> kernels;  // that judged the file with the proof
  double seconds = 0;
  uint64_t checks = 0;   // documents that Lean elaborated for it
  uint64_t samples = 0;  // candidates tried
  strategy::StatesUse states;
  std::map<std::string, llm::Spending> roles;  // spending on models, by role
  size_t depth = 0;                            // of decompositions into subgoals
  std::string progress;                        // "depth 2, 3 of 4 subgoals proved"; often empty
  std::deque<strategy::ProvedLemma> lemmas;    // subgoals with proofs, if it is unproved
};
/// kAccepted; kOpen for kProvedFrom and kUnproved; kCrashed or kRejected for kError.
Outcome OutcomeOf(const TheoremResult& theorem);
/// {"name", "line", "status", "outcome", "proof" (null: none), "proofs", "seconds", "checks",
/// "samples", "axioms"}, for one with a proof {"kernels"} (KernelsJson) and, unless empty, {"from",
/// "auxiliary", "message", "progress", "depth", "lemmas" (texts), "roles", "states" ({"tried",
/// "failed", "refuted"})}.
void to_json(nlohmann::json& json, const TheoremResult& theorem);
/// Whether there is a proof to deliver: kProved, kProvedFrom.
bool HasProof(const TheoremResult& theorem);
/// Sets the status of a target with a proof, and its message, by the open theorems that the proof
/// uses.
void SetFrom(std::vector<std::string> open, TheoremResult* theorem);

/// A hole to fill, its declaration, and its result.
struct Target {
  size_t declaration = 0;  // index into the file's declarations
  syntax::DeclarationHole hole;
  TheoremResult result;
};

/// A message of Lean for results, truncated if it is long.
std::string Shortened(const std::string& message);

class OpenFile {
 public:
  /// `imported`: what the modules of its project declare (project_imports.h).
  explicit OpenFile(std::string text, std::vector<syntax::FileConstant> imported = {});

  /// Sets the targets: the holes of `theorems` (full names or suffixes of them), or all holes if it
  /// is empty; with `hole`, only the one that begins at this byte. Holes that are not proofs get a
  /// note instead. kUsage: a name that the file does not have (the hint gives the nearest), or that
  /// has no `sorry`.
  core::Status FindTargets(const std::vector<std::string>& theorems,
                           std::optional<size_t> hole = std::nullopt);

  /// Elaborates the file unchanged, `readers` times (ProveRequest). These targets become kError:
  /// those whose declaration has errors or that Lean did not reach (no "declaration uses sorry"),
  /// those whose statement depends on a definition with a `sorry`, and those of an instance that
  /// are data. Then blanks declarations with errors, and erroneous text between declarations, until
  /// Lean reports no error; the result is the clean text. Errors: as the checker's.
  core::Task<core::Status> Read(lean::Checker& checker, size_t readers,
                                const lean::Toolchain& toolchain);

  const syntax::File& parsed() const { return file_; }
  const std::string& text() const { return file_.text(); }
  const std::vector<syntax::Declaration>& declarations() const { return file_.declarations(); }
  std::vector<Target>& targets() { return targets_; }
  const std::vector<Target>& targets() const { return targets_; }
  const syntax::Declaration& DeclarationOf(const Target& target) const {
    return declarations()[target.declaration];
  }
  enum class OpenTheorems { kOpen, kAssumed };
  /// What is imported and what stands above a target, including what does not elaborate, with
  /// `open` set according to the proofs found so far. With kAssumed, theorems that elaborate count
  /// as proved.
  std::shared_ptr<const std::vector<syntax::FileConstant>> Above(
      const Target& target, OpenTheorems theorems = OpenTheorems::kOpen) const;
  /// Sentences for the user: `sorry`s that are data, errors and the targets that they affect.
  const std::vector<std::string>& notes() const { return notes_; }
  /// Whether Lean reports an error where no target is, or a `sorry` that the file does not write.
  bool has_faults() const { return has_faults_; }

  /// The file with everything that does not elaborate blanked, at the same byte offsets: it
  /// compiles.
  const std::string& clean_text() const { return clean_text_; }
  /// By declaration: its index in the clean text; kNoDeclaration: it was blanked.
  const std::vector<size_t>& clean_index() const { return clean_index_; }
  size_t clean_count() const { return clean_count_; }
  /// Prepares a version of this file for acceptance, which must be able to compile it.
  std::string Acceptable(std::string text) const;

 private:
  bool Wanted(const std::vector<std::string>& theorems, const syntax::Declaration& declaration,
              const std::string& name) const;
  core::Status CheckNames(const std::vector<std::string>& theorems) const;
  void JudgeTargets(const std::vector<lean::Diagnostic>& diagnostics);
  core::Task<core::Status> MakeCleanText(lean::Checker& checker,
                                         std::vector<lean::Diagnostic> diagnostics);
  void IndexCleanText();
  void Blank(const FileError& error);
  void NoteErrorsElsewhere(const std::vector<lean::Diagnostic>& diagnostics,
                           const lean::Toolchain& toolchain);
  void NoteHiddenSorrys(const std::vector<lean::Diagnostic>& diagnostics);
  void NoteSkipped(const syntax::Declaration& declaration, const syntax::DeclarationHole& hole);
  core::Task<core::Status> SortOutUnprovable(lean::Checker& checker);

  const syntax::File file_;
  const std::vector<syntax::FileConstant> imported_;
  const std::vector<syntax::FileConstant> constants_;
  const core::LineIndex lines_;
  std::vector<Target> targets_;
  std::vector<std::string> notes_;
  bool has_faults_ = false;
  std::string clean_text_;
  std::vector<size_t> clean_index_;
  size_t clean_count_ = 0;
  bool lacks_code_ = false;  // Lean lacks code for parts of its own library
};

}  // namespace zermelo::engine
