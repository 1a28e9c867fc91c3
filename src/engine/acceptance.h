// The word "proved" is said here and nowhere else.
#pragma once

#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/async.h"
#include "core/cancellation.h"
#include "core/error.h"
#include "lean/compiler.h"
#include "lean/toolchain.h"
#include "trust/verdict.h"

namespace zermelo::engine {

/// A target of a verdict: a declaration that has a `sorry` in the original.
struct JudgedTarget {
  size_t declaration = 0;  // index into FindDeclarations(original); kNowhere if it is not there
  std::string name;        // full name; "example (line 12)" when it has none
  bool accepted = false;
  std::vector<trust::Reason> reasons;
  std::vector<std::string> axioms;
};

struct AcceptanceReport {
  bool accepted = false;               // every target is, and there is at least one
  std::vector<trust::Reason> reasons;  // what is wrong with the whole candidate
  std::vector<JudgedTarget> targets;
  std::vector<lean::Diagnostic> diagnostics;  // of the candidate's compilation
  std::optional<core::Error> lost;  // why the compilation did not end by itself; then a reason, too
  size_t library_modules = 0;       // imported modules, trusted as shipped
  std::string library_fingerprint;
  double lean_seconds = 0;   // both compilations
  double judge_seconds = 0;  // everything else
};

struct AcceptanceOptions {
  std::vector<std::string> allowed_axioms = trust::StandardAxioms();
  bool allow_more_imports = false;
  core::Deadline deadline;
  core::Cancellation* cancellation = nullptr;  // may be null; must outlive the judgement
};

/// Judges candidates against one original. Both are compiled by fresh processes with the kernel on,
/// from exactly the given texts, except that an `example` of the original, which leaves nothing
/// behind to look at, is compiled as a theorem with a name of ours, in both texts.
class Acceptance {
 public:
  /// `toolchain` must outlive it. `library` holds what was read of the toolchain's library before;
  /// one Acceptance at a time may have it. Null: a new one.
  Acceptance(core::Executor executor, const lean::Toolchain& toolchain, std::string original,
             std::shared_ptr<trust::Library> library = nullptr);
  static std::shared_ptr<trust::Library> NewLibrary(const lean::Toolchain& toolchain);

  /// Starts a Lean for the original and one for the first candidate now, when a judgement is sure
  /// to come but its candidate is not there yet. Otherwise Judge starts them, if the source alone
  /// does not decide. Again: nothing. kEnvironment: Lean cannot be started.
  core::Status StartAhead();

  /// `targets`: indices of the original's declarations; nothing: every one with a provable hole.
  /// Errors: kInput when the original does not compile (the first message is in it), kCrashed,
  /// kTimeout, kCancelled, kEnvironment. A bad candidate is a report, also one on which Lean
  /// crashes or does not end in time.
  core::Task<core::Result<AcceptanceReport>> Judge(std::string candidate,
                                                   std::optional<std::vector<size_t>> targets,
                                                   AcceptanceOptions options);

 private:
  core::Task<core::Status> CompileOriginal(const AcceptanceOptions& options);
  core::Task<core::Result<lean::CompileResult>> Compile(std::unique_ptr<lean::Compiler>& compiler,
                                                        std::string text,
                                                        const AcceptanceOptions& options);
  void ReadLibraryAhead();

  const core::Executor executor_;
  const lean::Toolchain& toolchain_;
  const std::string original_;
  std::unique_ptr<lean::Compiler> original_compiler_;   // keeps the .olean
  std::unique_ptr<lean::Compiler> candidate_compiler_;  // up and waiting for its text
  bool original_compiled_ = false;
  const std::shared_ptr<trust::Library> library_;
  std::future<void> library_read_;  // on a thread of its own, while Lean compiles
};

}  // namespace zermelo::engine
