// One `lean --worker` process, spoken to over LSP on its standard streams
// (docs/adr/0001-lsp-worker.md).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/async.h"
#include "core/cancellation.h"
#include "core/error.h"
#include "lean/diagnostic.h"
#include "lean/toolchain.h"

namespace zermelo::lean {

struct WorkerOptions {
  // For search only, never for acceptance: -Ddebug.skipKernelTC=true, and no linters, which look at
  // the whole proof again after each of its changes.
  bool skip_kernel = false;
  // From cancelling to killing, as core::TimeHad: Lean is free or gone within a second of the
  // deadline, unless it still loads its imports, or the machine is too busy for it.
  core::Duration cancel_grace = std::chrono::milliseconds(800);
  // The same while it loads its imports: killed then, it would have to load them again for the
  // next check, and that one's deadline could be as short.
  core::Duration load_grace = std::chrono::minutes(2);
  // The same for what is left of a document whose check has its answer already, once the next
  // document is there: Lean can be at something that it cannot leave, and goes on beside it.
  core::Duration rest_grace = std::chrono::seconds(10);
  // What Lean may take under a check, which ends with kCrashed above it.
  uint64_t max_resident_bytes = 16ULL << 30U;
  // A Lean that owes an answer and uses next to no processor time for so long is stuck.
  core::Duration standstill = kStandstill;
};

struct CheckRequest {
  std::string text;  // the whole document; what is not UTF-8 becomes U+FFFD
  core::Deadline deadline;
  // For a pool: from when a worker has it; bringing up Lean and its imports, where that is needed,
  // has as much again. The deadline counts the wait for a worker, too.
  std::optional<core::Duration> limit = {};
  core::Cancellation* cancellation = nullptr;  // may be null; must outlive the check
  std::vector<Position> goals_at;              // where the tactic state is asked for
  bool goals_at_sorries = false;               // and at every `sorry` in the text
  // Lines on which parts of the document begin, ascending, each with a time limit of its own;
  // the last part runs to the end. Empty: only the deadline counts.
  std::vector<uint32_t> part_lines;
  core::Duration part_limit = std::chrono::seconds(5);  // as core::TimeHad
  // Lines, inclusive, an error on which is all that one wants to know: once Lean seems to be past
  // the first, the answer is what Lean has said so far. Goals are not asked for then.
  std::optional<LineRange> stop_at_error_in = {};
  // Past the deadline the answer is what is known of the parts before the one that Lean is at
  // (kStalled), if it has come to the first part.
  bool partial_at_deadline = false;
};

enum class Verdict {
  kAccepted,  // no error, no sorry; the word "proved" needs engine::Acceptance
  kSorry,     // no error, but something is left open
  kRejected,  // errors
  kStalled,   // a part took too long; nothing is known of what follows it
};
const char* Name(Verdict verdict);  // "accepted", "sorry", "rejected", "stalled"

/// A `sorry` in the text and the goals that it stands for; none where Lean did not get to it.
struct SorryGoals {
  Position at;
  std::vector<std::string> goals;  // as Lean prints them; a term's is its expected type
};

struct CheckResult {
  Verdict verdict = Verdict::kRejected;
  std::vector<Diagnostic> diagnostics;
  std::vector<std::vector<std::string>> goals;  // for each of goals_at; empty: no goals there
  std::vector<bool> in_proof;  // for each of goals_at: a tactic block is there, with goals or none
  std::vector<SorryGoals> sorries;  // when asked for, in file order
  double seconds = 0;               // without the time in which Lean loaded its imports
  // Bytes at the beginning of the text that this Lean had been given before.
  size_t reused_bytes = 0;
  // The part that ran longer than part_limit. Lean was left there: diagnostics of the parts before
  // it are complete, goals were not asked for, and the next check's text makes Lean drop the rest.
  std::optional<size_t> stalled_part;
  // Lean was left where it was after an error, likewise: of what follows, nothing is known.
  bool stopped_at_error = false;
};

/// Life cycle: loading -> ready <-> checking -> dead; from loading and checking also, by a deadline
/// or a cancellation, to unsettled, and by Settle to ready or dead. A dead worker answers every
/// call with kCrashed; make a new one. All calls on the executor's thread; one Task at a time.
class Worker {
 public:
  /// Starts the process and does the LSP handshake. Lean itself comes up during Load.
  static core::Result<std::unique_ptr<Worker>> Start(const core::Executor& executor,
                                                     const Toolchain& toolchain,
                                                     const WorkerOptions& options);
  ~Worker();

  /// Loads the imports that the request's text begins with; its deadline and cancellation count.
  /// Nothing where they are loaded. Errors as of Check.
  core::Task<core::Status> Load(CheckRequest request);
  /// Elaborates a text as the next version of the worker's document; Lean reuses the syntactic
  /// prefix it shares with the one before. All texts of a worker must have the same imports: Lean
  /// ends, or hangs, when they change.
  /// kTimeout: the deadline passed; kCancelled: the cancellation was requested; both leave the
  /// worker unsettled. kCrashed: the process ended, answered garbage or stood still; the message
  /// has the end of its stderr.
  core::Task<core::Result<CheckResult>> Check(CheckRequest request);
  /// Whether Lean may still be at a text that nobody waits for.
  bool unsettled() const;
  /// Whether it may still be at the rest of a text whose check has its answer. The next check makes
  /// it drop that, and keeps what the texts share.
  bool has_rest() const;
  /// Makes Lean drop what it is at and waits until it has; a Lean that does not within the grace is
  /// killed. Check does it first where it was not done, whatever its own deadline is, but for a
  /// rest.
  core::Task<void> Settle();

  /// Ends the process; a check that runs ends with kCrashed.
  void Kill();
  bool alive() const;
  /// Whether it has loaded its imports.
  bool loaded() const;
  /// The last document; what the next check can share.
  const std::string& text() const;
  /// Whether a text has the imports of the documents so far; true before the first.
  bool CanTake(const std::string& text) const;
  uint64_t checks() const;
  core::Duration age() const;
  uint64_t ResidentBytes() const;
  int pid() const;

 private:
  struct Impl;
  explicit Worker(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

}  // namespace zermelo::lean
