#include "strategy/best_first/best_first.h"

#include <boost/asio/this_coro.hpp>
#include <cctype>
#include <cmath>
#include <deque>
#include <fmt/format.h>
#include <queue>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "lean/probe.h"
#include "strategy/proof_layout.h"

namespace zermelo::strategy {

using core::Deadline;
using core::Result;
using core::Task;
using lean::Attempt;

namespace {

using Goals = std::vector<std::string>;

/// A goal without its "case …" line: names of cases do not make states different.
std::string_view WithoutCase(std::string_view goal) {
  if (!goal.starts_with("case ")) return goal;
  const size_t end = goal.find('\n');
  return end == std::string_view::npos ? goal : goal.substr(end + 1);
}

/// What two equal states share: the printed goals from the `first` one on.
std::string Key(const Goals& goals, size_t first = 0) {
  std::string key;
  for (size_t i = first; i < goals.size(); ++i) {
    key += WithoutCase(goals[i]);
    key += '\0';
  }
  return key;
}

bool HasMetavariable(const std::string& goal) {
  for (size_t at = goal.find('?'); at != std::string::npos; at = goal.find('?', at + 1)) {
    const char before = at == 0 ? ' ' : goal[at - 1];
    const char after = at + 1 < goal.size() ? goal[at + 1] : ' ';
    if ((std::isalnum(static_cast<unsigned char>(before)) == 0) &&
        (std::isalpha(static_cast<unsigned char>(after)) != 0)) {
      return true;
    }
  }
  return false;
}

struct Node {
  std::vector<ProofStep> steps;
  std::vector<std::string> origins;  // of the steps
  Goals goals;
  double cost = 0;
  std::vector<policy::Candidate> candidates;  // filled when it is first expanded
  bool proposed = false;
};

/// A node waiting for its candidates from `next` on to be tried, or for that one alone to be tried
/// again with more time.
struct Entry {
  double cost;
  uint64_t order;  // ties: first come, first served
  size_t node;
  size_t next;
  size_t retries = 0;
  bool operator<(const Entry& other) const {
    return std::tie(cost, order) > std::tie(other.cost, other.order);
  }
};

class Search {
 public:
  Search(lean::Checker& checker, policy::Policy& policy, const Problem& problem,
         const BestFirstParameters& parameters, Limits limits, core::Executor executor)
      : checker_(checker),
        policy_(policy),
        problem_(problem),
        parameters_(parameters),
        limits_(std::move(limits)),
        executor_(executor),
        changed_(executor) {}

  Task<Result<Outcome>> Run() {
    const uint64_t checks_before = checker_.checks();
    std::optional<core::Cancellation::Subscription> subscription;
    if (limits_.cancellation != nullptr) {
      subscription.emplace(*limits_.cancellation, [this] {
        no_more_.Request();
        changed_.Notify();
      });
    }
    if (!problem_.goals.empty()) AddRoot();
    core::TaskGroup lanes(executor_);
    for (size_t i = 0; i < checker_.size(); ++i) lanes.Spawn(Lane());
    co_await lanes.Join();
    if (error_ && !outcome_.proof) co_return core::Fail(*error_);
    outcome_.checks = checker_.checks() - checks_before;
    outcome_.nodes = nodes_.size();
    if (!outcome_.proof) {
      outcome_.reason = limits_.stop() ? "stopped" : limits_.Ended() ? "time" : "exhausted";
    }
    co_return outcome_;
  }

 private:
  bool Done() const { return outcome_.proof || error_ || limits_.Ended(); }

  void AddRoot() { AddNode({}, {}, problem_.goals, 0); }

  /// Takes work until there is none and nobody else can make any.
  Task<void> Lane() {
    while (!Done()) {
      const auto entry = Take();
      if (!entry) {
        if (busy_lanes_ == 0) break;
        co_await changed_.Wait(Deadline());  // the busy ones end in time
        continue;
      }
      ++busy_lanes_;
      co_await Expand(*entry);
      --busy_lanes_;
      changed_.Notify();
    }
    changed_.Notify();
  }

  std::optional<Entry> Take() {
    while (!queue_.empty()) {
      const Entry entry = queue_.top();
      queue_.pop();
      if (!Dominated(nodes_[entry.node].goals)) return entry;
    }
    return std::nullopt;
  }

  /// The goals after the first k of this state have been reached alone: whatever is done about
  /// the first k here is not needed.
  bool Dominated(const Goals& goals) const {
    for (size_t first = 1; first < goals.size(); ++first) {
      if (seen_.contains(Key(goals, first))) return true;
    }
    return false;
  }

  Task<void> Expand(Entry entry) {
    co_await Propose(nodes_[entry.node]);
    const auto& all = nodes_[entry.node].candidates;
    const size_t size = entry.retries > 0 ? 1 : parameters_.batch;
    const size_t end = std::min(entry.next + size, all.size());
    if (entry.next >= end) co_return;
    const std::vector<policy::Candidate> batch(all.begin() + static_cast<long>(entry.next),
                                               all.begin() + static_cast<long>(end));
    if (entry.retries == 0 && end < all.size()) {
      Push(entry.node, end, nodes_[entry.node].cost + all[end].cost);
    }
    std::vector<std::string> tactics;
    for (const auto& candidate : batch) tactics.push_back(candidate.tactic);
    limits_.trying(tactics.front());
    lean::ProbeLimits probe_limits;
    probe_limits.per_candidate =
        core::FromSeconds(parameters_.seconds_per_candidate *
                          std::pow(parameters_.retry_factor, static_cast<double>(entry.retries)));
    probe_limits.deadline = limits_.deadline;
    probe_limits.cancellation = limits_.cancellation;
    const auto attempts =
        co_await lean::Probe(checker_, problem_.site, FlatText(nodes_[entry.node].steps),
                             std::move(tactics), probe_limits);
    if (!attempts) {
      const core::ErrorCode code = attempts.error().code;  // to kill Lean twice is to fail
      const bool fails = code == core::ErrorCode::kCrashed || limits_.Ended();
      if (!fails) EndWith(attempts.error());
      co_return;
    }
    for (size_t i = 0; i < batch.size() && !Done(); ++i) {
      if ((*attempts)[i].outcome != Attempt::Outcome::kUnknown) ++outcome_.samples;
      if ((*attempts)[i].outcome == Attempt::Outcome::kSlow) RetryLater(entry, i, batch[i]);
      co_await Use(entry.node, batch[i], (*attempts)[i]);
    }
  }

  /// A slow candidate may be the right one: it comes back with more time at a higher cost. One
  /// that was slow elsewhere too is tried later from the start.
  void RetryLater(const Entry& entry, size_t index, const policy::Candidate& candidate) {
    if (entry.retries == 0) ++times_slow_[candidate.tactic];
    if (entry.retries >= parameters_.max_retries) return;
    const double cost = nodes_[entry.node].cost + candidate.cost +
                        parameters_.cost_per_retry * static_cast<double>(entry.retries + 1);
    Push(entry.node, entry.next + index, cost, entry.retries + 1);
  }

  /// What the policy sees of a state.
  policy::StepContext ContextOf(const Node& node) const {
    policy::StepContext context = problem_.context;
    context.depth = static_cast<int>(node.steps.size());
    context.theorem.state = fmt::format("{}", fmt::join(node.goals, "\n\n"));
    context.theorem.prefix = IndentedText(node.steps);
    context.state = lean::ParseProofState(context.theorem.state);
    return context;
  }

  /// A node has one entry in the queue until its candidates are known, so nobody asks twice.
  Task<void> Propose(Node& node) {
    if (std::exchange(node.proposed, true)) co_return;
    llm::CallContext call;
    call.deadline = limits_.deadline;
    call.cancellation = &no_more_;
    auto proposal = co_await policy_.Propose(ContextOf(node), parameters_.candidates_per_state,
                                             std::move(call));
    if (!proposal) {
      const core::ErrorCode code = proposal.error().code;
      const bool spent = code == core::ErrorCode::kTimeout || code == core::ErrorCode::kCancelled;
      if (!spent) EndWith(proposal.error());
      co_return;
    }
    node.candidates = std::move(proposal->candidates);
    for (auto& candidate : node.candidates) {
      const auto slow = times_slow_.find(candidate.tactic);
      if (slow == times_slow_.end()) continue;
      candidate.cost += parameters_.cost_per_retry * static_cast<double>(slow->second);
    }
    std::stable_sort(node.candidates.begin(), node.candidates.end(),
                     [](const auto& a, const auto& b) { return a.cost < b.cost; });
  }

  Task<void> Use(size_t from, const policy::Candidate& candidate, const Attempt& attempt) {
    if (attempt.outcome != Attempt::Outcome::kClosed &&
        attempt.outcome != Attempt::Outcome::kOpen) {
      co_return;
    }
    const Node& parent = nodes_[from];
    ProofStep step;
    // What exact? and its like found, in place of the search for it.
    const bool replaced = attempt.outcome == Attempt::Outcome::kClosed &&
                          !attempt.suggestion.empty() &&
                          candidate.tactic.find('\n') == std::string::npos;
    step.tactic = replaced ? attempt.suggestion : candidate.tactic;
    step.goals_left = attempt.goals.size();
    std::vector<ProofStep> steps = parent.steps;
    steps.push_back(std::move(step));
    std::vector<std::string> origins = parent.origins;
    origins.push_back(candidate.origin);
    Goals goals = attempt.goals;
    goals.insert(goals.end(), parent.goals.begin() + 1, parent.goals.end());
    const double cost = parent.cost + candidate.cost + parameters_.cost_per_step +
                        parameters_.cost_per_goal * (static_cast<double>(goals.size()) -
                                                     static_cast<double>(parent.goals.size()));
    if (goals.empty()) {
      co_await Finish(std::move(steps), std::move(origins));
    } else {
      AddNode(std::move(steps), std::move(origins), std::move(goals), std::max(cost, 0.0));
    }
  }

  void AddNode(std::vector<ProofStep> steps, std::vector<std::string> origins, Goals goals,
               double cost) {
    size_t bytes = 0;
    for (const auto& goal : goals) {
      bytes += goal.size();
      if (HasMetavariable(goal)) return;  // a probe must not duplicate those
    }
    if (steps.size() >= parameters_.max_depth || bytes > parameters_.max_goal_bytes) return;
    if (!seen_.insert(Key(goals)).second) return;
    Node node;
    node.steps = std::move(steps);
    node.origins = std::move(origins);
    node.goals = std::move(goals);
    node.cost = cost;
    nodes_.push_back(std::move(node));
    Push(nodes_.size() - 1, 0, cost);
  }

  void Push(size_t node, size_t next, double cost, size_t retries = 0) {
    queue_.push({.cost = cost, .order = order_++, .node = node, .next = next, .retries = retries});
    changed_.Notify();
  }

  /// Nicely laid out if Lean takes it, else just as it was found.
  Task<void> Finish(std::vector<ProofStep> steps, std::vector<std::string> origins) {
    const std::string laid_out = LaidOutText(steps);
    const std::string flat = FlatText(steps);
    bool proved = co_await Confirm(laid_out);
    if (!proved && flat != laid_out) proved = co_await Confirm(flat);
    if (!proved) co_return;
    for (const std::string& origin : origins) policy_.Succeeded(origin);
  }

  /// Whether this became the proof.
  Task<bool> Confirm(std::string proof) {
    if (Done()) co_return false;
    const auto why_not = co_await WhyNotAccepted(checker_, problem_.site, proof, limits_);
    // An error here means that the kernel takes too long over it or kills Lean: not a proof.
    if (!why_not || *why_not || outcome_.proof) co_return false;
    outcome_.proof = std::move(proof);
    no_more_.Request();
    co_return true;
  }

  void EndWith(const core::Error& error) {
    if (!error_) error_ = error;
    no_more_.Request();
  }

  lean::Checker& checker_;
  policy::Policy& policy_;
  const Problem& problem_;
  const BestFirstParameters parameters_;
  const Limits limits_;
  const core::Executor executor_;

  std::deque<Node> nodes_;  // stable references
  std::unordered_set<std::string> seen_;
  std::unordered_map<std::string, size_t> times_slow_;  // by tactic
  std::priority_queue<Entry> queue_;
  uint64_t order_ = 0;

  size_t busy_lanes_ = 0;
  core::Signal changed_;        // something was queued or a lane became idle
  core::Cancellation no_more_;  // of what the policy may still be waiting for

  Outcome outcome_;
  std::optional<core::Error> error_;
};

}  // namespace

Task<Result<Outcome>> BestFirst(lean::Checker& checker, policy::Policy& policy,
                                const Problem& problem, const BestFirstParameters& parameters,
                                Limits limits) {
  const auto executor = co_await boost::asio::this_coro::executor;
  Search search(checker, policy, problem, parameters, std::move(limits), executor);
  co_return co_await search.Run();
}

}  // namespace zermelo::strategy
