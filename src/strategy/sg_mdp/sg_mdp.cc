#include "strategy/sg_mdp/sg_mdp.h"

#include <algorithm>
#include <boost/asio/this_coro.hpp>
#include <cmath>
#include <deque>
#include <map>
#include <set>

#include "search/frontier.h"
#include "search/tree.h"
#include "strategy/expander.h"
#include "strategy/registry.h"
#include "strategy/sg_mdp/conjecture.h"
#include "strategy/step_states.h"
#include "syntax/goal/metavariables.h"

namespace zermelo::strategy {

using core::Result;
using core::Task;
using lean::ProbeResult;
using nlohmann::json;
using policy::Candidate;

namespace {

/// The data of a node apart from its state.
struct Node {
  // An unsolved conjecture, which is solved once at most `goals_after` goals are left.
  struct Open {
    size_t goals_after = 0;
    std::string head;
  };
  std::vector<Open> open;  // the current one last
  size_t solved = 0;       // conjectures
  double earned = 0;  // for them: the sum of gamma^t, t the number of tactics until each was solved
  size_t children = 0;
  std::deque<Candidate> spare;  // proposed, not tried yet
  std::set<std::string> tried;
  std::set<std::string> taken;  // tactics that lead to its children
};

/// A tactic to try. A conjecture with a proof gives two: with its proof, then as a goal.
struct Trial {
  Candidate candidate;
  std::string pushes;  // head of the conjecture that becomes the current goal
  std::string solves;  // head of the conjecture that it states and proves
};

class SgMdpSearch {
 public:
  SgMdpSearch(const Services& services, const Problem& problem, const SgMdpParameters& parameters,
              Limits limits, core::Executor executor)
      : expander_(services, problem, std::move(limits), std::move(executor)),
        services_(services),
        parameters_(parameters),
        states_(problem.goals),
        tree_(TreeParameters(parameters), 0) {}

  Task<Result<SearchResult>> Run() {
    nodes_.emplace_back();
    if (IsUsable(states_.Goals(0), 0)) Reopen(0);
    auto result = co_await expander_.Run(parameters_.workers, [this] { return Next(); });
    if (result) result->nodes = states_.size();
    co_return result;
  }

 private:
  static search::TreeParameters TreeParameters(const SgMdpParameters& parameters) {
    search::TreeParameters tree;
    tree.bandit.bandit = search::Bandit::kOwnVisits;
    tree.bandit.exploration = parameters.exploration;
    return tree;
  }

  // ---- selection

  /// Selects the open node with the highest UCB; nodes being expanded are not open.
  std::optional<Expander::Work> Next() {
    if (iterations_ >= parameters_.iterations || open_.empty()) return std::nullopt;
    ++iterations_;
    Announce();
    const StateId node = open_.Pop();
    return [this, node] { return Expand(node); };
  }

  double Ucb(StateId node) const {
    return search::OwnVisitsScore(tree_.Through(node), parameters_.exploration);
  }

  void Reopen(StateId node) {
    if (nodes_[node].children >= parameters_.trials) return Close(node);
    open_.Set(node, Ucb(node));
    expander_.Notify();
  }

  /// The node is never selected again.
  void Close(StateId node) const {
    if (!expander_.Done()) expander_.limits().Append(event::kNodeClosed, {{"node", node}});
  }

  // ---- expansion

  Task<void> Expand(StateId node) {
    size_t trials = 0;
    bool found = false;
    while (trials < parameters_.trials && !found && !expander_.Done()) {
      if (nodes_[node].spare.empty()) {
        const size_t samples = co_await FindCandidates(node);
        if (nodes_[node].spare.empty()) {
          // The built-in policy only repeats itself; a model may say something else next time.
          if (samples == 0) break;
          trials = std::min(trials + samples, parameters_.trials);  // else it might ask for ever
        }
      }
      const auto batch = TakeSpare(node, parameters_.trials - trials);
      if (batch.empty()) continue;
      trials += batch.size();
      found = co_await Try(node, batch);
    }
    if (found) {
      Reopen(node);
    } else {
      Close(node);
    }
  }

  /// Has tactics proposed that were not tried at this node. Returns the number of models' samples,
  /// with those that repeat a tactic or are none.
  Task<size_t> FindCandidates(StateId node) {
    auto context = states_.ContextOf(expander_.problem(), node);
    context.printed = states_.Goals(node).front();
    context.state = syntax::ParseProofState(context.printed);
    const size_t wanted = parameters_.trials + nodes_[node].tried.size();
    auto proposal = co_await expander_.ProposeTactics(std::move(context), wanted);
    for (Candidate& candidate : proposal.candidates) {
      if (!nodes_[node].tried.insert(candidate.tactic).second) continue;
      nodes_[node].spare.push_back(std::move(candidate));
    }
    co_return proposal.samples;
  }

  std::vector<Candidate> TakeSpare(StateId node, size_t most) {
    std::vector<Candidate> taken;
    auto& spare = nodes_[node].spare;
    while (!spare.empty() && taken.size() < std::min(most, kBatch)) {
      taken.push_back(std::move(spare.front()));
      spare.pop_front();
    }
    return taken;
  }

  /// Whether one of the candidates became a child or completed the proof.
  Task<bool> Try(StateId node, std::vector<Candidate> batch) {
    std::vector<Trial> trials;
    for (const Candidate& candidate : batch) AddTrials(candidate, trials);
    const bool alone = HasMetavariables(node);
    std::optional<std::vector<ProbeResult>> attempts;
    if (!alone) {
      std::vector<Candidate> tactics;
      for (const Trial& trial : trials) tactics.push_back(trial.candidate);
      attempts = co_await expander_.TryTactics(FlatText(states_.Steps(node)), tactics, PerTactic());
      if (!attempts) co_return false;
      RecordTrials(expander_.limits(), states_, node, tactics, *attempts);
    }
    for (size_t i = 0; i < trials.size() && !expander_.Done(); ++i) {
      Trial trial = trials[i];
      std::optional<Successor> next;
      if (alone && IsHeuristic(trial.candidate.tactic)) {
        if (!CompletesSuggestions()) continue;
        const bool done = co_await Complete(node);
        if (done) co_return true;
      } else if (alone) {
        next = co_await Run(node, trial.candidate);
      } else {
        ProbeResult attempt = (*attempts)[i];
        if (IsHeuristic(trial.candidate.tactic)) {
          const bool done = co_await Resolve(node, &trial, &attempt);
          if (done) co_return true;
        }
        next = Apply(states_.Goals(node), trial.candidate, attempt);
      }
      if (!next) continue;
      const bool added = co_await Add(node, trial, *next);
      if (added) {
        PutBack(node, batch, trial, trials, i);
        co_return true;
      }
    }
    co_return false;
  }

  bool HasMetavariables(StateId node) const {
    return std::ranges::any_of(states_.Goals(node), syntax::HasMetavariable);
  }

  /// Runs a tactic after the proof so far, for goals that share metavariables: a tactic on the
  /// first may change or close the others, and a probe would do so for every other tactic in it.
  Task<std::optional<Successor>> Run(StateId node, Candidate candidate) {
    std::string text = FlatText(states_.Steps(node));
    if (!text.empty()) text += '\n';
    const size_t from = text.size();
    text += candidate.tactic;
    const auto traced = co_await expander_.TraceProof(text, RoleOf(candidate), from, PerTactic());
    ++expander_.result().samples;
    if (!traced || traced->segments.empty() || traced->proof.size() < text.size()) {
      co_return std::nullopt;
    }
    Successor next;
    next.step.tactic = std::move(candidate.tactic);
    next.goals = GoalsOf(traced->segments.back().state);
    const auto others = LaterGoalsLeft(states_.Goals(node), next.goals);
    next.step.goals_left =
        next.goals.size() - static_cast<size_t>(std::count(others.begin(), others.end(), true));
    co_return next;
  }

  /// The goals of a state as Lean prints them, with an empty line between.
  static std::vector<std::string> GoalsOf(std::string_view state) {
    std::vector<std::string> goals;
    while (!state.empty()) {
      const size_t end = std::min(state.find("\n\n"), state.size());
      goals.emplace_back(state.substr(0, end));
      state.remove_prefix(std::min(end + 2, state.size()));
    }
    return goals;
  }

  /// Keeps the candidates after the taken one, whose results were not used, for the next expansion
  /// of the node.
  void PutBack(StateId node, const std::vector<Candidate>& batch, const Trial& taken,
               const std::vector<Trial>& trials, size_t index) {
    std::set<std::string> looked_at;
    for (size_t i = 0; i <= index; ++i) looked_at.insert(trials[i].candidate.tactic);
    looked_at.insert(taken.candidate.tactic);
    for (auto candidate = batch.rbegin(); candidate != batch.rend(); ++candidate) {
      const auto conjecture = ReadConjecture(candidate->tactic);
      const bool pushed = conjecture && looked_at.contains(conjecture->Push());
      if (!pushed && !looked_at.contains(candidate->tactic)) {
        nodes_[node].spare.push_front(*candidate);
      }
    }
  }

  void AddTrials(const Candidate& candidate, std::vector<Trial>& trials) const {
    const auto conjecture =
        parameters_.conjectures ? ReadConjecture(candidate.tactic) : std::nullopt;
    if (!conjecture) {
      trials.push_back({.candidate = candidate, .pushes = "", .solves = ""});
      return;
    }
    if (conjecture->has_proof) {
      // The proof after `suffices h : p` is that of the goal; p is open.
      const bool open = conjecture->kind == Conjecture::Kind::kSuffices;
      trials.push_back({.candidate = candidate,
                        .pushes = open ? conjecture->head : "",
                        .solves = open ? "" : conjecture->head});
    }
    trials.push_back({.candidate = candidate, .pushes = conjecture->head, .solves = ""});
    trials.back().candidate.tactic = conjecture->Push();
  }

  /// Replaces a heuristic tactic by its suggestion, or has a model complete the proof. Returns true
  /// if that proved the theorem.
  Task<bool> Resolve(StateId node, Trial* trial, ProbeResult* attempt) {
    const std::string suggestion = std::exchange(attempt->suggestion, "");
    const bool ran = attempt->outcome == ProbeResult::Outcome::kClosed ||
                     attempt->outcome == ProbeResult::Outcome::kOpen;
    attempt->outcome = ProbeResult::Outcome::kFailed;
    if (!ran) co_return false;
    if (CompletesSuggestions()) {
      const bool completed = co_await Complete(node);
      co_return completed;
    }
    if (suggestion.empty()) co_return false;
    trial->candidate.tactic = suggestion;
    const std::vector<Candidate> alone(1, trial->candidate);
    auto attempts =
        co_await expander_.TryTactics(FlatText(states_.Steps(node)), alone, PerTactic());
    if (attempts) *attempt = std::move(attempts->front());
    attempt->suggestion.clear();
    co_return false;
  }

  bool CompletesSuggestions() const {
    return parameters_.suggestions == Suggestions::kComplete && services_.completions != nullptr;
  }

  Task<bool> Complete(StateId node) {
    policy::CompletionInput input;
    input.theorem = expander_.problem().context.theorem;
    input.prefix = IndentedText(states_.Steps(node));
    input.state = states_.ContextOf(expander_.problem(), node).printed;
    auto samples = co_await expander_.ProposeProofs(*services_.completions, std::move(input), 1);
    if (samples.empty()) co_return false;
    if (!expander_.IsUsable(samples[0], Expander::Sorry::kMakesUseless)) co_return false;
    const syntax::Proof proof = samples[0].proof->Variants().front();
    const auto judged =
        co_await expander_.JudgeProof(proof, core::FromSeconds(parameters_.check_seconds));
    if (!judged || !judged->accepted || !IsNewProof(proof.Text())) co_return false;
    expander_.Found(proof);
    services_.completions->Succeeded(samples[0].origin);
    Successor rest;
    rest.step.tactic = proof.tactics;
    AddProof(node, {.candidate = {.tactic = proof.tactics, .origin = samples[0].origin}}, rest);
    co_return true;
  }

  core::Duration PerTactic() const { return core::FromSeconds(parameters_.seconds_per_tactic); }

  bool IsUsable(const std::vector<std::string>& goals, size_t depth) const {
    size_t bytes = 0;
    for (const auto& goal : goals) {
      bytes += goal.size();
      if (!parameters_.metavariables && syntax::HasMetavariable(goal)) return false;
    }
    return !goals.empty() && depth < parameters_.max_depth && bytes <= parameters_.max_goal_bytes;
  }

  /// Returns whether the state is new and usable, or completes a new proof that Lean accepts.
  Task<bool> Add(StateId from, Trial trial, Successor next) {
    if (next.goals.empty()) {
      const bool finished = co_await Finish(from, trial, next);
      co_return finished;
    }
    if (!IsUsable(next.goals, states_.depth(from) + 1) || IsKnown(from, next)) co_return false;
    Reopen(AddNode(from, trial, next));
    co_return true;
  }

  bool IsKnown(StateId from, const Successor& next) const {
    if (parameters_.states == StateIdentity::kGoals) return states_.Find(next.goals).has_value();
    return nodes_[from].taken.contains(next.step.tactic);
  }

  /// Adds the child and backs its value up.
  StateId AddNode(StateId from, const Trial& trial, const Successor& next) {
    const StateId state = states_.Add(from, next.step, trial.candidate.origin, next.goals);
    tree_.Step(from, state);
    ++nodes_[from].children;
    nodes_[from].taken.insert(next.step.tactic);
    const size_t goals = next.goals.size();
    Node node;
    node.open = nodes_[from].open;
    if (HasMetavariables(from)) LowerGoalsAfter(states_.Goals(from), next.goals, node);
    node.solved = nodes_[from].solved;
    node.earned = nodes_[from].earned;
    if (!trial.pushes.empty()) {
      node.open.push_back({.goals_after = goals == 0 ? 0 : goals - 1, .head = trial.pushes});
    }
    if (!trial.solves.empty()) Solved(state, trial.solves, node);
    while (!node.open.empty() && goals <= node.open.back().goals_after) {
      Solved(state, node.open.back().head, node);
      node.open.pop_back();
    }
    nodes_.push_back(std::move(node));
    const double value = Value(state, next.goals.empty());
    AnnounceNode(from, state, next, value);
    Backup(state, value);
    return state;
  }

  /// A tactic may close later goals by unification: these no longer stand after a conjecture.
  static void LowerGoalsAfter(const std::vector<std::string>& before,
                              const std::vector<std::string>& after, Node& node) {
    const std::vector<bool> left = LaterGoalsLeft(before, after);
    for (Node::Open& open : node.open) {
      const auto count = static_cast<std::ptrdiff_t>(open.goals_after);
      open.goals_after = static_cast<size_t>(std::count(left.end() - count, left.end(), true));
    }
  }

  void Solved(StateId state, const std::string& head, Node& node) const {
    ++node.solved;
    node.earned += Discount(state);
    expander_.limits().Append(event::kLemmaProved, {{"node", state}, {"statement", head}});
  }

  /// A finished proof as a child that is never selected: R(s, g_0) of eq. 1. Without further proofs
  /// to find, nothing would see it.
  void AddProof(StateId from, const Trial& trial, const Successor& next) {
    if (services_.all) AddNode(from, trial, next);
  }

  // ---- estimation and back-propagation

  /// gamma^t in the state after t tactics.
  double Discount(StateId state) const {
    return std::pow(parameters_.gamma, static_cast<double>(states_.depth(state)));
  }

  /// The sum of eq. 1 over the path, with the depth of the proof (section 4).
  double Value(StateId state, bool proved) const {
    return parameters_.depth_weight * static_cast<double>(states_.depth(state)) +
           parameters_.lambda * nodes_[state].earned + (proved ? Discount(state) : 0);
  }

  /// Also updates the scores of the nodes on the path.
  void Backup(StateId state, double value) {
    expander_.limits().Append(event::kBackedUp, {{"node", state}, {"reward", value}});
    tree_.Backup(state, value);
    for (StateId node = state;; node = states_.parent(node)) {
      if (open_.Contains(node)) open_.Set(node, Ucb(node));
      if (node == 0) break;
    }
  }

  // ---- the proof

  Task<bool> Finish(StateId from, Trial trial, Successor next) {
    auto steps = states_.Steps(from);
    steps.push_back(next.step);
    auto proof = co_await ConfirmedText(steps, RoleOf(trial.candidate));
    if (!proof || !IsNewProof(*proof)) co_return false;
    if (parameters_.prune) {
      auto shorter = co_await Pruned(std::move(steps), RoleOf(trial.candidate));
      if (shorter) proof = std::move(shorter);
    }
    // Even if pruning makes it a known one, it is a child.
    expander_.Found(*proof, states_.MovesTo(from, next.step, trial.candidate.origin));
    for (const std::string& origin : states_.Origins(from)) services_.steps->Succeeded(origin);
    services_.steps->Succeeded(trial.candidate.origin);
    AddProof(from, trial, next);
    co_return true;
  }

  /// Whether no other path of the tree gave this proof.
  bool IsNewProof(const std::string& unpruned) { return proofs_.insert(ProofKey(unpruned)).second; }

  /// The laid-out proof, or the flat one if Lean rejects the layout.
  Task<std::optional<std::string>> ConfirmedText(const std::vector<ProofStep>& steps,
                                                 std::string_view role) {
    std::string laid_out = LaidOutText(steps), flat = FlatText(steps);
    const bool nice = co_await expander_.Confirm(laid_out, role);
    if (nice) co_return laid_out;
    if (laid_out == flat) co_return std::nullopt;
    const bool plain = co_await expander_.Confirm(flat, role);
    if (plain) co_return flat;
    co_return std::nullopt;
  }

  /// The proof without the conjectures that it does not need; nullopt if it needs them all. Tactics
  /// such as `omega` use hypotheses without mentioning them, so Lean has to check each removal.
  Task<std::optional<std::string>> Pruned(std::vector<ProofStep> steps, std::string_view role) {
    std::optional<std::string> text;
    for (size_t i = steps.size(); i-- > 0;) {
      const auto conjecture = ReadConjecture(steps[i].tactic);
      if (!conjecture || conjecture->kind == Conjecture::Kind::kSuffices) continue;
      auto rest = Without(steps, i);
      if (Mentions(rest, i, conjecture->names)) continue;
      auto shorter = co_await ConfirmedText(rest, role);
      if (!shorter) continue;
      text = std::move(shorter);
      steps = std::move(rest);
    }
    co_return text;
  }

  // ---- events

  void Announce() const {
    expander_.limits().Append(event::kSelected, [&] {
      json fields{{"node", open_.Best()}, {"score", Finite(open_.BestScore())}};
      if (!expander_.limits().tracing()) return fields;
      fields["exploration"] = parameters_.exploration;
      for (StateId node = 0; node < nodes_.size(); ++node) {
        if (!open_.Contains(node)) continue;
        const auto through = tree_.Through(node);
        fields["arms"].push_back({{"arm", node},
                                  {"w", through.reward},
                                  {"n", through.visits},
                                  {"score", Finite(Ucb(node))}});
      }
      return fields;
    });
  }

  void AnnounceNode(StateId from, StateId state, const Successor& next, double value) const {
    expander_.limits().Append(event::kNodeAdded, [&] {
      return json{{"node", state},
                  {"parent", from},
                  {"tactic", next.step.tactic},
                  {"goals", next.goals},
                  {"solved", nodes_[state].solved},
                  {"value", value}};
    });
  }

  static json Finite(double score) { return std::isfinite(score) ? json(score) : json("inf"); }

  static constexpr size_t kBatch = 5;  // tactics in one check

  Expander expander_;
  const Services services_;
  const SgMdpParameters parameters_;

  StepStates states_;
  search::Tree tree_;       // node ids are state ids
  std::deque<Node> nodes_;  // by state id; references stay valid
  search::Frontier open_;   // open nodes by UCB, without those being expanded
  size_t iterations_ = 0;
  std::set<std::string> proofs_;  // the finished ones before pruning, by their keys
};

}  // namespace

core::Status Check(const SgMdpParameters& p) {
  const auto wrong = [](const std::string& what) {
    return core::Fail(core::ErrorCode::kUsage, what);
  };
  if (p.iterations == 0 || p.trials == 0 || p.samples_per_call == 0 || p.workers == 0 ||
      p.max_depth == 0) {
    return wrong("iterations, trials, samples_per_call, workers and max_depth must be above 0");
  }
  if (p.workers > 4096) return wrong("workers must be at most 4096");
  for (const double weight : {p.exploration, p.depth_weight, p.lambda}) {
    if (!(weight >= 0) || !std::isfinite(weight)) {
      return wrong("exploration, depth_weight and lambda must not be below 0");
    }
  }
  if (!(p.gamma > 0 && p.gamma <= 1)) return wrong("gamma must be above 0 and at most 1");
  if (!(p.seconds_per_tactic > 0) || !(p.check_seconds > 0)) {
    return wrong("seconds_per_tactic and check_seconds must be above 0");
  }
  if (p.suggestions == static_cast<Suggestions>(-1)) {
    return wrong("suggestions must be replace or complete");
  }
  if (p.states == static_cast<StateIdentity>(-1)) return wrong("states must be goals or tactics");
  return {};
}

Task<Result<SearchResult>> SgMdp(const Services& services, const Problem& problem,
                                 const SgMdpParameters& parameters, Limits limits) {
  const auto executor = co_await boost::asio::this_coro::executor;
  SgMdpSearch search(services, problem, parameters, std::move(limits), executor);
  co_return co_await search.Run();
}

namespace {

class SgMdpStrategy : public StrategyWith<SgMdpParameters> {
 public:
  std::string_view name() const override { return "sg_mdp"; }
  std::string_view summary() const override {
    return "tree search over tactics and conjectures (Bourbaki)";
  }
  std::vector<Parameter> Parameters() const override {
    return {
        {"iterations", "K: selections"},
        {"trials", "N: tactics in an expansion; children of a node"},
        {"samples_per_call", "tactics requested from models at once"},
        {"exploration", "C: factor of the exploration bonus"},
        {"depth_weight", "weight of the number of tactics in the value of a state"},
        {"lambda", "λ: weight of the solved conjectures in the value of a state"},
        {"gamma", "γ: discount per tactic of the rewards for solved goals"},
        {"conjectures", "false: have, obtain and suffices are ordinary tactics"},
        {"states", "what makes two states one: equal goals (goals) or the same tactics (tactics)"},
        {"metavariables",
         "keep states whose goals contain ?x; each tactic on them is a check of its own"},
        {"prune", "leave out conjectures that the proof does not need"},
        {"suggestions",
         "replace: try what exact?, apply? and simp? suggest; complete: a model writes the rest"},
        {"workers", "concurrent expansions"},
        {"max_depth", "maximum number of tactics in a proof"},
        {"seconds_per_tactic", "seconds for a tactic"},
        {"check_seconds", "seconds of Lean for a proof that a model completed"},
        {"max_goal_bytes", "bytes; states with longer goals are dropped"},
    };
  }
  Needs needs() const override { return {.tactics = true}; }
  std::vector<Preset> Presets() const override {
    return {{"paper", "the runs of Bourbaki (section 4)", PapersRun()}};
  }

  size_t SamplesPerState(const StrategyParameters& parameters) const override {
    return Own(parameters).samples_per_call;
  }

  Task<Result<SearchResult>> Run(Job job, Limits limits) const override {
    const SgMdpParameters own = Own(job.parameters);
    co_return co_await SgMdp(job.services, job.problem, own, std::move(limits));
  }

 private:
  /// Every setting that the paper gives; presets_test.cc names the places.
  static json PapersRun() {
    return {{"iterations", 512},
            {"trials", 10},
            {"conjectures", true},
            {"prune", false},
            {"suggestions", Suggestions::kComplete},
            {"states", StateIdentity::kTactics},
            {"metavariables", true}};
  }
};

}  // namespace

}  // namespace zermelo::strategy

ZERMELO_STRATEGY(sg_mdp, SgMdpStrategy);
