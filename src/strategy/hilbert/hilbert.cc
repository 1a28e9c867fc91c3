#include "strategy/hilbert/hilbert.h"

#include <algorithm>
#include <boost/asio/this_coro.hpp>
#include <cmath>
#include <deque>
#include <fmt/format.h>

#include "llm/prompt/format.h"
#include "strategy/free_search.h"
#include "strategy/hilbert/steps.h"
#include "strategy/registry.h"

namespace zermelo::strategy {

using core::ErrorCode;
using core::Fail;
using core::Result;
using core::Task;
using syntax::Proof;

namespace {

/// Algorithms 1 and 2: the order of the steps, and the tree of subgoals.
class Run {
 public:
  Run(const Services& services, const llm::PromptTemplates& prompts, FreeAttempt builtin,
      const Problem& problem, const HilbertParameters& parameters, Limits limits,
      core::Executor executor)
      : session_(services, std::move(limits), std::move(executor), &prompts, parameters.calls),
        known_(problem.context.theorem.taken),
        steps_(session_, parameters, known_, std::move(builtin)),
        parameters_(parameters),
        root_(RootOf(problem)),
        limits_(session_.limits()) {}

  Task<Result<SearchResult>> Prove() {
    Announce(root_, 0, NewNode());
    const bool proved = co_await Directly(root_, parameters_.initial_proofs, limits_);
    if (!proved) co_await Decompose(root_, limits_);
    co_return Finish();
  }

 private:
  static Goal RootOf(const Problem& problem) {
    const syntax::Theorem& theorem = problem.context.theorem;
    Goal root{
        .theorem = {.name = theorem.name, .signature = syntax::WithoutComments(theorem.signature)},
        .problem = problem,
        .above = {}};
    root.above.push_back(root.theorem.Key());
    return root;
  }

  // ---- events of the tree of subgoals

  void Announce(const Goal& goal, size_t parent, size_t node) const {
    limits_.Append(event::kSubgoal,
                   {{"node", node},
                    {"parent", node == 0 ? nlohmann::json() : nlohmann::json(parent)},
                    {"depth", goal.depth},
                    {"name", goal.theorem.name},
                    {"statement", goal.theorem.signature}});
  }
  void Becomes(const Goal& goal, std::string_view state, const std::string& why) {
    limits_.Append(event::kSubgoalState, {{"node", goal.node}, {"state", state}, {"why", why}});
    AnnounceUse(goal.node);
  }
  /// What was used for the node so far, if that is news.
  void AnnounceUse(size_t node) {
    NodeUse& use = uses_[node];
    if (use.now == use.announced) return;
    use.announced = use.now;
    const llm::Spending& spending = use.now.spending;
    limits_.Append(event::kSubgoalUsed,
                   {{"node", node},
                    {"calls", spending.calls},
                    {"samples", spending.samples},
                    {"tokens", spending.tokens()},
                    {"checks", use.now.checks},
                    {"lean_seconds", std::round(use.now.lean_seconds * 1000) / 1000}});
  }
  void AnnounceSketch(const Goal& goal, size_t attempt, size_t refinement,
                      const Sketch& sketch) const {
    limits_.Append(event::kSketch, {{"node", goal.node},
                                    {"attempt", attempt},
                                    {"refinement", refinement},
                                    {"tactics", sketch.tactics}});
  }

  // ---- costs of subgoals, each without those below it

  struct NodeUse {
    Use now;
    Use announced;
  };

  size_t NewNode() {
    uses_.emplace_back();
    return nodes_++;
  }
  /// Limits within which what is used counts for the goal.
  Limits For(const Goal& goal, const Limits& limits) {
    Limits own = Within(limits, limits.cancellation);
    own.use = &uses_[goal.node].now;
    return own;
  }

  // ---- direct attempts: the built-in policy, then the prover

  /// Returns whether it is proved.
  Task<bool> Directly(const Goal& goal, size_t proofs, const Limits& outer) {
    const Limits limits = For(goal, outer);
    const char* by = "the built-in policy";
    auto proof = co_await steps_.TryBuiltin(goal, limits);
    if (!proof && !session_.Done(limits)) {
      by = "the prover";
      proof = co_await steps_.TryProver(goal, proofs, limits);
    }
    if (proof) Remember(goal, *proof, NoLemmas(), by);
    co_return proof.has_value();
  }

  static std::vector<std::string> NoLemmas() { return {}; }  // g++ 12: no `{}` in coroutines

  /// Stores a proof, which applies the lemmas `uses`; that of the theorem itself is the end.
  void Remember(const Goal& goal, const Proof& proof, std::vector<std::string> uses,
                const std::string& by) {
    Becomes(goal, "proved", by);
    if (goal.node == 0) {
      whole_ = MakeProof(proof.tactics, known_.Stitched(uses) + proof.auxiliary);
      return;
    }
    known_.Add(LemmaOf(goal.theorem, proof, std::move(uses), by));
    limits_.Append(event::kLemmaProved,
                   {{"node", goal.node}, {"statement", goal.theorem.signature}});
  }

  // ---- decomposition

  /// A sketch, its subgoals, and which of them are proved.
  struct Division {
    Assembly assembly;
    std::vector<Goal> goals;  // in the order of assembly.theorems
    std::vector<char> proved;
    std::vector<size_t> Open() const {
      std::vector<size_t> open;
      for (size_t i = 0; i < goals.size(); ++i) {
        if (proved[i] == 0) open.push_back(i);
      }
      return open;
    }
    /// For prompts: the theorems that are proved.
    std::string Heads() const {
      std::string heads;
      for (size_t i = 0; i < goals.size(); ++i) {
        if (proved[i] != 0) heads.append(goals[i].theorem.Head()).append("\n");
      }
      return heads;
    }
  };

  /// Section 3.2.1: sketches a goal until all subgoals of one sketch are proved.
  Task<bool> Decompose(const Goal& goal, const Limits& outer) {
    const Limits limits = For(goal, outer);
    if (goal.depth >= parameters_.depth || !session_.MayAsk(limits)) co_return false;
    Becomes(goal, "divided", "");
    session_.result().depth = std::max(session_.result().depth, goal.depth + 1);
    for (size_t attempt = 1; attempt <= parameters_.sketch_attempts; ++attempt) {
      if (!session_.MayAsk(limits)) break;
      auto sketch = co_await steps_.MakeSketch(goal, std::nullopt, limits);
      if (!sketch) continue;
      const bool proved = co_await FillSketch(goal, attempt, *std::move(sketch), limits);
      if (proved) co_return true;
    }
    Becomes(goal, "unproved", session_.spent() ? "the models' budget is used up" : "");
    co_return false;
  }

  /// Section 3.2.2; refines the sketch while one of its subgoals is false.
  Task<bool> FillSketch(const Goal& goal, size_t attempt, Sketch sketch, const Limits& limits) {
    for (size_t refinement = 0; refinement <= parameters_.sketch_refinements; ++refinement) {
      AnnounceSketch(goal, attempt, refinement, sketch);
      if (sketch.holes.empty()) {  // a whole proof, which Lean has accepted
        Remember(goal, MakeProof(sketch.tactics), NoLemmas(), "its sketch, a whole proof");
        co_return true;
      }
      auto division = co_await Divide(goal, sketch, limits);
      if (!division) co_return false;
      std::string issue = Restated(goal, *division);
      if (issue.empty()) {
        co_await ProveDirectly(*division, limits);
        issue = co_await FindFalse(*division, limits);
      }
      if (issue.empty()) {
        co_await SolveShallowly(*division, limits);
        co_await Recurse(*division, limits);
        co_return co_await Assembled(goal, *division, limits);
      }
      if (refinement == parameters_.sketch_refinements || !session_.MayAsk(limits)) break;
      Steps::Rejected rejected;
      rejected.tactics = sketch.tactics;
      rejected.issue = issue;
      rejected.proved = division->Heads();
      auto refined = co_await steps_.MakeSketch(goal, rejected, limits);
      if (!refined) break;
      sketch = *std::move(refined);
    }
    co_return false;
  }

  /// Whether the goal is proved already. A lemma with the same statement and another name is copied
  /// under this goal's name.
  bool IsKnown(const Goal& goal) {
    const ProvedLemma* const known = known_.FindKey(goal.theorem.Key());
    if (known == nullptr) return false;
    Becomes(goal, "proved", "memory");
    if (known->name == goal.theorem.name) return true;
    known_.Add(known->Renamed(goal.theorem.name, goal.theorem.Head()));
    return true;
  }

  Task<std::optional<Division>> Divide(const Goal& goal, const Sketch& sketch,
                                       const Limits& limits) {
    auto theorems = co_await steps_.ExtractSubgoals(goal, sketch, limits);
    if (!theorems) co_return std::nullopt;
    auto assembly = co_await steps_.Assemble(goal, sketch, *std::move(theorems), limits);
    if (!assembly) co_return std::nullopt;
    Division division;
    division.assembly = *std::move(assembly);
    for (size_t i = 0; i < division.assembly.theorems.size(); ++i) {
      auto subgoal = SubgoalOf(goal, division.assembly, i);
      if (!subgoal) co_return std::nullopt;
      Announce(*subgoal, goal.node, subgoal->node);
      division.proved.push_back(IsKnown(*subgoal) ? 1 : 0);
      division.goals.push_back(*std::move(subgoal));
    }
    co_return division;
  }

  std::optional<Goal> SubgoalOf(const Goal& goal, const Assembly& assembly, size_t i) {
    const Statement& theorem = assembly.theorems[i];
    auto problem = ProblemOf(root_.problem, theorem);
    if (!problem) return std::nullopt;
    problem->goals = assembly.goals[i];
    Goal subgoal{.node = NewNode(),
                 .depth = goal.depth + 1,
                 .theorem = theorem,
                 .problem = *std::move(problem),
                 .above = goal.above};
    subgoal.above.push_back(theorem.Key());
    return subgoal;
  }

  /// Rejects a subgoal that restates a theorem above it: the recursion would not end.
  std::string Restated(const Goal& goal, const Division& division) {
    for (const Goal& subgoal : division.goals) {
      const auto& key = subgoal.above.back();
      if (std::ranges::find(goal.above, key) == goal.above.end()) continue;
      Becomes(subgoal, "false", "it restates the theorem");
      return fmt::format("`{}` restates the theorem that it is to help to prove",
                         subgoal.theorem.name);
    }
    return "";
  }

  /// Step 1 for all subgoals concurrently (A.3: wait for all).
  Task<void> ProveDirectly(Division& division, const Limits& limits) {
    co_await OfAllOpen(division, limits, [this](const Goal& goal, const Limits& own) {
      return Directly(goal, parameters_.subgoal_proofs, own);
    });
  }

  /// Step 2: the issue of the first subgoal that a judge rejects (A.3: first failure); empty if
  /// there is none.
  Task<std::string> FindFalse(const Division& division, const Limits& limits) {
    std::string issue = co_await FirstRejected(
        division, 1, limits,
        [this](const Goal& goal, size_t, const Limits& own) { return steps_.Disprove(goal, own); });
    if (!issue.empty()) co_return issue;
    co_return co_await FirstRejected(division, Steps::kJudges, limits,
                                     [this](const Goal& goal, size_t judge, const Limits& own) {
                                       return steps_.Judge(goal, judge, own);
                                     });
  }

  using Judging = std::function<Task<std::optional<std::string>>(const Goal& goal, size_t judge,
                                                                 const Limits& limits)>;
  Task<std::string> FirstRejected(const Division& division, size_t count, const Limits& limits,
                                  Judging judging) {
    TaskRace<bool> judges(session_.executor(), JoinPolicy::kFirstFailure, parameters_.parallel,
                          limits);
    const auto judge = [&](const Goal& goal, size_t number,
                           const Limits& own) -> Task<Result<bool>> {
      const Limits counted = For(goal, own);
      const auto issue = co_await judging(goal, number, counted);
      if (issue) co_return Fail(ErrorCode::kInput, *issue);
      co_return true;
    };
    const std::vector<size_t> open = division.Open();
    for (const size_t i : open) {
      for (size_t number = 0; number < count; ++number) {
        const Goal& goal = division.goals[i];
        judges.Spawn(
            [&judge, &goal, number](const Limits& own) { return judge(goal, number, own); });
      }
    }
    const auto verdicts = co_await judges.Join();
    const auto first = judges.decided_by();
    if (!first) co_return "";
    const Goal& rejected = division.goals[open[*first / count]];
    const std::string& why = verdicts[*first].error().message;
    Becomes(rejected, "false", why);
    co_return fmt::format("`{} {}` is false, cannot be proved or is badly stated: {}",
                          rejected.theorem.name, rejected.theorem.signature, why);
  }

  /// Step 3 for all open subgoals.
  Task<void> SolveShallowly(Division& division, const Limits& limits) {
    co_await OfAllOpen(division, limits, [this](const Goal& goal, const Limits& own) {
      return Shallowly(goal, own);
    });
  }
  Task<bool> Shallowly(const Goal& goal, const Limits& outer) {
    const Limits limits = For(goal, outer);
    const auto proof = co_await steps_.ShallowSolve(goal, limits);
    if (proof) Remember(goal, *proof, NoLemmas(), "the reasoner");
    co_return proof.has_value();
  }

  /// Step 4 for all open subgoals.
  Task<void> Recurse(Division& division, const Limits& limits) {
    co_await OfAllOpen(division, limits, [this](const Goal& goal, const Limits& own) {
      return Decompose(goal, own);
    });
  }

  Task<void> OfAllOpen(Division& division, const Limits& limits,
                       std::function<Task<bool>(const Goal&, const Limits&)> solve) {
    TaskRace<bool> group(session_.executor(), JoinPolicy::kAll, parameters_.parallel, limits);
    const auto one = [&](size_t i, const Limits& own) -> Task<Result<bool>> {
      bool proved = IsKnown(division.goals[i]);
      if (!proved) proved = co_await solve(division.goals[i], own);
      division.proved[i] = proved ? 1 : 0;
      co_return proved;
    };
    for (const size_t i : division.Open()) {
      group.Spawn([&one, i](const Limits& own) { return one(i, own); });
    }
    co_await group.Join();
  }

  /// The end of step 4: the proof with its lemmas, compiled as a whole.
  Task<bool> Assembled(const Goal& goal, const Division& division, const Limits& limits) {
    if (!division.Open().empty()) co_return false;
    std::vector<std::string> uses;
    for (const Goal& subgoal : division.goals) uses.push_back(subgoal.theorem.name);
    const Proof whole = MakeProof(division.assembly.tactics, known_.Stitched(uses));
    const bool compiles = co_await steps_.CompilesWhole(goal, whole, limits);
    if (!compiles) {
      Refuse(goal, "whole", "Lean does not accept the proof with the proofs of its subgoals",
             limits);
      co_return false;
    }
    Remember(goal, MakeProof(division.assembly.tactics), std::move(uses), "its sketch");
    co_return true;
  }

  // ---- the end

  Result<SearchResult> Finish() {
    for (size_t node = 0; node < nodes_; ++node) AnnounceUse(node);
    SearchResult& result = session_.result();
    const size_t subgoals = nodes_ - 1;
    result.nodes += nodes_;
    if (subgoals > 0) {
      result.progress = fmt::format("depth {}, {} of {} subgoals proved", result.depth,
                                    known_.all().size(), subgoals);
    }
    if (whole_) {
      session_.Found(*whole_);
    } else {
      result.lemmas = known_.all();
    }
    return session_.Finish({{"progress", result.progress}});
  }

  std::deque<NodeUse> uses_;  // by node; references stay valid
  Session session_;
  LemmaStore known_;
  Steps steps_;
  const HilbertParameters& parameters_;
  const Goal root_;
  const Limits& limits_;
  std::optional<Proof> whole_;  // of the theorem
  size_t nodes_ = 0;
};

}  // namespace

core::Status Check(const HilbertParameters& p) {
  const auto fail = [](const char* what) { return Fail(ErrorCode::kUsage, what); };
  if (p.extraction == static_cast<Extraction>(-1)) {
    return fail("extraction must be reasoner or lean");
  }
  if (p.depth > 64) return fail("depth must be at most 64");
  if (p.calls == 0 || p.parallel == 0) return fail("calls and parallel must be above 0");
  if (!(p.builtin_seconds >= 0)) return fail("builtin_seconds must not be below 0");
  if (p.sketch_seconds > 0 && p.proof_seconds > 0) return {};
  return fail("sketch_seconds and proof_seconds must be above 0");
}

Task<Result<SearchResult>> Hilbert(const Services& services, const llm::PromptTemplates& prompts,
                                   FreeAttempt builtin, const Problem& problem,
                                   const HilbertParameters& parameters, Limits limits) {
  const auto executor = co_await boost::asio::this_coro::executor;
  Run run(services, prompts, std::move(builtin), problem, parameters, std::move(limits), executor);
  co_return co_await run.Prove();
}

namespace {

class HilbertStrategy : public StrategyWith<HilbertParameters> {
 public:
  std::string_view name() const override { return "hilbert"; }
  std::string_view summary() const override {
    return "recursive decomposition by a reasoner and a prover (Hilbert)";
  }
  std::vector<Parameter> Parameters() const override {
    return {
        {"initial_proofs", "proofs of the theorem by the prover"},
        {"subgoal_proofs", "proofs of a subgoal by the prover"},
        {"depth", "D: maximum depth; 0: direct attempts only"},
        {"sketch_attempts", "independent sketches of a theorem"},
        {"sketch_corrections",
         "correction rounds for a sketch, statement or assembly with Lean's errors"},
        {"sketch_refinements", "refinements of a sketch with a false subgoal"},
        {"missing_retries", "requests for missing subgoals"},
        {"tag_retries", "requests after answers not in the required form"},
        {"queries", "searches of the library"},
        {"premises", "results used of each search"},
        {"error_queries", "searches after an unknown name"},
        {"shallow_attempts", "short proofs of a subgoal by the reasoner"},
        {"shallow_corrections", "correction rounds for each of them"},
        {"shallow_lines",
         "lines of a wrong proof that is still corrected; unlimited at the maximum depth"},
        {"calls", "model calls in flight"},
        {"parallel", "concurrent subgoals, attempts or judges"},
        {"builtin_seconds", "seconds of the built-in policy for every goal; 0: off"},
        {"disprove_seconds", "its seconds for the negation of a subgoal; 0: off"},
        {"sketch_seconds", "seconds of Lean for a sketch"},
        {"proof_seconds", "seconds of Lean for a proof"},
        {"extraction",
         "reasoner or lean (its tactic states) makes the theorems; the other where that fails"},
    };
  }
  Needs needs() const override {
    return {.roles = {role::kReasoner}, .asks = {role::kJudge, role::kRetriever}};
  }
  std::vector<Preset> Presets() const override {
    return {{"paper", "the runs of Hilbert (section 4), without the built-in policy", PapersRun()}};
  }

  Task<Result<SearchResult>> Run(Job job, Limits limits) const override {
    const auto prompts = llm::PromptTemplates::Load(llm::PromptFolder() / "hilbert");
    if (!prompts) co_return core::Fail(prompts.error());
    const HilbertParameters own = Own(job.parameters);
    Services free = WithoutModels(job.services);
    free.all = false;
    FreeAttempt builtin;
    if (free.steps != nullptr) {
      builtin = [&free, job](const Problem& goal, Limits limits_of_goal) {
        return FreeSearch(free, goal, job.parameters, std::move(limits_of_goal));
      };
    }
    co_return co_await Hilbert(job.services, *prompts, std::move(builtin), job.problem, own,
                               std::move(limits));
  }

 private:
  /// Every setting that the paper gives; presets_test.cc names the places.
  static nlohmann::json PapersRun() {
    return {{"initial_proofs", 4},
            {"subgoal_proofs", 4},
            {"depth", 5},
            {"sketch_attempts", 4},
            {"queries", 5},
            {"premises", 5},
            {"shallow_attempts", 6},
            {"shallow_corrections", 6},
            {"shallow_lines", 30},
            {"builtin_seconds", 0},
            {"disprove_seconds", 0},
            {"extraction", "reasoner"}};
  }
};

}  // namespace

}  // namespace zermelo::strategy

ZERMELO_STRATEGY(hilbert, HilbertStrategy);
