#include "strategy/expander.h"

#include <algorithm>

#include "policy/library.h"

namespace zermelo::strategy {

using core::Deadline;
using core::ErrorCode;
using core::Fail;
using core::Result;
using core::Task;

Expander::Expander(const Services& services, const Problem& problem, Limits limits,
                   core::Executor executor)
    : services_(services),
      problem_(problem),
      limits_(std::move(limits)),
      executor_(std::move(executor)),
      changed_(executor_),
      outer_(limits_.cancellation,
             [this] {
               no_more_.Request();
               changed_.Notify();
             }),
      whole_(Whole().cancellation, [this] { no_proof_.Request(); }) {}
Expander::~Expander() = default;

// ---- running

Task<Result<Outcome>> Expander::Run(size_t lanes, std::function<std::optional<Work>()> next) {
  const uint64_t checks_before = services_.checker.checks();
  core::TaskGroup group(executor_);
  for (size_t i = 0; i < lanes; ++i) group.Spawn(Lane(next));
  co_await group.Join();
  if (error_ && !outcome_.proof) co_return Fail(*error_);
  outcome_.checks = services_.checker.checks() - checks_before;
  if (!outcome_.proof) {
    outcome_.reason = limits_.stop()    ? "stopped"
                      : limits_.Ended() ? "time"
                      : spent_          ? "budget"
                                        : "exhausted";
    AnnounceEnd();
  }
  co_return outcome_;
}

void Expander::AnnounceEnd() const {
  if (limits_.journal != nullptr) limits_.Append(event::kGaveUp, {{"reason", outcome_.reason}});
}

Task<void> Expander::Lane(std::function<std::optional<Work>()>& next) {
  while (!Done()) {
    const auto work = next();
    if (!work) {
      if (busy_lanes_ == 0) break;
      co_await changed_.Wait(Deadline());  // busy workers end in time
      continue;
    }
    ++busy_lanes_;
    co_await (*work)();
    --busy_lanes_;
    changed_.Notify();
  }
  changed_.Notify();
}

bool Expander::Done() const {
  return (outcome_.proof && !services_.all) || error_ || limits_.Ended();
}

void Expander::Failed(const core::Error& error) {
  if (error.code == ErrorCode::kCancelled || error.code == ErrorCode::kTimeout) {
    spent_ = spent_ || (!no_more_.requested() && !limits_.Ended());
  } else if (!error_) {
    error_ = error;
  }
}

// ---- propose

llm::CallContext Expander::Call() {
  llm::CallContext call;
  call.deadline = limits_.deadline;
  call.cancellation = &no_more_;
  return call;
}

Task<std::vector<policy::Candidate>> Expander::ProposeTactics(policy::StepContext context,
                                                              size_t n) {
  std::vector<policy::Candidate> candidates;
  if (services_.steps == nullptr || Done()) co_return candidates;
  if (services_.premises != nullptr && services_.steps->wants_library()) {
    co_await policy::AskLibrary(*services_.premises, &context);
  }
  auto proposal = co_await services_.steps->Propose(std::move(context), n, Call());
  if (!proposal) {
    Failed(proposal.error());
    co_return candidates;
  }
  outcome_.spending += proposal->spending;
  candidates = std::move(proposal->candidates);
  co_return candidates;
}

Task<std::vector<policy::Sample>> Expander::ProposeProofs(policy::CompletionPolicy& policy,
                                                          policy::CompletionInput input, size_t n) {
  std::vector<policy::Sample> proofs;
  if (!MayAsk()) co_return proofs;
  auto samples = co_await policy.Complete(std::move(input), n, Call());
  if (!samples) {
    Failed(samples.error());
    co_return proofs;
  }
  outcome_.spending += samples->spending;
  outcome_.samples += samples->samples.size();
  proofs = std::move(samples->samples);
  co_return proofs;
}

bool Expander::IsUsable(const policy::Sample& sample, Sorry sorry) {
  if (sample.proof && (sorry == Sorry::kIsAnError || !sample.proof->has_sorry)) return true;
  ++outcome_.unusable;
  ++outcome_.refusals[sample.proof ? "it uses sorry" : sample.proof.error().message];
  return false;
}

// ---- check and segment

Task<std::optional<std::vector<lean::Attempt>>> Expander::TryTactics(
    std::string prefix, std::vector<std::string> tactics, core::Duration each) {
  lean::ProbeLimits limits;
  limits.per_candidate = each;
  limits.deadline = limits_.deadline;
  limits.cancellation = &no_more_;
  if (tactics.empty() || Done()) co_return std::nullopt;
  limits_.trying(tactics.front());
  auto attempts = co_await lean::Probe(services_.checker, problem_.site, std::move(prefix),
                                       std::move(tactics), limits);
  if (!attempts) {
    const bool ending = limits_.Ended() || no_more_.requested();
    // Tactics that crash Lean twice count as failed tactics.
    if (!ending && attempts.error().code != ErrorCode::kCrashed && !error_) {
      error_ = attempts.error();
    }
    co_return std::nullopt;
  }
  outcome_.samples += static_cast<uint64_t>(std::ranges::count_if(
      *attempts, [](const auto& a) { return a.outcome != lean::Attempt::Outcome::kUnknown; }));
  co_return *std::move(attempts);
}

Task<std::optional<TracedProof>> Expander::TraceProof(std::string tactics, size_t from,
                                                      core::Duration limit) {
  if (Done()) co_return std::nullopt;
  limits_.trying(tactics);
  TraceLimits limits;
  limits.deadline = limits_.deadline;
  limits.each = limit;
  limits.cancellation = &no_more_;
  auto traced = co_await Trace(services_.checker, problem_.site, std::move(tactics), from, limits);
  if (!traced) {
    if (traced.error().code == ErrorCode::kEnvironment) Failed(traced.error());
    co_return std::nullopt;
  }
  co_return *std::move(traced);
}

Task<std::optional<Expander::JudgedProof>> Expander::JudgeProof(syntax::Proof proof,
                                                                core::Duration limit,
                                                                Errors errors) {
  if (Done()) co_return std::nullopt;
  limits_.trying(proof.tactics);
  JudgedProof judged;
  judged.document = problem_.site.ForConfirmation(proof);
  lean::CheckRequest request;
  request.text = judged.document.text;
  request.deadline = limits_.deadline;
  request.limit = limit;
  request.cancellation = &no_more_;
  if (errors == Errors::kFirst) {
    request.extent = lean::UpToFirstError{judged.document.DeclarationLines()};
  }
  auto checked = co_await services_.checker.Check(std::move(request));
  if (!checked) {
    if (checked.error().code == ErrorCode::kEnvironment) Failed(checked.error());
    co_return std::nullopt;
  }
  judged.diagnostics = std::move(checked->diagnostics);
  judged.accepted =
      !checked->stopped_at_error && FirstError(judged.document, judged.diagnostics) == nullptr;
  co_return judged;
}

// ---- accept

Task<bool> Expander::Confirm(std::string tactics) {
  if (Done()) co_return false;
  auto& asked = confirmations_[Fingerprint(tactics)];
  if (asked) {
    const auto same = asked;
    // No deadline here: the first caller's check has one.
    while (!same->accepted) co_await same->answered.Wait(core::Deadline());
    co_return *same->accepted;
  }
  const auto mine = asked = std::make_shared<Confirmation>(executor_);
  Limits limits = Whole();
  limits.cancellation = &no_proof_;
  const auto why_not =
      co_await WhyNotAccepted(services_.checker, problem_.site, std::move(tactics), limits);
  // An error means that the check timed out or crashed Lean: not a proof.
  mine->accepted = why_not && !*why_not;
  mine->answered.Notify();
  co_return *mine->accepted;
}

bool Expander::Found(const std::string& tactics) {
  return Found(syntax::Proof{.tactics = tactics, .auxiliary = {}});
}

bool Expander::Found(const syntax::Proof& proof) {
  const std::string text = proof.Text();
  if (!fingerprints_.insert(Fingerprint(text)).second) return false;
  if (limits_.journal != nullptr) limits_.Append(event::kProofFound, {{"proof", text}});
  outcome_.proofs.push_back(text);
  if (!outcome_.proof) {
    outcome_.proof = proof.tactics;
    outcome_.auxiliary = proof.auxiliary;
  }
  if (!services_.all) {
    no_more_.Request();
    no_proof_.Request();
  }
  changed_.Notify();
  return true;
}

}  // namespace zermelo::strategy
