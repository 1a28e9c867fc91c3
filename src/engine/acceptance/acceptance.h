// Verdicts on proofs: only what an Acceptance accepts is called "proved".
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/async.h"
#include "core/cancellation.h"
#include "core/error.h"
#include "core/process/sandbox.h"
#include "engine/acceptance/imports_judge.h"
#include "engine/acceptance/kernels.h"
#include "engine/acceptance/library_reader.h"
#include "engine/acceptance/other_kernels.h"
#include "lean/compile/compiler.h"
#include "lean/toolchain.h"
#include "syntax/file.h"
#include "trust/verdict.h"

namespace zermelo::engine {

/// The verdict on one target, a declaration that has a `sorry` in the original.
struct JudgedTarget {
  size_t declaration = 0;  // index into FindDeclarations(original), or kNowhere
  std::string name;        // syntax::Declaration::DisplayName
  bool accepted = false;
  std::vector<trust::Reason> reasons;
  std::vector<std::string> axioms;
  std::vector<std::string> from;  // as in trust::TargetVerdict
  bool otherwise_complete = false;
};

/// The display names of all declarations of a file. Anonymous ones on one line are told apart: the
/// second becomes "example (line 12, number 2)".
std::vector<std::string> DisplayNames(const std::vector<syntax::Declaration>& declarations);

struct AcceptanceReport {
  bool accepted = false;               // there is at least one target, and every target is accepted
  std::vector<trust::Reason> reasons;  // against the candidate as a whole
  std::vector<trust::Reason> hints;    // that would be reasons without a kernel that has accepted
  /// The candidate, which Lean got, has code that runs inside Lean: it was allowed to.
  bool runs_programs = false;
  std::vector<JudgedTarget> targets;
  std::vector<lean::Diagnostic> diagnostics;  // of the candidate's compilation
  /// That judged. Empty: Zermelo's is off, or the file as a whole is refused for another reason.
  std::vector<trust::KernelVerdict> kernels;
  /// If a kernel rejects what Lean compiled, although the text does not switch Lean's kernel off:
  /// the folder with both files (Keep), or why they could not be kept.
  std::string disagreement;
  std::optional<core::Error> lost;  // compilation crashed or timed out; `reasons` says so, too
  size_t library_modules = 0;       // imported modules, trusted as shipped
  std::string library_fingerprint;
  /// KernelUse::kAll: what Zermelo's kernel says of these modules, unless the candidate is
  /// rejected.
  std::optional<trust::ImportsVerdict> imports;
  double lean_seconds = 0;    // both compilations
  double judge_seconds = 0;   // everything else
  double kernel_seconds = 0;  // of these: Zermelo's kernel
};
/// {"verdict": "accepted" or "rejected", "outcome" (outcome.h), "reasons": [{"code", "message"},
/// …], "theorems": [{"name", "verdict", "reasons", "axioms", unless empty "from"}, …], "kernels"
/// (KernelsJson), "library": {"modules", "fingerprint" and, if they were checked, "checked"
/// (ImportsJson)}, "seconds": {"lean", "trust", "kernel" and, then, "imports"}} and, unless empty,
/// "hints" (as "reasons"), "runs_programs" and "disagreement".
void to_json(nlohmann::json& json, const AcceptanceReport& report);
const char* VerdictName(bool accepted);  // "accepted", "rejected"

struct AcceptanceOptions {
  std::vector<std::string> allowed_axioms = trust::StandardAxioms();
  bool allow_more_imports = false;
  trust::KernelUse kernel = trust::KernelUse::kOn;
  /// With KernelUse::kAll, checks the imports and remembers it; null: one for this judgement. The
  /// deadline does not count its time.
  std::shared_ptr<ImportsJudge> imports = {};
  /// Runs Lean's kernel again (lean_replay.h) and asks the toolchain's other kernels, if it has
  /// any, about what nothing else is wrong with; the deadline does not count their time.
  std::optional<OtherKernels> others = {};
  /// The text is not delivered, so an option that only weakens Lean's own kernel is a hint if
  /// another kernel accepts the compiled candidate; provided that Lean is confined, since without
  /// its kernel it may run programs that have no type.
  bool only_judges = false;
  /// With `only_judges`: the same for code that runs inside Lean, if every target has a name,
  /// CanAllowPrograms holds, and the kernel that accepts is Zermelo's: Lean's own has known bugs,
  /// which a program can reach. The verdict is about this compilation.
  bool allow_programs = false;
  /// What can confine Lean here.
  core::SandboxAbilities machine = core::DescribeSandbox();
  core::Deadline deadline;
  core::Cancellation* cancellation = nullptr;                  // may be null; must outlive Judge
  uint64_t max_resident_bytes = lean::Compiler::kMaxResident;  // of each compilation
};

/// Whether judging with these options can allow programs. Errors: kUsage without Zermelo's kernel;
/// kEnvironment where Lean is not fully confined.
core::Status CanAllowPrograms(const AcceptanceOptions& options, const lean::Toolchain& toolchain);

/// Judges candidates against one original. Both are compiled by fresh processes with the kernel on,
/// from exactly the given texts, with one exception: an `example` leaves no constant to inspect, so
/// one that is open in the original is compiled in both texts as a theorem with a reserved name.
class Acceptance {
 public:
  /// `toolchain` must outlive the Acceptance. `library` keeps the modules read by earlier
  /// Acceptances of the same toolchain; null: a new library.
  Acceptance(core::Executor executor, const lean::Toolchain& toolchain, std::string original,
             std::shared_ptr<LibraryReader> library = nullptr);
  static std::shared_ptr<LibraryReader> NewLibrary(const core::Executor& executor,
                                                   const lean::Toolchain& toolchain);

  /// Starts a Lean process for the original and one for the first candidate, and reads the library
  /// ahead. Call it when a judgement is certain to follow but its candidate is not ready yet;
  /// otherwise Judge starts the processes, unless the source text alone decides. A second call does
  /// nothing. kEnvironment: Lean cannot be started.
  core::Status StartAhead();
  /// Starts the processes and compiles the original. Call it while a search for the candidate goes
  /// on; Judge waits for the end. What goes wrong here is tried again there. The library is left
  /// alone: from when it is read until the verdict, no import may change.
  core::Task<void> CompileAhead(AcceptanceOptions options);

  /// `targets`: indices of the original's declarations; nullopt: every declaration with a provable
  /// hole. Errors: kInput when the original does not compile (with the first message), kCrashed,
  /// kTimeout, kCancelled, kEnvironment. A bad candidate yields a report, not an error, even when
  /// Lean crashes or times out on it. kEnvironment, too, if the imported modules changed meanwhile:
  /// they are hashed before Lean gets the candidate.
  core::Task<core::Result<AcceptanceReport>> Judge(std::string candidate,
                                                   std::optional<std::vector<size_t>> targets,
                                                   AcceptanceOptions options);

 private:
  core::Result<std::unique_ptr<lean::Compiler>> StartCompiler() const;
  core::Status StartCompilers();
  std::string Header() const;  // of the original
  core::Task<core::Status> CompileOriginal(const AcceptanceOptions& options);
  core::Task<core::Result<lean::CompileResult>> Compile(std::unique_ptr<lean::Compiler>& compiler,
                                                        std::string text,
                                                        const AcceptanceOptions& options);
  core::Task<core::Result<lean::CompileResult>> CompileCandidate(
      std::unique_ptr<lean::Compiler>& compiler, std::string text, const AcceptanceOptions& options,
      uint32_t& hashed);
  core::Task<core::Result<trust::Judging>> Compare(trust::JudgeRequest request,
                                                   const AcceptanceOptions& options);
  core::Task<core::Status> CheckImports(const std::filesystem::path& candidate,
                                        const AcceptanceOptions& options, AcceptanceReport& report);
  core::Task<core::Status> AskOtherKernels(trust::Judging& judging,
                                           const AcceptanceOptions& options,
                                           AcceptanceReport& report);
  /// What Zermelo's kernel declines rests on the Lean that compiled the candidate, and whose kernel
  /// the candidate may have fooled or switched off: a fresh Lean, which never sees its text, has to
  /// accept it. Where the replay does not work at all, the verdict only says who has judged.
  core::Task<core::Status> AskFreshLean(trust::Judging& judging, const AcceptanceOptions& options,
                                        AcceptanceReport& report);
  void ReadLibraryAhead();

  const core::Executor executor_;
  const lean::Toolchain& toolchain_;
  const syntax::File original_;
  std::unique_ptr<lean::Compiler> original_compiler_;   // keeps the .olean
  std::unique_ptr<lean::Compiler> candidate_compiler_;  // started, waiting for its text
  enum class Original { kNotCompiled, kBeingCompiled, kCompiled };
  Original original_state_ = Original::kNotCompiled;
  core::Signal original_ended_;  // its compilation, whatever the result
  const std::shared_ptr<LibraryReader> library_;
  bool read_ahead_ = false;
};

}  // namespace zermelo::engine
