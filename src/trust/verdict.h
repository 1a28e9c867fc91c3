// Judges whether a compiled candidate proves what the original asked for.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/deadline.h"
#include "core/error.h"
#include "trust/axioms.h"
#include "trust/kernels/candidate_export.h"
#include "trust/kernels/second_kernel.h"
#include "trust/library.h"
#include "trust/reason.h"
#include "trust/terms.h"

namespace zermelo::trust {

/// How much the verdict of Zermelo's own kernel counts.
enum class KernelUse : uint8_t {
  kOff,       // nothing
  kOn,        // what it rejects is rejected; of what it declines, the caller asks a fresh Lean
  kRequired,  // what it declines is rejected, too
  kAll,       // as kOn; what is imported is checked, too (imports_check.h, by the caller)
};

struct JudgeRequest {
  /// X.olean, with its .server and .private parts next to it. Both files must have been compiled by
  /// fresh Lean processes, from the original with its `sorry`s and from exactly the text that will
  /// be delivered, under the same module name (instances are named after it).
  std::filesystem::path original;
  std::filesystem::path candidate;

  /// Declarations of the original that should be proved: by fully qualified name, as printed
  /// (`Foo.bar`); a private one by the name in its source; one without a name by the line that it
  /// is on, 1-based (`:12`), where `:12.t` must also end in `t`. Empty: every declaration of the
  /// original whose own value has a `sorry`.
  ///
  /// An `example` leaves no constant behind and cannot be judged: compile both texts with `example`
  /// replaced by `theorem NAME`.
  std::vector<std::string> targets;
  /// In addition, every theorem of the original whose own value has a `sorry`: a macro of the
  /// original can hide one from the author of the list.
  bool all_open_theorems = false;

  /// Allowed axioms of imported modules or the original. `sorryAx` is never allowed.
  std::vector<std::string> allowed_axioms = StandardAxioms();
  /// Accept axioms that the original itself declares.
  bool allow_axioms_of_original = false;
  /// Accept a candidate that imports more than the original.
  bool allow_more_imports = false;
  /// Accept programs that could run inside Lean among the candidate's definitions (meta.h).
  bool allow_programs = false;

  KernelUse kernel = KernelUse::kOn;
  core::Duration kernel_time = std::chrono::minutes(1);  // for its check
  /// Library::size before Lean got the candidate's text: it is an error if the candidate imports a
  /// module that had not been hashed by then. nullopt: any module is allowed.
  std::optional<uint32_t> hashed_before;
};

struct TargetVerdict {
  std::string name;  // as asked for, or as found
  bool accepted = false;
  std::vector<Reason> reasons;      // problems of this target, without the file's
  std::vector<std::string> axioms;  // used by its proof, sorted
  /// If the only reason is kUsesSorry: the theorems of the original that it uses and that still
  /// have a `sorry`, and the imported declarations that it uses and that rest on one, sorted; and
  /// whether there is no other `sorry`, so that it is proved from these.
  std::vector<std::string> from;
  bool otherwise_complete = false;
};

struct Verdict {
  bool accepted = false;  // every target is, and there is at least one
  /// Problems of the whole file; if there are any, no target is accepted.
  std::vector<Reason> reasons;
  std::vector<TargetVerdict> targets;

  /// Of Zermelo's kernel. nullopt: it is off, or the file as a whole is refused for another reason.
  std::optional<KernelVerdict> kernel;
  double kernel_seconds = 0;  // of its check, what it read of the library included
  /// With allow_programs: what would be reasons without it.
  std::vector<Reason> programs;
  std::string lean_version;
  std::string lean_commit;
  /// The imported modules, which were trusted as shipped: their number, and their identity
  /// (Closure::sha256).
  size_t library_modules = 0;
  std::string library_fingerprint;
};

/// What a kernel's verdict on a candidate's constants counts against the candidate. nullopt:
/// nothing, since it accepted, or declined and another kernel may accept instead.
std::optional<Reason> ReasonAgainst(const KernelVerdict& kernel, KernelUse use);

/// The steps to one verdict. A bad candidate is a verdict; it is an error if the original cannot be
/// read, or the library is incomplete (kEnvironment) or has changed since it was hashed
/// (kEnvironment).
///
/// Everything but RunKernel takes a few milliseconds once the library is loaded, and reads from it.
class Judging {
 public:
  /// Reads and compares the two modules.
  static core::Result<Judging> Begin(const JudgeRequest& request, Library& library);
  Judging(Judging&&) noexcept;
  Judging& operator=(Judging&&) noexcept;
  ~Judging();

  /// Whether to call RunKernel, then Continue (again).
  bool needs_kernel() const;
  /// Runs Zermelo's kernel on every constant of the candidate. Blocks, for as long as
  /// JudgeRequest::kernel_time; may run on any thread. `stop` ends it early: then there is no
  /// verdict. May be null.
  void RunKernel(const std::atomic<bool>* stop = nullptr);
  core::Status Continue(Library& library);

  /// To be called once, at the end.
  core::Result<Verdict> Finish(const Library& library);

  /// The candidate's constants, the same terms that were judged, for kernels that are other
  /// programs. nullptr if there is no candidate to judge. Must not outlive this object.
  std::unique_ptr<CandidateExport> Export();

 private:
  class Impl;
  explicit Judging(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// All steps at once, on this thread.
core::Result<Verdict> Judge(const JudgeRequest& request, Library& library);

}  // namespace zermelo::trust
