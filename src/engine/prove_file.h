// One job: takes a file with `sorry`s, returns the file with verified proofs.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/async.h"
#include "core/cancellation.h"
#include "core/error.h"
#include "engine/models/models.h"
#include "engine/open_file.h"
#include "lean/pool.h"
#include "lean/states/tactic_runner.h"
#include "lean/toolchain.h"
#include "learn/knowledge.h"
#include "record/run_journal.h"
#include "strategy/registry.h"
#include "syntax/declarations.h"
#include "trust/verdict.h"

namespace zermelo::engine {

struct ProveRequest {
  std::string text;  // of the file
  // What the modules of its project that it imports declare (project_imports.h).
  std::vector<syntax::FileConstant> imported;
  std::vector<std::string> theorems;  // to prove: full names or suffixes; empty: all
  std::optional<size_t> hole;         // the byte at which the only `sorry` to prove begins
  core::Duration time_per_theorem = std::chrono::seconds(60);
  size_t workers = 2;  // Lean processes that the job starts
  // How often the file is read. More than once only where a record has the answers: earlier
  // versions asked every worker at once.
  size_t readers = 1;
  lean::PoolOptions pool;         // of these, except their number; verdicts have its memory limit
  lean::Checker* lean = nullptr;  // used instead, shared with other jobs; must outlive it
  // Runs at a time of the state server that the job starts for its search (docs/state-server.md);
  // 0: it starts none.
  size_t state_servers = 0;
  lean::TacticRunner* states = nullptr;   // used instead, shared with other jobs; must outlive it
  strategy::StrategyParameters strategy;  // for each theorem
  Models* models = nullptr;               // may be null; must outlive the job
  // The number of this search among independent ones, each of which keeps to one of the models'
  // prompts (CompletionPolicy::ForTree); nullopt: it mixes them.
  std::optional<size_t> search;
  retrieve::Retriever* premises = nullptr;  // may be null; must outlive the job
  bool builtin = true;                      // the built-in policy proposes tactics
  // What earlier proofs taught, for the built-in policy; null: nothing. Must outlive the job.
  learn::Knowledge* learned = nullptr;
  bool learns = true;  // `learned` gets the proofs of this job, and keeps those that are accepted
  std::string place;   // the file's name there, relative to its project
  bool no_namesakes = false;  // of evaluations, as in learn::Source
  bool shorten = false;       // what a proof does not need is left out of it
  bool lemmas = false;        // also verify the lemmas proved for theorems that stayed open
  std::vector<std::string> allowed_axioms = trust::StandardAxioms();  // that proofs may use
  trust::KernelUse kernel = trust::KernelUse::kOn;                    // Zermelo's, in the verdict
  // Reserves room for the two Lean processes of the verdict, which end before the reservation is
  // destroyed. They then start after the search rather than during it. Null: no reservation needed.
  std::function<core::Task<core::Result<std::shared_ptr<void>>>()> room_for_verdict;
  core::Cancellation* abandon =
      nullptr;  // ends the verification; may be null; must outlive the job
  // Records the job, or replays a recorded one. May be null; must outlive the job. `models` must
  // have been created for the same journal.
  record::RunJournal* journal = nullptr;
  bool records_steps = true;  // asks Lean for the states in the proofs, for readers of the record
};

struct ProveResult {
  std::vector<TheoremResult> theorems;
  std::vector<std::string> notes;  // sentences: `sorry`s that are data, errors and their effects
  bool has_faults = false;         // errors and hidden `sorry`s are left where no theorem was tried
  std::string lemmas_text;  // `text` with the lemmas of theorems that stayed open; often empty
  std::string text;         // the file with the accepted proofs; the other `sorry`s stay
  nlohmann::json receipt;   // of the verdict on `text` (receipt/receipt.h); null: nothing is proved
  nlohmann::json used;      // by the search so far (RunJournal::ReportUse); null: not recorded
  bool interrupted = false;
  size_t proved() const;
  size_t proofs() const;                               // HasProof
  std::map<std::string, llm::Spending> roles() const;  // of all theorems
};

/// Reports the progress of a job. Called on the executor's thread; must not block.
class ProveListener {
 public:
  virtual ~ProveListener() = default;
  virtual void Phase(const std::string& what) = 0;  // "starting Lean", "verifying 3 proofs"
  virtual void TheoremStarted(size_t index, size_t count, const TheoremResult& theorem) = 0;
  virtual void Trying(const std::string& tactic) = 0;
  virtual void TheoremEnded(const TheoremResult& theorem) = 0;  // HasProof: not yet accepted
  /// Acceptance rejected the proof, or found that it rests on a `sorry` elsewhere (kProvedFrom).
  virtual void TheoremChanged(const TheoremResult& theorem) = 0;
};

/// The options of a pool for searching: `options` without kernel checks.
lean::PoolOptions SearchPoolOptions(size_t workers, lean::PoolOptions options = {});

/// Runs a job. When `cancellation` is requested, the search ends at once (with a shared Lean, when
/// its running checks have ended). Proofs found by then are still verified, until `abandon` is
/// requested (kCancelled).
/// With a journal, everything before the verification is replayed as far as it was recorded; the
/// verification always runs.
/// Errors: kUsage (a theorem that the file does not have; the hint gives the nearest name),
/// kEnvironment, kCrashed (Lean keeps crashing), kTimeout (elaborating the file takes too long),
/// those of record::RunJournal::Run. Everything else is in the result.
core::Task<core::Result<ProveResult>> ProveFile(const lean::Toolchain& toolchain,
                                                ProveRequest request, ProveListener& listener,
                                                core::Cancellation& cancellation);

}  // namespace zermelo::engine
