// Zermelo's kernel, run on everything that a candidate declares.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/deadline.h"
#include "core/error.h"
#include "kernel/check.h"
#include "kernel/olean/imports.h"
#include "trust/terms.h"

namespace zermelo::trust {

using kernel::Decision;

/// What one kernel says of all constants of the candidate's module, whether a theorem uses them or
/// not; unsafe and partial ones are skipped. Only kernels are named that judged the compiled
/// constants in a process in which nothing of the candidate ran: that Lean has compiled the
/// candidate is no such verdict.
struct KernelVerdict {
  std::string kernel;  // "zermelo", "lean-replay", or a program of the toolchain: "nanoda"
  Decision outcome = Decision::kAccepted;
  std::string declaration;   // the first that was not accepted; empty: none, or the whole module
  std::string reason;        // a sentence without the declaration's name; empty if accepted
  std::string version = {};  // of another kernel than Zermelo's
  /// It declines only what the original declares, too, with the same terms, and the candidate
  /// changes no definition of the original: nothing of the candidate's own is declined.
  bool declines_only_the_original = false;
  /// It declines, and the candidate itself declares this name, which other kernels give a meaning
  /// whatever is declared (kernel::MeantByName): their verdict cannot replace this one.
  std::string meant_by_name = {};
};
/// "Zermelo's kernel", "Lean's kernel (replay)", "nanoda".
std::string DisplayName(const KernelVerdict& kernel);

/// Checks the constants of a module in the arena that they were read into.
class SecondKernel {
 public:
  /// Whatever is not judged before the deadline, or needs more than 2 GB of memory, is declined.
  /// The arena and the module must outlive this object.
  SecondKernel(Terms& terms, const Module& module, core::Deadline deadline);

  /// Whether to call ReadImports, then Run (again): imported proofs are read only if something was
  /// refused without them.
  bool open() const { return next_.has_value(); }
  /// Reads what the module's constants mention. Errors: those of kernel::AddImports.
  core::Status ReadImports(kernel::Library& library);
  /// Judges. Blocks; may run on another thread, since it uses nothing but the arena and the module.
  /// `stop` may be null; once it is true, what is not judged is declined.
  void Run(const std::atomic<bool>* stop);

  /// After the last Run: what was not accepted; anonymous: more than single declarations.
  const std::vector<NameId>& refused() const { return refused_; }
  /// The verdict, after the last Run.
  const KernelVerdict& verdict() const { return verdict_; }
  /// Spent in ReadImports and Run.
  double seconds() const { return seconds_; }

 private:
  using Mode = kernel::ImportOptions::Mode;
  void End(Decision outcome, NameId declaration, std::string reason);

  Terms& terms_;
  const Module& module_;
  const core::Deadline deadline_;
  std::optional<Mode> next_ = Mode::kStatements;
  std::unique_ptr<kernel::Environment> environment_;  // null: nothing to judge
  bool trusts_proofs_ = false;  // the environment has statements whose proofs were not read
  KernelVerdict verdict_{"zermelo", Decision::kAccepted, "", ""};
  std::vector<NameId> refused_;
  double seconds_ = 0;
};

}  // namespace zermelo::trust
