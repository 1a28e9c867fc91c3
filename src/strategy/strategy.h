// A strategy is a proof search algorithm: it gets candidates from a policy and their tactic states
// from Lean. It never writes files, and its proofs are verified elsewhere before they count.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/async.h"
#include "core/error.h"
#include "lean/checker.h"
#include "lean/states/tactic_runner.h"
#include "learn/adviser.h"
#include "policy/completion.h"
#include "policy/policy.h"
#include "strategy/lemma_store.h"
#include "strategy/limits.h"
#include "strategy/roles.h"
#include "strategy/tactic_results.h"
#include "syntax/proof/proof_site.h"

namespace zermelo::core {
class PythonRunner;
}
namespace zermelo::retrieve {
class Retriever;
}

namespace zermelo::strategy {

/// A hole to fill with a proof.
struct Problem {
  syntax::ProofSite site;
  std::vector<std::string> goals;  // the tactic state at the hole, as Lean prints it
  policy::StepContext context;     // the part that is the same in all states
  /// Proofs of searches with Services::states that Lean has refused with the kernel on, by
  /// ProofKey: no search offers them again. Copies of the problem share them.
  std::shared_ptr<std::set<std::string>> refused = std::make_shared<std::set<std::string>>();
  /// What Lean said of the tactics that searches have tried. Shared likewise: Lean runs none again,
  /// except with more time.
  std::shared_ptr<TacticResults> results = std::make_shared<TacticResults>();
};

/// A declaration with one hole, such as `theorem t : p := by\n  sorry\n`, as a problem without
/// goals in the same context. `before`: the text that precedes it in its file. Nullopt: the text is
/// not one declaration of this name with one hole.
std::optional<Problem> ProblemOf(const policy::StepContext& context, std::string before,
                                 std::string_view name, std::string_view declaration);

/// What a strategy works with; any pointer may be null. All must outlive it.
struct Services {
  lean::Checker& checker;
  lean::TacticRunner* states = nullptr;             // tries tactics in place of the checker
  policy::Policy* builtin = nullptr;                // proposes tactics, at no cost
  policy::Policy* steps = nullptr;                  // proposes tactics, also of models
  policy::CompletionPolicy* completions = nullptr;  // writes proofs
  bool models = false;                              // `steps` or `completions` uses a model
  bool all = false;                                 // continue after the first proof
  Roles* roles = nullptr;                           // models by role
  retrieve::Retriever* premises = nullptr;          // searches the library
  learn::Adviser* learned = nullptr;                // what earlier proofs taught
  core::PythonRunner* python = nullptr;             // runs models' programs
};

/// What a runner of tactics did in a search.
struct StatesUse {
  uint64_t tried = 0;    // tactics that it ran
  uint64_t failed = 0;   // requests that ended in an error, so that Probe answered them
  uint64_t refuted = 0;  // proofs of a search with it that Lean does not accept

  StatesUse& operator+=(const StatesUse& more) {
    tried += more.tried;
    failed += more.failed;
    refuted += more.refuted;
    return *this;
  }
  bool any() const { return tried + failed + refuted > 0; }
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(StatesUse, tried, failed, refuted)

/// A tactic of a proof, and the goal that it ran on.
struct ProofMove {
  std::string goal;
  std::string tactic;
  bool closes = false;  // it left no goal of this one
  std::string origin;   // of the candidate (policy::Candidate)
};

/// What became of a goal in a search.
struct TriedGoal {
  std::string goal;
  bool closed = false;  // by tactics that Lean ran, not by a proof that was confirmed
  size_t tried = 0;     // tactics on it and on what they left: until it was closed, or all
};

struct SearchResult {
  std::optional<std::string> proof;  // tactics for the hole; confirmed with the kernel on
  std::vector<ProofMove> moves;      // of `proof`, if a search on tactic states found it
  std::vector<TriedGoal> goals;      // of best-first searches, if there is something that learns
  std::string auxiliary;             // commands it needs before the declaration (syntax::Proof)
  std::vector<std::string> proofs;   // all proofs, distinct up to blanks and comments
  uint64_t samples = 0;              // candidates that Lean ran and proofs that models wrote
  uint64_t unusable = 0;             // those of the proofs with nothing to check
  std::map<std::string, size_t> refusals;  // count by reason: "the reply has no code block", …
  uint64_t checks = 0;                     // documents that Lean elaborated
  StatesUse states;
  uint64_t nodes = 0;                          // distinct tactic states seen
  llm::Spending spending;                      // model calls and tokens
  std::map<std::string, llm::Spending> roles;  // the same by role
  size_t depth = 0;                            // deepest decomposition into subgoals
  std::string progress;                        // progress in words; often empty
  std::deque<ProvedLemma> lemmas;              // proved subgoals if the theorem has no proof
  // Why there is no proof: "time", "stopped", "budget" (the models'), "exhausted".
  std::string reason;

  /// Adds what the search `next` used: samples, checks, tokens, …
  void AddUse(const SearchResult& next);
  /// Takes the proof of `next` if this search has none.
  void TakeProof(SearchResult& next);
};

/// Whether a diagnostic is an error in the declaration, in the commands that a proof puts before
/// it, or at the end of the document, where Lean reports an unterminated declaration.
bool IsErrorOf(const syntax::SiteDocument& document, const lean::Diagnostic& diagnostic);

/// The first such error. Null: Lean accepts the proof.
const lean::Diagnostic* FirstError(const syntax::SiteDocument& document,
                                   const std::vector<lean::Diagnostic>& diagnostics);

/// Checks a whole proof with the kernel on and the file's own limits: there must be no error in the
/// declaration and no `sorry` in the tactics. Returns nullopt if the proof is accepted, otherwise
/// the reason.
core::Task<core::Result<std::optional<std::string>>> RejectionReason(lean::Checker& checker,
                                                                     const syntax::ProofSite& site,
                                                                     std::string tactics,
                                                                     const Limits& limits);

/// Equal for proofs that differ only in blanks and comments.
std::string ProofKey(std::string_view proof);

}  // namespace zermelo::strategy
