#include "strategy/rmaxts/rmaxts.h"

#include <boost/asio/this_coro.hpp>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/random.h"
#include "strategy/expander.h"
#include "strategy/registry.h"

namespace zermelo::strategy {

using core::Result;
using core::Task;
using nlohmann::json;
using search::NodeId;

namespace {

ProofTreeParameters TreeParametersOf(const RmaxtsParameters& p, size_t tree) {
  ProofTreeParameters parameters;
  search::BanditParameters& bandit = parameters.tree.bandit;
  switch (p.bandit) {
    case TreePolicy::kDucb:
      bandit.bandit = search::Bandit::kDucb;
      break;
    case TreePolicy::kUcb1:
    case TreePolicy::kUct:
      bandit.bandit = search::Bandit::kUcb1;
      break;
    case TreePolicy::kSwucb:
      bandit.bandit = search::Bandit::kSwucb;
      break;
    case TreePolicy::kPuct:
      bandit.bandit = search::Bandit::kPuct;
      break;
  }
  bandit.convention = p.convention;
  bandit.gamma = p.gamma;
  bandit.window = p.window;
  bandit.exploration = p.exploration;
  parameters.tree.merge = p.merge;
  parameters.tree.seed = tree == 0 ? p.seed : core::Mix(p.seed, tree);
  parameters.intrinsic_reward = p.intrinsic_reward && p.bandit != TreePolicy::kUct;
  parameters.max_prefix_tokens = p.max_prefix_tokens;
  parameters.merging = p.state_merging;
  return parameters;
}

class RmaxtsSearch {
 public:
  RmaxtsSearch(const Services& services, const Problem& problem, const RmaxtsParameters& parameters,
               Limits limits, core::Executor executor)
      : expander_(services, problem, std::move(limits), std::move(executor)),
        parameters_(parameters) {
    const std::string root = fmt::format("{}", fmt::join(problem.goals, "\n\n"));
    for (size_t i = 0; i < parameters.trees; ++i) {
      policy::CompletionPolicy& policy =
          parameters.trees == 1 ? *services.completions : services.completions->ForTree(i);
      trees_.push_back(std::make_unique<Tree>(TreeParametersOf(parameters, i), root, policy));
    }
  }

  Task<Result<SearchResult>> Run() {
    auto result =
        co_await expander_.Run(parameters_.workers * trees_.size(), [this] { return Next(); });
    if (result) {
      for (const auto& tree : trees_) result->nodes += tree->proofs.tree().size();
    }
    co_return result;
  }

 private:
  struct Tree {
    Tree(const ProofTreeParameters& parameters, const std::string& root,
         policy::CompletionPolicy& asked)
        : proofs(parameters, root), policy(asked) {}
    ProofTree proofs;
    policy::CompletionPolicy& policy;
    size_t begun = 0;
    size_t under_way = 0;
    size_t fruitless_calls = 0;  // in a row, for the whole theorem: other prompts are longer
  };

  /// The trees take turns (A.4, "Root Parallelization"), each with a maximum number of workers
  /// ("Tree Parallelization").
  std::optional<Expander::Work> Next() {
    if (!expander_.MayAsk()) return std::nullopt;
    for (size_t i = 0; i < trees_.size(); ++i) {
      const size_t index = (turn_ + i) % trees_.size();
      Tree& tree = *trees_[index];
      if (tree.begun >= parameters_.generations || tree.under_way >= parameters_.workers) continue;
      if (tree.fruitless_calls >= kMostCallsWithoutRoom) continue;
      json path;
      const auto expansion = tree.proofs.Begin([&](NodeId node) {
        if (expander_.limits().tracing()) path = PathTo(tree.proofs.tree(), node);
      });
      if (!expansion) continue;  // every node is closed
      Announce(index, *expansion, path);
      turn_ = index + 1;
      ++tree.begun;
      ++tree.under_way;
      return [this, index, expansion = *expansion] { return Expand(index, expansion); };
    }
    return std::nullopt;
  }

  Task<void> Expand(size_t index, ProofTree::Expansion expansion) {
    co_await ExpandOnce(index, expansion);
    --trees_[index]->under_way;
  }

  /// Algorithm 1, lines 20-35 and 5-6.
  Task<void> ExpandOnce(size_t index, ProofTree::Expansion expansion) {
    Tree& tree = *trees_[index];
    const std::string prefix = tree.proofs.Tactics(expansion.prefix);
    auto samples =
        co_await expander_.ProposeProofs(tree.policy, InputAt(tree, expansion.node, prefix), 1);
    if (prefix.empty()) tree.fruitless_calls = samples.empty() ? tree.fruitless_calls + 1 : 0;
    if (samples.empty() && !expander_.MayAsk()) {
      tree.proofs.Abandon(expansion);
      co_return;
    }
    std::vector<Segment> segments;
    auto from = ProofTree::From::kNode;
    bool complete = false;
    std::string tactics;
    if (!samples.empty() && expander_.IsUsable(samples[0], Expander::Sorry::kIsAnError)) {
      tactics = samples[0].proof->tactics;
      const auto end = EndOfPrefix(tactics, prefix);
      if (!end) from = ProofTree::From::kRoot;
      auto traced = co_await expander_.TraceProof(tactics, role::kProver, end.value_or(0),
                                                  core::FromSeconds(parameters_.check_seconds));
      if (!traced && expander_.Done()) {
        tree.proofs.Abandon(expansion);
        co_return;
      }
      if (traced) {
        segments = std::move(traced->segments);
        complete = traced->complete;
        tactics = std::move(traced->proof);
      }
    }
    const size_t nodes_before = tree.proofs.tree().size();
    const auto added = tree.proofs.End(expansion, segments, from);
    AnnounceEnd(index, expansion, nodes_before, added);
    expander_.Notify();
    if (complete) co_await Finish(tree, std::move(tactics), std::move(samples[0].origin));
  }

  Task<void> Finish(Tree& tree, std::string tactics, std::string origin) {
    const bool confirmed = co_await expander_.Confirm(tactics, role::kProver);
    if (confirmed && expander_.Found(tactics)) tree.policy.Succeeded(origin);
  }

  policy::CompletionInput InputAt(const Tree& tree, NodeId node, const std::string& prefix) const {
    policy::CompletionInput input;
    input.theorem = expander_.problem().context.theorem;
    input.prefix = policy::PrefixOf(prefix);
    input.state = parameters_.tactic_state ? tree.proofs.State(node) : "";
    return input;
  }

  // ---- events

  void Announce(size_t index, const ProofTree::Expansion& expansion, const json& path) const {
    json fields{{"tree", index}, {"node", expansion.node}, {"prefix", expansion.prefix}};
    if (!path.is_null()) fields["path"] = path;
    expander_.limits().Append(event::kSelected, std::move(fields));
  }

  void AnnounceEnd(size_t index, const ProofTree::Expansion& expansion, size_t nodes_before,
                   const ProofTree::AddedPath& added) const {
    const auto& tree = *trees_[index];
    for (size_t node = nodes_before; node < tree.proofs.tree().size(); ++node) {
      expander_.limits().Append(event::kNodeAdded, [&] {
        const auto id = static_cast<NodeId>(node);
        return json{{"tree", index},
                    {"node", node},
                    {"parent", tree.proofs.tree().parent(id)},
                    {"tactics", tree.proofs.Tactics(tree.proofs.Prefixes(id)[0])},
                    {"goals", tree.proofs.State(id)}};
      });
    }
    expander_.limits().Append(event::kBackedUp, {{"tree", index},
                                                 {"node", expansion.node},
                                                 {"prefix", expansion.prefix},
                                                 {"last", added.last},
                                                 {"reward", added.reward}});
  }

  /// The arms compared at every node on the path to a selected node, with the one taken.
  static json PathTo(const search::Tree& tree, NodeId node) {
    std::vector<std::pair<NodeId, NodeId>> steps{{node, search::kNoNode}};  // from, to
    for (; tree.parent(node) != search::kNoNode; node = tree.parent(node)) {
      steps.emplace_back(tree.parent(node), node);
    }
    json path = json::array();
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
      json arms = json::array();
      for (const auto& arm : tree.Arms(step->first)) arms.push_back(ArmJson(arm));
      path.push_back(
          {{"node", step->first}, {"arms", std::move(arms)}, {"taken", ArmName(step->second)}});
    }
    return path;
  }

  static json ArmJson(const search::ArmView& arm) {
    return {{"arm", ArmName(arm.child)},
            {"w", arm.statistic.reward},
            {"n", arm.statistic.visits},
            {"pending", arm.pending},
            {"score", std::isfinite(arm.score) ? json(arm.score) : json("inf")},
            {"closed", arm.closed}};
  }

  /// Null stands for ∅, "expand here".
  static json ArmName(NodeId child) { return child == search::kNoNode ? json() : json(child); }

  Expander expander_;
  const RmaxtsParameters parameters_;
  std::vector<std::unique_ptr<Tree>> trees_;
  size_t turn_ = 0;
};

}  // namespace

core::Status Check(const RmaxtsParameters& p) {
  const auto wrong = [](const std::string& what) {
    return core::Fail(core::ErrorCode::kUsage, what);
  };
  if (p.trees == 0 || p.generations == 0 || p.workers == 0) {
    return wrong("trees, generations and workers must be above 0");
  }
  if (p.trees > 4096 || p.workers > 4096) return wrong("trees and workers must be at most 4096");
  if (!(p.check_seconds > 0)) return wrong("check_seconds must be above 0");
  if (p.bandit == static_cast<TreePolicy>(-1)) {
    return wrong("bandit must be ducb, ucb1, swucb, uct or puct");
  }
  if (p.state_merging == static_cast<StateMerging>(-1)) {
    return wrong("state_merging must be exact or up_to_inaccessible");
  }
  return search::Check(TreeParametersOf(p, 0).tree);
}

Task<Result<SearchResult>> Rmaxts(const Services& services, const Problem& problem,
                                  const RmaxtsParameters& parameters, Limits limits) {
  const auto executor = co_await boost::asio::this_coro::executor;
  RmaxtsSearch search(services, problem, parameters, std::move(limits), executor);
  co_return co_await search.Run();
}

namespace {

class RmaxtsStrategy : public StrategyWith<RmaxtsParameters> {
 public:
  std::string_view name() const override { return "rmaxts"; }
  std::string_view summary() const override {
    return "tree search by truncate-and-resume (DeepSeek-Prover-V1.5)";
  }
  std::vector<Parameter> Parameters() const override {
    return {
        {"generations", "generations per tree"},
        {"trees", "root parallelism (A.4): independent trees that take turns"},
        {"workers",
         "tree parallelism (A.4): generations in flight per tree; a reward of 0 until they end"},
        {"bandit",
         "ducb (eq. 7-9), ucb1 (4-6), swucb (10-12), uct (4-6, no intrinsic reward), puct"},
        {"gamma", "discount of ducb"},
        {"window", "rewards that swucb keeps per arm (table 8: 32, 64, 128)"},
        {"exploration", "factor of the exploration bonus"},
        {"convention", "paper or reference_code: unvisited arms and ties (docs/search.md)"},
        {"merge", "siblings or whole_tree: the scope in which equal states are merged"},
        {"state_merging", "exact, or up_to_inaccessible: names such as n✝ may differ"},
        {"intrinsic_reward", "reward new nodes; false: only proofs are rewarded (figure 4)"},
        {"tactic_state", "add the tactic state to the prompt, as a comment (figure 4: without)"},
        {"max_prefix_tokens",
         "longer partial proofs get no node; estimated at three characters a token"},
        {"check_seconds",
         "seconds of Lean for a generation; one that takes longer earns no reward"},
        {"seed", "seed of random choices; --seed sets it"},
    };
  }
  Needs needs() const override { return {.proofs = true, .partial_proofs = true}; }
  std::vector<Preset> Presets() const override {
    return {{"paper", "16 x 6400 of DeepSeek-Prover-V1.5 (table 1)", PapersRun()}};
  }

  void Fit(const EvaluatedAttempt& attempt, StrategyParameters& parameters) const override {
    auto own = Own(parameters);
    if (!attempt.alone) own.trees = 1;  // of K x W, an attempt is one tree
    if (parameters.strategy != "auto") {
      own.generations = (attempt.SampleLimit() + own.trees - 1) / own.trees;
    }
    parameters.sections["rmaxts"] = own;
  }

  void SetSeed(uint64_t seed, StrategyParameters& parameters) const override {
    parameters.sections["rmaxts"]["seed"] = seed;
  }

  Task<Result<SearchResult>> Run(Job job, Limits limits) const override {
    const RmaxtsParameters own = Own(job.parameters);
    co_return co_await Rmaxts(job.services, job.problem, own, std::move(limits));
  }

 private:
  /// Every setting that the paper gives; presets_test.cc names the places.
  static json PapersRun() {
    return {{"trees", 16},
            {"generations", 6400},
            {"workers", 32},
            {"bandit", TreePolicy::kDucb},
            {"gamma", 0.99},
            {"exploration", 1.0},
            {"convention", search::Convention::kPaper},
            {"merge", search::Merge::kSiblings},
            {"state_merging", StateMerging::kExact},
            {"intrinsic_reward", true},
            {"tactic_state", true},
            {"max_prefix_tokens", 2048},
            {"check_seconds", 300.0}};
  }
};

}  // namespace

}  // namespace zermelo::strategy

ZERMELO_STRATEGY(rmaxts, RmaxtsStrategy);
