// The pipeline that all strategies expand with: propose, check, segment; then the strategy adds
// what came out to its tree. They differ in what they select and how they reward it.
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

/// One run of one strategy on one problem. Everything refers to a run that goes on: after its end,
/// or an error, questions are answered with nothing. One executor; calls may overlap.
class Expander {
 public:
  /// All must outlive the expander.
  Expander(const Environment& environment, const Problem& problem, Limits limits,
           core::Executor executor);
  ~Expander();
  Expander(const Expander&) = delete;
  Expander& operator=(const Expander&) = delete;

  const Problem& problem() const { return problem_; }
  const Limits& limits() const { return limits_; }
  Outcome& outcome() { return outcome_; }

  // ---- running

  using Work = std::function<core::Task<void>()>;
  /// Lets `lanes` workers do what `next` selects, until one finds the proof (or the run ends), or
  /// there is nothing to select while all are idle. Then the outcome, or the first error: those of
  /// models as llm::Model, kEnvironment when Lean no longer runs. A used-up budget is no error.
  core::Task<core::Result<Outcome>> Run(size_t lanes, std::function<std::optional<Work>()> next);
  /// `next` may select something now that it could not before.
  void Notify() { changed_.Notify(); }
  bool Done() const;
  /// Models may still be asked: the run goes on and their budget is not used up.
  bool MayAsk() const { return !Done() && !spent_; }
  /// What a question came to: kCancelled and kTimeout, before the end, are a budget that is used
  /// up; anything else ends the run.
  void Failed(const core::Error& error);

  // ---- propose

  /// Tactics for a state, at most about `n`; none when nobody may be asked any more.
  core::Task<std::vector<policy::Candidate>> ProposeTactics(policy::StepContext context, size_t n);
  /// Proofs by `policy`, counted as samples; likewise.
  core::Task<std::vector<policy::Sample>> ProposeProofs(policy::CompletionPolicy& policy,
                                                        llm::PromptInput input, size_t n);
  enum class Sorry { kMakesUseless, kIsAnError };
  /// Whether there is a proof in a sample that can be checked; counts those where there is none.
  bool IsUsable(const policy::Sample& sample, Sorry sorry);

  // ---- check and segment; nothing: Lean did not get to an answer in time, or died of it

  /// Tactics on the first goal after `prefix`, each for so long; counts those that were tried.
  core::Task<std::optional<std::vector<lean::Attempt>>> TryTactics(std::string prefix,
                                                                   std::vector<std::string> tactics,
                                                                   core::Duration each);
  /// A proof up to its first error, in tactics; only those after byte `from`. Each check has so
  /// long, the wait for a free Lean aside.
  core::Task<std::optional<TracedProof>> TraceProof(std::string tactics, size_t from,
                                                    core::Duration limit);
  struct JudgedProof {
    lean::SiteDocument document;
    std::vector<lean::Diagnostic> diagnostics;
    bool accepted = false;  // no error in the declaration
  };
  enum class Errors { kFirst, kAll };
  /// A whole proof, the kernel on; likewise. Lean is left at the first error if that is enough.
  core::Task<std::optional<JudgedProof>> JudgeProof(lean::Proof proof, core::Duration limit,
                                                    Errors errors = Errors::kFirst);

  // ---- accept

  /// Whether Lean accepts a proof with the kernel on. It is asked once for all lanes that find it,
  /// and may answer after the part of the time that this run has.
  core::Task<bool> Confirm(std::string tactics);
  /// A proof that was judged or confirmed; ends the run unless all proofs are wanted. False when it
  /// was known.
  bool Found(const lean::Proof& proof);
  bool Found(const std::string& tactics);

 private:
  /// Of one proof by Lean.
  struct Confirmation {
    explicit Confirmation(const core::Executor& executor) : answered(executor) {}
    std::optional<bool> accepted;
    core::Signal answered;
  };

  core::Task<void> Lane(std::function<std::optional<Work>()>& next);
  void AnnounceEnd() const;
  const Limits& Whole() const { return limits_.whole != nullptr ? *limits_.whole : limits_; }
  llm::CallContext Call();

  const Environment environment_;
  const Problem& problem_;
  Limits limits_;
  const core::Executor executor_;

  size_t busy_lanes_ = 0;
  core::Signal changed_;
  core::Cancellation no_more_;   // of what is in flight
  core::Cancellation no_proof_;  // nor of proofs that are being confirmed
  const core::Cancellation::Subscription outer_, whole_;

  bool spent_ = false;  // the budget of the models
  std::optional<core::Error> error_;
  std::set<std::string> fingerprints_;                                  // of the proofs
  std::map<std::string, std::shared_ptr<Confirmation>> confirmations_;  // by fingerprint
  Outcome outcome_;
};

}  // namespace zermelo::strategy
