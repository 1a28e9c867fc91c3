// One `lean --worker` process, controlled over LSP on its standard streams
// (docs/adr/0001-lsp-worker.md).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/async.h"
#include "core/cancellation.h"
#include "core/error.h"
#include "lean/diagnostic.h"
#include "lean/toolchain.h"
#include "syntax/declarations.h"

namespace zermelo::lean {

namespace remote {
class FarSide;
}  // namespace remote

struct WorkerOptions {
  /// For search only, never for acceptance: -Ddebug.skipKernelTC=true, and no linters, which
  /// examine the whole proof again after each change.
  bool skip_kernel = false;
  /// Time between cancelling a check and killing Lean, measured as core::ScheduledTime: Lean is
  /// free or gone within a second of the deadline, unless it is still loading its imports or the
  /// machine is too busy.
  core::Duration cancel_grace = std::chrono::milliseconds(800);
  /// The same while Lean loads its imports. A Lean killed then would have to load them again for
  /// the next check, whose deadline could be as short.
  core::Duration load_grace = std::chrono::minutes(2);
  /// Time to drop abandoned work: the rest of a document whose check has its answer already,
  /// counted from the next document. Lean can be in a step that it cannot interrupt; meanwhile it
  /// works on the next document too.
  core::Duration abandoned_grace = std::chrono::seconds(10);
  /// Memory limit of Lean during a check; above it, the check ends with kCrashed.
  uint64_t max_resident_bytes = 16ULL << 30U;
  /// A Lean that owes an answer but uses almost no processor time for this long is stuck.
  core::Duration standstill = kStandstill;
};

/// To the end.
struct WholeDocument {};
/// Until Lean seems to be past the first error in these lines (inclusive). The result then has the
/// diagnostics so far and no goals.
struct UpToFirstError {
  LineRange lines;
};
/// In parts, each of which extends to the first line of the next one, the last to the end.
struct InParts {
  std::vector<uint32_t> first_lines;         // ascending; none: only the deadline applies
  std::optional<core::Duration> limit = {};  // of each part, measured as core::ScheduledTime
  /// For those who watch: the tactics above the parts, and what each part but the last tries.
  std::string before = {};
  std::vector<std::string> candidates = {};
};
/// To the end, or as far as Lean comes by the deadline: then the result is kStalled instead of
/// kTimeout and says what is known about the parts before the one that Lean is working on, provided
/// that it has reached the first.
struct UntilDeadline {
  std::vector<uint32_t> first_lines;  // of the parts, as in InParts
};
/// How far a document is elaborated.
using Extent = std::variant<WholeDocument, UpToFirstError, InParts, UntilDeadline>;

/// A place of the text that names a constant: a lemma in `rw [lemma]`, say.
struct Reference {
  Position begin, end;
  std::string name;    // with namespaces
  std::string module;  // that declares it; of the text itself: "«external:URI»"
  auto operator<=>(const Reference&) const = default;
};

/// A constant's name as its author wrote it: of `_private.M.0.a.b`, `a.b`.
std::string WithoutPrivatePrefix(const std::string& name);

struct CheckRequest {
  std::string text;  // the whole document; invalid UTF-8 becomes U+FFFD
  core::Deadline deadline;
  /// For a pool: time limit from when a worker takes the request. Starting Lean and loading its
  /// imports, where needed, has the same limit again. The deadline includes the wait for a worker.
  std::optional<core::Duration> limit = {};
  core::Cancellation* cancellation = nullptr;  // may be null; must outlive the check
  std::vector<Position> goals_at;              // positions to report the tactic state at
  bool goals_at_sorries = false;               // also at every `sorry` in the text
  bool references = false;                     // report the constants that the text names
  /// For search: the tactics of a hole, in bytes of the text. A refusal may then come from their
  /// states instead of a worker (StateChecker).
  std::optional<syntax::TextRange> tactics = {};
  /// Whose proposals the text tries, an entry for each (use_by_role.h); empty: no one's.
  std::vector<std::string> roles = {};
  Extent extent;
};

enum class CheckStatus {
  kAccepted,  // no error, no sorry; only engine::Acceptance makes it "proved"
  kSorry,     // no error, but a `sorry`
  kRejected,  // errors
  kStalled,   // a part took too long; nothing is known about what follows it
};
const char* Name(CheckStatus status);  // "accepted", "sorry", "rejected", "stalled"

/// A `sorry` in the text and its goals; no goals if Lean did not reach it.
struct SorryGoals {
  Position at;
  std::vector<std::string> goals;  // as Lean prints them; a term's is its expected type
  bool operator==(const SorryGoals&) const = default;
};

struct CheckResult {
  CheckStatus status = CheckStatus::kRejected;
  std::vector<Diagnostic> diagnostics;
  std::vector<std::vector<std::string>> goals;  // for each of goals_at; empty: no goals there
  std::vector<bool> in_proof;  // for each of goals_at: it is in a tactic block, with goals or not
  std::vector<SorryGoals> sorries;    // if requested, in file order
  std::vector<Reference> references;  // if requested, in file order, each once
  double seconds = 0;                 // excluding the time to load the imports
  /// Length of the prefix of the text, in bytes, that this Lean already had.
  size_t reused_bytes = 0;
  /// The part that ran longer than its limit, or past the deadline (UntilDeadline). Lean was left
  /// there: diagnostics of the parts before it are complete, goals were not requested, and the
  /// next check makes Lean drop the rest.
  std::optional<size_t> stalled_part;
  /// Lean died in the stalled part (InParts), and with it the diagnostics of parts before it.
  bool crashed = false;
  /// Lean was likewise left at an error (UpToFirstError); nothing is known about what follows it.
  bool stopped_at_error = false;
};

/// Two lives, which only move forward: that of the worker, and that of each of its checks.
///
///     unloaded ──► loaded            running ──► (cancelling ──►) over
///
/// loaded: Lean has the imports, as the end of a check shows. cancelling: the check has its answer,
/// by its deadline or on cancellation, but Lean is still at its text; CancelAndDrain ends that, or
/// kills Lean. From everywhere the process can die; a dead worker answers every call with kCrashed:
/// start a new one. A check that is answered early (UpToFirstError, a stalled part) is over but
/// leaves abandoned work, which Lean drops when it has the next text. All calls on the executor's
/// thread; one Task at a time.
class Worker {
 public:
  /// Starts the process and performs the LSP handshake. Lean itself initializes during Load.
  static core::Result<std::unique_ptr<Worker>> Start(const core::Executor& executor,
                                                     const Toolchain& toolchain,
                                                     const WorkerOptions& options);
  /// Starts one on another machine; it takes checks once Connect has succeeded.
  static core::Result<std::unique_ptr<Worker>> StartElsewhere(
      const core::Executor& executor, std::shared_ptr<remote::FarSide> far_side,
      const WorkerOptions& options);
  ~Worker();

  /// Waits until a worker elsewhere is ready for its first text; does nothing for one here.
  /// `cancellation` may be null. Errors: kTimeout and kCancelled, after which it continues to
  /// connect; kEnvironment as the far side's `failure()`.
  core::Task<core::Status> Connect(core::Deadline deadline, core::Cancellation* cancellation);
  /// Loads the imports at the beginning of the request's text; its deadline and cancellation apply.
  /// Does nothing if they are loaded. Errors as for Check.
  core::Task<core::Status> Load(CheckRequest request);
  /// Waits until the imports of a worker elsewhere are known to be those here; does nothing for one
  /// here. Errors as for Connect; kEnvironment also if they differ.
  core::Task<core::Status> Confirm(core::Deadline deadline, core::Cancellation* cancellation);
  /// Elaborates a text as the next version of the worker's document; Lean reuses the syntactic
  /// prefix that it shares with the previous one. All texts of a worker must have the same imports:
  /// Lean ends, or hangs, when they change.
  /// Errors: kTimeout when the deadline passes and kCancelled on request, both of which leave the
  /// check cancelling; kCrashed when the process ended, answered garbage or hung, with the
  /// end of its stderr in the message. If it did so in a known part (InParts), that is a result.
  core::Task<core::Result<CheckResult>> Check(CheckRequest request);
  /// Whether Lean may still be working on a text whose check timed out or was cancelled.
  bool cancelling() const;
  /// Whether Lean may still be working on the rest of a text whose check has its answer. The next
  /// check makes Lean drop it and reuses what the texts share.
  bool has_abandoned_work() const;
  /// Makes Lean drop its current work and waits until it has; kills a Lean that does not do so
  /// within the grace time. Check does this first if the last one is cancelling, whatever its own
  /// deadline, but not for abandoned work.
  core::Task<void> CancelAndDrain();

  /// Kills the process; a running check ends with kCrashed and `why`.
  void Kill(const std::string& why = "it was stopped");
  bool alive() const;
  /// Whether the imports are loaded.
  bool loaded() const;
  /// The last document, whose prefix the next check can reuse.
  const std::string& text() const;
  /// Whether a text with these imports can follow the documents so far, that is, whether they are
  /// the same; before the first one, true for a worker here, while one elsewhere was started for
  /// certain imports.
  bool CanTake(const std::vector<std::string>& imports) const;
  uint64_t checks() const;
  core::Duration age() const;
  uint64_t ResidentBytes() const;
  int pid() const;                    // of Lean, or of the launcher
  remote::FarSide* far_side() const;  // null: Lean runs here

 private:
  struct Impl;
  explicit Worker(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

}  // namespace zermelo::lean
