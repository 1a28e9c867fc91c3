#include "strategy/best_first/best_first.h"

#include <algorithm>
#include <boost/asio/this_coro.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <queue>
#include <set>
#include <tuple>

#include "strategy/best_first/goal_trials.h"
#include "strategy/best_first/slow_premises.h"
#include "strategy/expander.h"
#include "strategy/registry.h"
#include "strategy/step_states.h"
#include "syntax/goal/goal.h"
#include "syntax/goal/metavariables.h"
#include "syntax/proof/proof_text.h"

namespace zermelo::strategy {

using core::Result;
using core::Task;
using lean::ProbeResult;

namespace {

constexpr size_t kFruitlessPasses = 8;  // consecutive passes without new candidates from models

/// A queue entry: a state whose candidates from `next` on are to be tried, or, if `retries` > 0,
/// only candidate `next` with more time.
struct Entry {
  double cost;
  uint64_t order;  // ties: first come, first served
  StateId state;
  size_t next;
  size_t retries = 0;
  bool operator<(const Entry& other) const {
    return std::tie(cost, order) > std::tie(other.cost, other.order);
  }
};

class BestFirstSearch {
 public:
  BestFirstSearch(const Services& services, const Problem& problem,
                  const BestFirstParameters& parameters, Limits limits, core::Executor executor)
      : expander_(services, problem, std::move(limits), std::move(executor)),
        policy_(*services.steps),
        learned_(services.learned),
        lanes_(services.checker.size()),
        parameters_(parameters),
        wants_chances_(learned_ != nullptr && parameters.value_weight > 0),
        states_(problem.goals) {}

  Task<Result<SearchResult>> Run() {
    const auto goals = states_.Goals(0);
    const bool begins = !goals.empty() && IsWorthKeeping(goals, 0);
    if (begins && wants_chances_) co_await AskChances(goals);
    if (begins) Enqueue(0, 0);
    auto result = co_await expander_.Run(lanes_, [this] { return Next(); });
    if (result) result->nodes = states_.size();
    if (result) result->goals = trials_.Outcomes();
    co_return result;
  }

 private:
  /// Selects the cheapest state that is still needed.
  std::optional<Expander::Work> Next() {
    while (!queue_.empty() || BeginPass()) {
      const Entry entry = queue_.top();
      queue_.pop();
      if (states_.HasKnownRest(entry.state)) {
        Leave(entry.state);
        continue;
      }
      Announce(entry);
      return [this, entry] { return Expand(entry); };
    }
    return std::nullopt;
  }

  /// When nothing is left to try, starts another pass over all states. Models are asked again,
  /// since they may answer differently (BFS-Prover); a policy without models is asked for more, as
  /// long as it may have more. Returns whether there is work to do.
  bool BeginPass() {
    const int64_t samples = expander_.result().spending.samples;
    if (at_work_ > 0 || expander_.Done()) return false;
    if (samples > samples_before_pass_ && expander_.MayAsk()) {
      fruitless_passes_ = new_in_pass_ > 0 ? 0 : fruitless_passes_ + 1;
      if (fruitless_passes_ == kFruitlessPasses) return false;
    } else if (samples > 0 || effort_ == policy_.most_effort()) {
      return false;
    } else {
      ++effort_;
    }
    samples_before_pass_ = samples;
    new_in_pass_ = 0;
    proposed_.clear();
    for (StateId state = 0; state < costs_.size(); ++state) Push(state, 0, costs_[state]);
    return !queue_.empty();
  }

  /// Removes one entry of a state; with the last one its candidates are dropped, and it is closed
  /// until the next pass.
  void Leave(StateId state) {
    if (--entries_[state] > 0) return;
    candidates_.erase(state);
    if (expander_.Done()) return;
    if (learned_ != nullptr && !states_.HasKnownRest(state))
      trials_.Exhausted(states_.Goals(state).front());
    expander_.limits().Append(event::kNodeClosed, {{"node", state}});
  }

  void Announce(const Entry& entry) const {
    expander_.limits().Append(event::kSelected, {{"node", entry.state},
                                                 {"cost", entry.cost},
                                                 {"candidate", entry.next},
                                                 {"retries", entry.retries}});
  }

  Task<void> Expand(Entry entry) {
    ++at_work_;
    co_await ExpandBatch(entry);
    --at_work_;
    Leave(entry.state);
  }

  Task<void> ExpandBatch(Entry entry) {
    co_await Propose(entry.state);
    const auto& all = candidates_[entry.state];
    const size_t size = entry.retries > 0 ? 1 : parameters_.batch;
    const size_t end = std::min(entry.next + size, all.size());
    if (entry.next >= end) co_return;
    std::vector<policy::Candidate> batch;
    std::vector<size_t> places;  // of these among the entry's candidates
    for (size_t i = entry.next; i < end; ++i) {
      if (entry.retries == 0 && slow_premises_.AreIn(all[i].tactic)) {
        RetryLater(entry, i - entry.next, all[i]);
      } else {
        batch.push_back(all[i]);
        places.push_back(i - entry.next);
      }
    }
    if (entry.retries == 0 && end < all.size()) {
      Push(entry.state, end, costs_[entry.state] + all[end].cost);
    }
    if (batch.empty()) co_return;
    const double seconds = parameters_.seconds_per_candidate *
                           std::pow(parameters_.retry_factor, static_cast<double>(entry.retries));
    const auto attempts = co_await expander_.TryTactics(FlatText(states_.Steps(entry.state)), batch,
                                                        core::FromSeconds(seconds));
    if (!attempts) co_return;
    RecordTrials(expander_.limits(), states_, entry.state, batch, *attempts);
    if (learned_ != nullptr) Note(states_.Goals(entry.state).front(), batch, *attempts);
    if (wants_chances_) co_await AskChances(NewGoals(*attempts));
    for (size_t i = 0; i < batch.size() && !expander_.Done(); ++i) {
      const bool is_slow = (*attempts)[i].outcome == ProbeResult::Outcome::kSlow;
      if (is_slow) RetryLater(entry, places[i], batch[i]);
      if ((*attempts)[i].outcome != ProbeResult::Outcome::kUnknown)
        slow_premises_.Ran(batch[i].tactic, is_slow);
      co_await Use(entry.state, batch[i], (*attempts)[i]);
    }
  }

  /// Keeps what the tactics did to the goal, for later searches.
  void Note(const std::string& goal, const std::vector<policy::Candidate>& tried,
            const std::vector<ProbeResult>& attempts) {
    trials_.Tried(goal, static_cast<size_t>(std::ranges::count_if(attempts, [](const auto& a) {
                    return a.outcome != ProbeResult::Outcome::kUnknown;
                  })));
    for (size_t i = 0; i < attempts.size(); ++i) {
      if (IsAccepted(attempts[i]) && !syntax::UsesSorry(tried[i].tactic))
        trials_.Left(goal, attempts[i].goals);
    }
  }

  static bool IsAccepted(const ProbeResult& attempt) {
    return attempt.outcome == ProbeResult::Outcome::kClosed ||
           attempt.outcome == ProbeResult::Outcome::kOpen;
  }

  static std::vector<std::string> NewGoals(const std::vector<ProbeResult>& attempts) {
    std::vector<std::string> goals;
    for (const ProbeResult& attempt : attempts) {
      if (IsAccepted(attempt))
        goals.insert(goals.end(), attempt.goals.begin(), attempt.goals.end());
    }
    return goals;
  }

  /// Asks for the chances of goals that are not known yet. If earlier searches taught too little,
  /// this one does without.
  Task<void> AskChances(std::vector<std::string> goals) {
    if (expander_.Done()) co_return;
    learn::ChanceQuery query;
    std::set<std::string> asked;
    for (const std::string& goal : goals) {
      std::string text = syntax::WithoutCase(goal);
      if (syntax::HasMetavariable(text) || chances_.contains(text) || !asked.insert(text).second)
        continue;
      query.goals.push_back(std::move(text));
    }
    if (query.goals.empty()) co_return;
    const std::vector<std::string> texts = query.goals;
    query.source = expander_.problem().context.source;
    const auto answer = co_await learned_->Estimate(std::move(query));
    if (!answer || answer->chances.size() != texts.size()) {
      wants_chances_ = false;
      co_return;
    }
    for (size_t i = 0; i < texts.size(); ++i) chances_.emplace(texts[i], answer->chances[i]);
  }

  /// The chance that all goals of a state are closed; nullopt if it is not known.
  std::optional<double> ChanceOf(const std::vector<std::string>& goals) const {
    double chance = 1;
    for (const std::string& goal : goals) {
      const auto known = chances_.find(syntax::WithoutCase(goal));
      if (known == chances_.end()) return std::nullopt;
      chance *= known->second;
    }
    return chance;
  }

  /// A candidate that timed out may still be right: it is queued again with more time at a higher
  /// cost. Candidates that were slow in other states get a higher cost from the start.
  void RetryLater(const Entry& entry, size_t index, const policy::Candidate& candidate) {
    if (entry.retries == 0) ++times_slow_[candidate.tactic];
    if (entry.retries >= parameters_.max_retries) return;
    const double cost = costs_[entry.state] + candidate.cost +
                        parameters_.cost_per_retry * static_cast<double>(entry.retries + 1);
    Push(entry.state, entry.next + index, cost, entry.retries + 1);
  }

  /// A state has one queue entry until its candidates are known, so they are requested only once.
  Task<void> Propose(StateId state) {
    if (!proposed_.insert(state).second) co_return;
    auto context = states_.ContextOf(expander_.problem(), state);
    context.effort = effort_;
    auto proposal = co_await expander_.ProposeTactics(std::move(context),
                                                      parameters_.candidates_per_state << effort_);
    std::vector<policy::Candidate> candidates = std::move(proposal.candidates);
    DropKnown(state, candidates);
    for (auto& candidate : candidates) {
      const auto slow = times_slow_.find(candidate.tactic);
      if (slow == times_slow_.end()) continue;
      candidate.cost += parameters_.cost_per_retry * static_cast<double>(slow->second);
    }
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const auto& a, const auto& b) { return a.cost < b.cost; });
    candidates_.emplace(state, std::move(candidates));
  }

  /// Removes candidates that an earlier pass has tried in this state.
  void DropKnown(StateId state, std::vector<policy::Candidate>& candidates) {
    std::erase_if(candidates, [&](const policy::Candidate& candidate) {
      return !known_.emplace(state, std::hash<std::string>()(candidate.tactic)).second;
    });
    new_in_pass_ += candidates.size();
  }

  Task<void> Use(StateId from, const policy::Candidate& candidate, const ProbeResult& attempt) {
    const auto goals = states_.Goals(from);
    const auto next = Apply(goals, candidate, attempt);
    if (!next) co_return;
    if (next->goals.empty()) {
      co_await Finish(from, *next, candidate);
      co_return;
    }
    const double more_goals =
        static_cast<double>(next->goals.size()) - static_cast<double>(goals.size());
    const double cost = costs_[from] + candidate.cost + parameters_.cost_per_step +
                        parameters_.cost_per_goal * more_goals;
    if (!IsWorthKeeping(next->goals, states_.depth(from) + 1)) co_return;
    const StateId state = states_.Add(from, next->step, candidate.origin, next->goals);
    AnnounceNode(state, *next);
    Enqueue(state, std::max(cost, 0.0));
  }

  void AnnounceNode(StateId state, const Successor& next) const {
    expander_.limits().Append(event::kNodeAdded, [&] {
      nlohmann::json node{{"node", state},
                          {"parent", states_.parent(state)},
                          {"tactic", next.step.tactic},
                          {"goals", next.goals}};
      if (const auto chance = ChanceOf(next.goals)) node["value"] = *chance;
      return node;
    });
  }

  /// Whether to keep a state; apart from the root, it must be new.
  bool IsWorthKeeping(const std::vector<std::string>& goals, size_t depth) const {
    size_t bytes = 0;
    for (const auto& goal : goals) {
      bytes += goal.size();
      if (syntax::HasMetavariable(goal)) return false;
    }
    if (depth >= parameters_.max_depth || bytes > parameters_.max_goal_bytes) return false;
    return depth == 0 || !states_.Find(goals);
  }

  void Enqueue(StateId state, double cost) {
    costs_.resize(std::max<size_t>(costs_.size(), state + 1));
    entries_.resize(costs_.size());
    costs_to_go_.resize(costs_.size());
    costs_[state] = cost;
    if (const auto chance = ChanceOf(states_.Goals(state))) {
      const double least = std::numeric_limits<double>::min();  // of very many goals
      costs_to_go_[state] = -parameters_.value_weight * std::log(std::max(*chance, least));
      known_costs_to_go_ += costs_to_go_[state];
      ++known_chances_;
    } else if (known_chances_ > 0) {
      costs_to_go_[state] = known_costs_to_go_ / known_chances_;  // as hard as the others
    }
    Push(state, 0, cost);
  }

  /// Queues candidates from `next` on at the length of the proofs they would give.
  void Push(StateId state, size_t next, double cost, size_t retries = 0) {
    const double length = static_cast<double>(states_.depth(state)) + (next > 0 ? 1 : 0);
    const double divisor = std::pow(std::max(length, 1.0), parameters_.length_exponent);
    queue_.push({.cost = cost / divisor + costs_to_go_[state],
                 .order = order_++,
                 .state = state,
                 .next = next,
                 .retries = retries});
    ++entries_[state];
    expander_.Notify();
  }

  /// Confirms the laid-out proof, or the flat one if Lean rejects the layout.
  Task<void> Finish(StateId from, Successor last, policy::Candidate candidate) {
    auto steps = states_.Steps(from);
    auto moves = states_.MovesTo(from, last.step, candidate.origin);
    steps.push_back(std::move(last.step));
    const std::string laid_out = LaidOutText(steps), flat = FlatText(steps);
    std::string proof = laid_out;
    bool proved = co_await expander_.Confirm(laid_out, RoleOf(candidate));
    if (!proved && flat != laid_out) {
      proof = flat;
      proved = co_await expander_.Confirm(flat, RoleOf(candidate));
    }
    if (!proved || !expander_.Found(proof, std::move(moves))) co_return;
    for (const std::string& earlier : states_.Origins(from)) policy_.Succeeded(earlier);
    policy_.Succeeded(candidate.origin);
  }

  Expander expander_;
  policy::Policy& policy_;
  learn::Adviser* const learned_;  // null: nothing is learned
  const size_t lanes_;
  const BestFirstParameters parameters_;
  bool wants_chances_;

  StepStates states_;
  std::vector<double> costs_;                         // by state
  std::vector<double> costs_to_go_;                   // by state; 0 if no chance is known
  double known_costs_to_go_ = 0, known_chances_ = 0;  // the sum and number of those with a chance
  std::vector<size_t> entries_;                       // queued or being expanded
  std::map<StateId, std::vector<policy::Candidate>> candidates_;  // of states with entries
  std::set<StateId> proposed_;
  std::map<std::string, size_t> times_slow_;  // by tactic
  SlowPremises slow_premises_;
  GoalTrials trials_;
  std::map<std::string, double> chances_;  // by goal, without its "case" line
  std::priority_queue<Entry> queue_;
  uint64_t order_ = 0;

  size_t at_work_ = 0;
  std::set<std::pair<StateId, size_t>> known_;  // (state, hash of a tactic)
  size_t effort_ = 0;
  int64_t samples_before_pass_ = 0;
  size_t new_in_pass_ = 0;  // candidates
  size_t fruitless_passes_ = 0;
};

}  // namespace

core::Status Check(const BestFirstParameters& p) {
  const auto positive = [](double value) { return value > 0 && std::isfinite(value); };
  const char* wrong = nullptr;
  if (p.candidates_per_state == 0) wrong = "candidates_per_state";
  if (p.batch == 0) wrong = "batch";
  if (p.max_depth == 0) wrong = "max_depth";
  if (!positive(p.seconds_per_candidate)) wrong = "seconds_per_candidate";
  if (!positive(p.retry_factor)) wrong = "retry_factor";
  if (wrong != nullptr) {
    return core::Fail(core::ErrorCode::kUsage, std::string(wrong) + " must be above 0");
  }
  for (const double cost :
       {p.length_exponent, p.cost_per_goal, p.cost_per_step, p.cost_per_retry, p.value_weight}) {
    if (cost >= 0 && std::isfinite(cost)) continue;
    return core::Fail(core::ErrorCode::kUsage,
                      "costs, length_exponent and value_weight must not be below 0");
  }
  return {};
}

Task<Result<SearchResult>> BestFirst(const Services& services, const Problem& problem,
                                     const BestFirstParameters& parameters, Limits limits) {
  const auto executor = co_await boost::asio::this_coro::executor;
  BestFirstSearch search(services, problem, parameters, std::move(limits), executor);
  co_return co_await search.Run();
}

namespace {

class BestFirstStrategy : public StrategyWith<BestFirstParameters> {
 public:
  std::string_view name() const override { return "best_first"; }
  std::string_view summary() const override {
    return "best-first search over tactics (BFS-Prover)";
  }
  std::vector<Parameter> Parameters() const override {
    return {
        {"candidates_per_state", "expansion width: tactics requested per state"},
        {"samples_per_state", "the number of these that models are asked for"},
        {"length_exponent", "α: costs are divided by length^α"},
        {"cost_per_goal", "cost of each goal after the first"},
        {"cost_per_step", "cost of each tactic"},
        {"batch", "tactics in one check"},
        {"max_depth", "maximum number of tactics in a proof"},
        {"seconds_per_candidate", "seconds for a tactic"},
        {"retry_factor", "factor on that limit for each retry of a tactic that ran out of time"},
        {"max_retries", "maximum number of retries of a tactic"},
        {"cost_per_retry", "cost of each retry"},
        {"max_goal_bytes", "bytes; states with longer goals are dropped"},
        {"value_weight",
         "cost per -ln(learned chance) of each goal (docs/learning.md); 0: not used"},
    };
  }
  Needs needs() const override { return {.tactics = true}; }
  bool IsTacticSearch() const override { return true; }

  void Fit(const EvaluatedAttempt& attempt, StrategyParameters& parameters) const override {
    if (!attempt.samples || attempt.has_models) return;
    auto own = Own(parameters);
    own.batch = std::clamp<size_t>(attempt.SampleLimit(), 1, own.batch);
    parameters.sections["best_first"] = own;
  }
  size_t SamplesPerState(const StrategyParameters& parameters) const override {
    return Own(parameters).samples_per_state;
  }

  Task<Result<SearchResult>> Run(Job job, Limits limits) const override {
    const BestFirstParameters own = Own(job.parameters);
    co_return co_await BestFirst(job.services, job.problem, own, std::move(limits));
  }
};

}  // namespace

}  // namespace zermelo::strategy

ZERMELO_STRATEGY(best_first, BestFirstStrategy);
