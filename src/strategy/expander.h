// The expansion pipeline shared by all strategies: propose, check, segment. Each strategy adds the
// result to its own tree; strategies differ in selection and rewards.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lean/probe.h"
#include "strategy/strategy.h"
#include "strategy/trace.h"

namespace zermelo::strategy {

/// One run of one strategy on one problem. After the run has ended, or after an error, every call
/// returns an empty result. All calls on one executor; they may overlap.
class Expander {
 public:
  /// All must outlive the expander.
  Expander(const Services& services, const Problem& problem, Limits limits,
           core::Executor executor);
  ~Expander();
  Expander(const Expander&) = delete;
  Expander& operator=(const Expander&) = delete;

  const Problem& problem() const { return problem_; }
  const Limits& limits() const { return limits_; }
  Outcome& outcome() { return outcome_; }

  // ---- running

  using Work = std::function<core::Task<void>()>;
  /// Runs the work that `next` selects on `lanes` concurrent workers until a proof is found, the
  /// run ends, or `next` returns nothing while all workers are idle. Returns the outcome, or the
  /// first error: model errors as in llm::Model, kEnvironment if Lean no longer runs. A used-up
  /// budget is not an error.
  core::Task<core::Result<Outcome>> Run(size_t lanes, std::function<std::optional<Work>()> next);
  /// Wakes idle workers: `next` may have new work to select.
  void Notify() { changed_.Notify(); }
  bool Done() const;
  /// Models may still be called: the run continues and their budget is not used up.
  bool MayAsk() const { return !Done() && !spent_; }
  /// Records an error: kCancelled or kTimeout before the end of the run mean that the budget is
  /// used up, any other error ends the run.
  void Failed(const core::Error& error);

  // ---- propose

  /// Proposes about `n` tactics for a state at most; none if there is no policy or the run has
  /// ended.
  core::Task<std::vector<policy::Candidate>> ProposeTactics(policy::StepContext context, size_t n);
  /// Requests `n` proofs from `policy` and counts them as samples; none if MayAsk() is false.
  core::Task<std::vector<policy::Sample>> ProposeProofs(policy::CompletionPolicy& policy,
                                                        policy::CompletionInput input, size_t n);
  enum class Sorry { kMakesUseless, kIsAnError };
  /// Whether a sample contains a proof that can be checked; counts the samples that do not.
  bool IsUsable(const policy::Sample& sample, Sorry sorry);

  // ---- check and segment; nullopt: Lean timed out or crashed, or the run has ended

  /// Runs each tactic on the first goal after `prefix`, for at most `each`; counts those that ran.
  core::Task<std::optional<std::vector<lean::Attempt>>> TryTactics(std::string prefix,
                                                                   std::vector<std::string> tactics,
                                                                   core::Duration each);
  /// Divides a proof into tactics up to its first error; returns those that end after byte `from`.
  /// Each check may take `limit`, not counting the wait for a free worker.
  core::Task<std::optional<TracedProof>> TraceProof(std::string tactics, size_t from,
                                                    core::Duration limit);
  struct JudgedProof {
    syntax::SiteDocument document;
    std::vector<lean::Diagnostic> diagnostics;
    bool accepted = false;  // no error in the declaration
  };
  enum class Errors { kFirst, kAll };
  /// Checks a whole proof with the kernel on. With Errors::kFirst, Lean stops at the first error.
  core::Task<std::optional<JudgedProof>> JudgeProof(syntax::Proof proof, core::Duration limit,
                                                    Errors errors = Errors::kFirst);

  // ---- accept

  /// Whether Lean accepts a proof with the kernel on. Checks each proof once, however many workers
  /// find it. The check may outlive this run's time and use that of Limits::whole.
  core::Task<bool> Confirm(std::string tactics);
  /// Reports a proof that was judged or confirmed; ends the run unless all proofs are wanted.
  /// Returns false if the proof was known already.
  bool Found(const syntax::Proof& proof);
  bool Found(const std::string& tactics);

 private:
  /// The check of one proof.
  struct Confirmation {
    explicit Confirmation(const core::Executor& executor) : answered(executor) {}
    std::optional<bool> accepted;
    core::Signal answered;
  };

  core::Task<void> Lane(std::function<std::optional<Work>()>& next);
  void AnnounceEnd() const;
  const Limits& Whole() const { return limits_.whole != nullptr ? *limits_.whole : limits_; }
  llm::CallContext Call();

  const Services services_;
  const Problem& problem_;
  Limits limits_;
  const core::Executor executor_;

  size_t busy_lanes_ = 0;
  core::Signal changed_;
  core::Cancellation no_more_;   // cancels all work in progress
  core::Cancellation no_proof_;  // cancels proofs that are being confirmed
  const core::Cancellation::Subscription outer_, whole_;

  bool spent_ = false;  // the models' budget is used up
  std::optional<core::Error> error_;
  std::set<std::string> fingerprints_;                                  // of the proofs found
  std::map<std::string, std::shared_ptr<Confirmation>> confirmations_;  // by fingerprint
  Outcome outcome_;
};

}  // namespace zermelo::strategy
