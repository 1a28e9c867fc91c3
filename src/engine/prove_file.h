// One job: a file with `sorry`s in, the file with verified proofs out.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/async.h"
#include "core/cancellation.h"
#include "core/error.h"
#include "engine/models.h"
#include "engine/open_file.h"
#include "engine/run_journal.h"
#include "engine/strategies.h"
#include "lean/declarations.h"
#include "lean/pool.h"
#include "lean/toolchain.h"
#include "trust/verdict.h"

namespace zermelo::engine {

struct ProveRequest {
  std::string text;                   // of the file
  std::vector<std::string> theorems;  // names to prove (full, or the end of one); empty: all
  core::Duration time_per_theorem = std::chrono::seconds(60);
  size_t workers = 2;                       // Lean processes of the job's own
  lean::Checker* lean = nullptr;            // shared with other jobs instead; must outlive the job
  StrategyParameters strategy;              // for each theorem
  Models* models = nullptr;                 // may be null; must outlive the job
  retrieve::Retriever* premises = nullptr;  // likewise
  bool builtin = true;                      // the built-in policy proposes tactics
  bool lemmas = false;  // verify what was proved for theorems that stayed open, too
  std::vector<std::string> allowed_axioms = trust::StandardAxioms();  // that proofs may use
  // Asked before the verdict starts two Leans, which end before what it answers does; null: there
  // is room for them. With it they start when the search is over, not while it goes on.
  std::function<core::Task<core::Result<std::shared_ptr<void>>>()> room_for_verdict;
  bool verify_when_cancelled = true;  // what was found when the cancellation came
  // What the job does is recorded here, or done again as it was recorded; may be null; must outlive
  // the job. `models` must be made for the same journal.
  RunJournal* journal = nullptr;
};

struct ProveResult {
  std::vector<TheoremResult> theorems;
  std::vector<std::string> notes;  // sentences: a sorry that is data, an error and what it spoils
  std::string lemmas_text;  // with what was proved for theorems that stayed open; mostly empty
  std::string text;         // with the accepted proofs; what is unproved keeps its sorry
  bool interrupted = false;
  size_t proved() const;
  std::map<std::string, llm::Spending> roles() const;  // of all theorems
};

/// Called on the executor's thread as the job goes on; must not block.
class ProveListener {
 public:
  virtual ~ProveListener() = default;
  virtual void Phase(const std::string& what) = 0;  // "starting Lean", "verifying 3 proofs"
  virtual void TheoremStarted(size_t index, size_t count, const TheoremResult& theorem) = 0;
  virtual void Trying(const std::string& tactic) = 0;
  virtual void TheoremEnded(const TheoremResult& theorem) = 0;    // "proved" is not yet accepted
  virtual void TheoremRefused(const TheoremResult& theorem) = 0;  // acceptance took it back
};

/// What a pool must be like to search with.
lean::PoolOptions SearchPoolOptions(size_t workers);

/// When `cancellation` is requested the search ends at once (on a shared Lean, when the checks
/// that run have ended); what was found is still verified, unless the request says otherwise
/// (kCancelled).
/// With a journal, everything up to the verification is replayed as far as it is recorded; the
/// verification is always done.
/// Errors: kUsage (a theorem that is not there, with the nearest name), kEnvironment, kCrashed (no
/// Lean that stays up), kTimeout (the file itself takes too long), those of RunJournal::Run.
/// Everything else is in the result.
core::Task<core::Result<ProveResult>> ProveFile(const lean::Toolchain& toolchain,
                                                ProveRequest request, ProveListener& listener,
                                                core::Cancellation& cancellation);

}  // namespace zermelo::engine
