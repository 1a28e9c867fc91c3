#include "strategy/expander.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "policy/library.h"
#include "strategy/lean_in_role.h"

namespace zermelo::strategy {

using core::Deadline;
using core::ErrorCode;
using core::Fail;
using core::Result;
using core::Task;

Expander::Expander(const Services& services, const Problem& problem, Limits limits,
                   core::Executor executor)
    : Session(services, std::move(limits), std::move(executor)),
      problem_(problem),
      changed_(this->executor()),
      ended_(this->limits().cancellation,
             [this] {
               if (result().proof && !this->services().all) no_proof_.Request();
             }),
      whole_(Whole().cancellation, [this] { no_proof_.Request(); }) {}

// ---- running

Task<Result<SearchResult>> Expander::Run(size_t lanes, std::function<std::optional<Work>()> next) {
  core::TaskGroup group(executor());
  for (size_t i = 0; i < lanes; ++i) group.Spawn(Lane(next));
  co_await group.Join();
  co_return Finish();
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

// ---- propose

Task<policy::Proposal> Expander::ProposeTactics(policy::StepContext context, size_t n) {
  policy::Proposal none;
  if (services().steps == nullptr || Done()) co_return none;
  if (services().premises != nullptr && services().steps->wants_library()) {
    co_await policy::AskLibrary(*services().premises, &context);
  }
  if (services().learned != nullptr && services().steps->wants_library()) {
    co_await policy::AskLearned(*services().learned, &context);
  }
  auto proposal = co_await services().steps->Propose(std::move(context), n, CallWithin(limits()));
  if (!proposal) {
    ProposalFailed(proposal.error(), limits());
    co_return none;
  }
  Charge(proposal->spending, limits());
  co_return *std::move(proposal);
}

// ---- check and segment

namespace {

// Of a search of the library, for each second: about what Lean counts without native code. More of
// them hardly find more in Lean's own library. Mathlib is larger, and Lean is native there.
constexpr double kHeartbeatsPerSecond = 5'000;
constexpr double kHeartbeatsPerSecondWithMathlib = 20'000;

}  // namespace

Task<std::optional<std::vector<lean::ProbeResult>>> Expander::TryTactics(
    std::string prefix, const std::vector<policy::Candidate>& candidates, core::Duration each) {
  std::vector<policy::Candidate> others;
  std::vector<size_t> at, searches;
  std::vector<lean::ProbeResult> attempts(candidates.size());
  for (size_t i = 0; i < candidates.size(); ++i) {
    if (const auto* known = problem_.results->Find(prefix, candidates[i].tactic, each)) {
      attempts[i] = *known;
    } else if (lean::SearchesLibrary(candidates[i].tactic)) {
      searches.push_back(i);
    } else {
      at.push_back(i);
      others.push_back(candidates[i]);
    }
  }
  if (others.empty() && searches.empty()) {  // nothing else would let others have their turn
    co_await boost::asio::post(executor(), boost::asio::use_awaitable);
    if (Done()) co_return std::nullopt;
  }
  lean::ProbeLimits probe;
  probe.per_candidate = each;
  probe.deadline = limits().deadline;
  probe.cancellation = limits().cancellation;
  if (!others.empty()) {
    auto tried = co_await TryTogether(prefix, others, probe);
    if (!tried) co_return std::nullopt;
    for (size_t i = 0; i < at.size(); ++i) {
      problem_.results->Add(prefix, others[i].tactic, each, (*tried)[i]);
      attempts[at[i]] = std::move((*tried)[i]);
    }
  }
  const double rate =
      problem_.context.has_mathlib ? kHeartbeatsPerSecondWithMathlib : kHeartbeatsPerSecond;
  probe.heartbeats = static_cast<size_t>(core::Seconds(each) * rate);
  probe.per_candidate = 2 * each;  // on a slow machine, rather late than cut off and still at it
  for (const size_t search : searches) {
    const bool closed = std::ranges::any_of(attempts, [](const lean::ProbeResult& attempt) {
      return attempt.outcome == lean::ProbeResult::Outcome::kClosed;
    });
    if (closed) break;
    const std::vector<policy::Candidate> alone(1, candidates[search]);
    auto tried = co_await TryTogether(prefix, alone, probe);
    if (!tried && searches.size() == candidates.size()) co_return std::nullopt;
    if (!tried) break;
    problem_.results->Add(prefix, candidates[search].tactic, each, tried->front());
    attempts[search] = std::move(tried->front());
  }
  co_return attempts;
}

Task<std::optional<std::vector<lean::ProbeResult>>> Expander::TryTogether(
    std::string prefix, const std::vector<policy::Candidate>& candidates, lean::ProbeLimits probe) {
  std::vector<std::string> tactics, roles;
  for (const policy::Candidate& candidate : candidates) {
    tactics.push_back(candidate.tactic);
    roles.emplace_back(RoleOf(candidate));
  }
  if (tactics.empty() || Done()) co_return std::nullopt;
  limits().trying(tactics.front());
  std::optional<std::vector<lean::ProbeResult>> tried =
      co_await TryInStates(prefix, tactics, probe);
  core::Result<std::vector<lean::ProbeResult>> attempts;
  if (tried) {
    attempts = *std::move(tried);
  } else {
    if (Done()) co_return std::nullopt;
    LeanInRole checker(services().checker, std::move(roles), limits().use);
    attempts =
        co_await lean::Probe(checker, problem_.site, std::move(prefix), std::move(tactics), probe);
  }
  if (!attempts) {
    // Tactics that crash Lean twice count as failed tactics.
    if (!limits().Ended() && attempts.error().code != ErrorCode::kCrashed) {
      EndWith(attempts.error());
    }
    co_return std::nullopt;
  }
  result().samples += static_cast<uint64_t>(std::ranges::count_if(
      *attempts, [](const auto& a) { return a.outcome != lean::ProbeResult::Outcome::kUnknown; }));
  co_return *std::move(attempts);
}

Task<std::optional<std::vector<lean::ProbeResult>>> Expander::TryInStates(
    const std::string& prefix, const std::vector<std::string>& tactics, lean::ProbeLimits probe) {
  // The server gives each tactic the same heartbeats; a search of the library needs its own.
  const bool searches = std::ranges::any_of(tactics, lean::SearchesLibrary);
  if (services().states == nullptr || searches) co_return std::nullopt;
  auto tried = co_await lean::Probe(*services().states, problem_.site, prefix, tactics, probe);
  if (tried) {
    if (*tried) result().states.tried += tactics.size();
    co_return *std::move(tried);
  }
  const ErrorCode code = tried.error().code;
  if (code == ErrorCode::kCancelled || code == ErrorCode::kTimeout) co_return std::nullopt;
  // Once for a server that cannot be started; a request that fails is counted each time.
  if (code != ErrorCode::kEnvironment || result().states.failed == 0) {
    limits().Append(event::kStatesFailed, nlohmann::json{{"why", tried.error().message}});
  }
  ++result().states.failed;
  co_return std::nullopt;
}

Task<std::optional<TracedProof>> Expander::TraceProof(std::string tactics, std::string_view role,
                                                      size_t from, core::Duration limit) {
  if (Done()) co_return std::nullopt;
  limits().trying(tactics);
  TraceLimits trace;
  trace.deadline = limits().deadline;
  trace.each = limit;
  trace.cancellation = limits().cancellation;
  LeanInRole checker(services().checker, role, limits().use);
  auto traced = co_await Trace(checker, problem_.site, std::move(tactics), from, trace);
  if (!traced) {
    if (traced.error().code == ErrorCode::kEnvironment) Failed(traced.error());
    co_return std::nullopt;
  }
  co_return *std::move(traced);
}

Task<std::optional<Session::Checked>> Expander::JudgeProof(syntax::Proof proof,
                                                           core::Duration limit, Errors errors) {
  CheckOptions options;
  options.limit = limit;
  options.stops_at_first_error = errors == Errors::kFirst;
  return Check(problem_.site, std::move(proof), role::kProver, options, limits());
}

// ---- accept

namespace {

/// `exact?` may find a theorem of the file that has no proof itself.
bool UsesUnproved(const std::string& tactics, const Problem& problem) {
  if (problem.context.file == nullptr) return false;
  const syntax::ProofState state =
      problem.goals.empty() ? syntax::ProofState() : syntax::ParseProofState(problem.goals.front());
  const syntax::Goal* const goal = state.goals.empty() ? nullptr : &state.goals.front();
  return !syntax::OpenTheoremsIn(tactics, *problem.context.file, goal).empty();
}

}  // namespace

Task<bool> Expander::Confirm(std::string tactics, std::string_view role) {
  if (Done() || UsesUnproved(tactics, problem_)) co_return false;
  const std::string key = ProofKey(tactics);
  if (problem_.refused->contains(key)) co_return false;
  auto& asked = confirmations_[key];
  if (asked) {
    const auto same = asked;
    // No deadline here: the first caller's check has one.
    while (!same->accepted) co_await same->answered.Wait(core::Deadline());
    co_return *same->accepted;
  }
  const auto mine = asked = std::make_shared<Confirmation>(executor());
  Limits whole = Whole();
  whole.cancellation = &no_proof_;
  LeanInRole checker(services().checker, role, limits().use);
  const auto why_not = co_await RejectionReason(checker, problem_.site, tactics, whole);
  // An error means that the check timed out or crashed Lean: not a proof.
  mine->accepted = why_not && !*why_not;
  if (why_not && *why_not && services().states != nullptr) {
    problem_.refused->insert(key);
    ++result().states.refuted;
    limits().Append(event::kStatesRefuted, nlohmann::json{{"proof", tactics}, {"why", **why_not}});
  }
  mine->answered.Notify();
  co_return *mine->accepted;
}

}  // namespace zermelo::strategy
