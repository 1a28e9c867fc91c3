// The expansion pipeline shared by all strategies: propose, check, segment. Each strategy adds the
// result to its own tree; strategies differ in selection and rewards.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lean/probe.h"
#include "strategy/proof/proof_segments.h"
#include "strategy/session.h"

namespace zermelo::strategy {

/// The role whose proposal a candidate is.
inline std::string_view RoleOf(const policy::Candidate& candidate) {
  return candidate.sampled ? role::kTactics : role::kBuiltin;
}

/// The session of a search for the proof of one problem.
class Expander : public Session {
 public:
  /// All must outlive the expander.
  Expander(const Services& services, const Problem& problem, Limits limits,
           core::Executor executor);

  const Problem& problem() const { return problem_; }

  // ---- running

  using Work = std::function<core::Task<void>()>;
  /// Runs the work that `next` selects on `lanes` concurrent workers until a proof is found, the
  /// run ends, or `next` returns nothing while all workers are idle. Returns as Finish.
  core::Task<core::Result<SearchResult>> Run(size_t lanes,
                                             std::function<std::optional<Work>()> next);
  /// Wakes idle workers: `next` may have new work to select.
  void Notify() { changed_.Notify(); }

  // ---- propose

  /// Proposes about `n` tactics for a state at most; none if there is no policy or the run has
  /// ended.
  core::Task<policy::Proposal> ProposeTactics(policy::StepContext context, size_t n);
  /// Session::ProposeProofs within the limits of the run.
  core::Task<std::vector<policy::Sample>> ProposeProofs(policy::CompletionPolicy& policy,
                                                        policy::CompletionInput input, size_t n) {
    return Session::ProposeProofs(policy, std::move(input), n, limits());
  }

  // ---- check and segment; nullopt: Lean timed out or crashed, or the run has ended

  /// Runs each tactic on the first goal after `prefix`, for at most `each`, unless an earlier
  /// search did (Problem::results); counts those that ran. Searches of the library run last, and
  /// only if no other tactic closes the goal.
  core::Task<std::optional<std::vector<lean::ProbeResult>>> TryTactics(
      std::string prefix, const std::vector<policy::Candidate>& candidates, core::Duration each);
  /// Divides a proof by `role` into tactics up to its first error; returns those that end after
  /// byte `from`. Each check may take `limit`, not counting the wait for a free worker.
  core::Task<std::optional<TracedProof>> TraceProof(std::string tactics, std::string_view role,
                                                    size_t from, core::Duration limit);
  enum class Errors { kFirst, kAll };
  /// Checks a whole proof by a prover with the kernel on. With Errors::kFirst, Lean stops at the
  /// first error.
  core::Task<std::optional<Checked>> JudgeProof(syntax::Proof proof, core::Duration limit,
                                                Errors errors = Errors::kFirst);

  // ---- accept

  /// Whether Lean accepts a proof with the kernel on, and every theorem of the file that it names
  /// has a proof. Checks each proof once, however many workers find it. The check may outlive this
  /// run's time and use that of Limits::whole. `role`: whose proposal completed the proof.
  core::Task<bool> Confirm(std::string tactics, std::string_view role);

 private:
  /// The check of one proof.
  struct Confirmation {
    explicit Confirmation(const core::Executor& executor) : answered(executor) {}
    std::optional<bool> accepted;
    core::Signal answered;
  };

  /// The same, all in one check.
  core::Task<std::optional<std::vector<lean::ProbeResult>>> TryTogether(
      std::string prefix, const std::vector<policy::Candidate>& candidates,
      lean::ProbeLimits probe);
  /// The results of Services::states; nullopt if there are none, and for a search of the library.
  core::Task<std::optional<std::vector<lean::ProbeResult>>> TryInStates(
      const std::string& prefix, const std::vector<std::string>& tactics, lean::ProbeLimits probe);
  core::Task<void> Lane(std::function<std::optional<Work>()>& next);

  const Problem& problem_;
  size_t busy_lanes_ = 0;
  core::Signal changed_;
  core::Cancellation no_proof_;  // cancels proofs that are being confirmed
  const core::Cancellation::Subscription ended_, whole_;
  std::map<std::string, std::shared_ptr<Confirmation>> confirmations_;  // by fingerprint
};

}  // namespace zermelo::strategy
