#include "strategy/hilbert/hilbert.h"

#include <algorithm>
#include <boost/asio/this_coro.hpp>
#include <fmt/format.h>

#include "llm/prompt/format.h"
#include "strategy/free_search.h"
#include "strategy/hilbert/steps.h"
#include "strategy/registry.h"

namespace zermelo::strategy {

using core::ErrorCode;
using core::Fail;
using core::JoinPolicy;
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
      : desk_(services, prompts, parameters, std::move(executor)),
        steps_(desk_, std::move(builtin), problem.context.theorem.taken),
        parameters_(parameters),
        root_(RootOf(problem)),
        limits_(std::move(limits)) {}

  Task<Result<Outcome>> Prove() {
    const uint64_t checks_before = desk_.checker().checks();
    Announce(root_, 0, nodes_++);
    LemmaPointer proved = co_await Directly(root_, parameters_.initial_proofs, limits_);
    if (!proved) proved = co_await Decompose(root_, limits_);
    desk_.outcome().checks = desk_.checker().checks() - checks_before;
    if (!proved && desk_.error()) co_return Fail(*desk_.error());
    Finish(proved);
    co_return desk_.outcome();
  }

 private:
  static Goal RootOf(const Problem& problem) {
    const std::string& statement = problem.context.theorem.statement;
    const auto theorems = TheoremsIn(statement + " sorry");
    Goal root{.theorem = {.name = problem.context.theorem.name, .statement = ""},
              .problem = problem,
              .above = {}};
    if (!theorems.empty()) root.theorem.statement = theorems.back().statement;
    root.above.push_back(syntax::TokenKey(root.theorem.statement));
    return root;
  }

  // ---- events of the tree of subgoals

  void Announce(const Goal& goal, size_t parent, size_t node) const {
    limits_.Append(event::kSubgoal,
                   {{"node", node},
                    {"parent", node == 0 ? nlohmann::json() : nlohmann::json(parent)},
                    {"depth", goal.depth},
                    {"name", goal.theorem.name},
                    {"statement", goal.theorem.statement}});
  }
  void Becomes(const Goal& goal, std::string_view state, const std::string& why) const {
    limits_.Append(event::kSubgoalState, {{"node", goal.node}, {"state", state}, {"why", why}});
  }
  void AnnounceSketch(const Goal& goal, size_t attempt, size_t refinement,
                      const Sketch& sketch) const {
    limits_.Append(event::kSketch, {{"node", goal.node},
                                    {"attempt", attempt},
                                    {"refinement", refinement},
                                    {"tactics", sketch.tactics}});
  }

  // ---- direct attempts: the built-in policy, then the prover

  Task<LemmaPointer> Directly(const Goal& goal, size_t proofs, const Limits& limits) {
    const char* by = "the built-in policy";
    auto proof = co_await steps_.TryBuiltin(goal, limits);
    if (!proof && !desk_.Done(limits)) {
      by = "the prover";
      proof = co_await steps_.TryProver(goal, proofs, limits);
    }
    if (!proof) co_return nullptr;
    co_return Remember(goal, *std::move(proof), {}, by);
  }

  LemmaPointer Remember(const Goal& goal, Proof proof, std::vector<LemmaPointer> uses,
                        const std::string& by) {
    auto lemma = std::make_shared<Lemma>();
    lemma->theorem = goal.theorem;
    lemma->proof = std::move(proof);
    lemma->uses = std::move(uses);
    Becomes(goal, "proved", by);
    if (goal.node != 0) {
      proved_.Add(lemma);
      limits_.Append(event::kLemmaProved,
                     {{"node", goal.node}, {"statement", goal.theorem.statement}});
    }
    return lemma;
  }

  // ---- decomposition

  /// A sketch, its subgoals, and the lemmas proved so far.
  struct Division {
    Assembly assembly;
    std::vector<Goal> goals;           // in the order of assembly.theorems
    std::vector<LemmaPointer> lemmas;  // in the order of goals; null: not proved
    std::vector<size_t> Open() const {
      std::vector<size_t> open;
      for (size_t i = 0; i < lemmas.size(); ++i) {
        if (!lemmas[i]) open.push_back(i);
      }
      return open;
    }
    std::vector<LemmaPointer> Proved() const {
      std::vector<LemmaPointer> proved = lemmas;
      std::erase(proved, nullptr);
      return proved;
    }
  };

  /// Section 3.2.1: sketches a goal until all subgoals of one sketch are proved. Null: none was.
  Task<LemmaPointer> Decompose(const Goal& goal, const Limits& limits) {
    if (goal.depth >= parameters_.depth || !desk_.MayAsk(limits)) co_return nullptr;
    Becomes(goal, "divided", "");
    desk_.outcome().depth = std::max(desk_.outcome().depth, goal.depth + 1);
    const std::string premises = co_await steps_.RetrievePremises(goal, limits);
    for (size_t attempt = 1; attempt <= parameters_.sketch_attempts; ++attempt) {
      if (!desk_.MayAsk(limits)) break;
      const auto informal = co_await steps_.InformalProof(goal, premises, limits);
      if (!informal) break;
      auto sketch = co_await steps_.MakeSketch(goal, *informal, premises, limits);
      if (!sketch) continue;
      LemmaPointer lemma = co_await FillSketch(goal, attempt, *std::move(sketch), limits);
      if (lemma) co_return lemma;
    }
    Becomes(goal, "unproved", desk_.spent() ? "the models' budget is used up" : "");
    co_return nullptr;
  }

  /// Section 3.2.2; refines the sketch while one of its subgoals is false.
  Task<LemmaPointer> FillSketch(const Goal& goal, size_t attempt, Sketch sketch,
                                const Limits& limits) {
    for (size_t refinement = 0; refinement <= parameters_.sketch_refinements; ++refinement) {
      AnnounceSketch(goal, attempt, refinement, sketch);
      if (sketch.holes.empty()) {  // a whole proof, which Lean has accepted
        co_return Remember(goal, MakeProof(sketch.tactics), {}, "its sketch, a whole proof");
      }
      auto division = co_await Divide(goal, sketch, limits);
      if (!division) co_return nullptr;
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
      if (refinement == parameters_.sketch_refinements || !desk_.MayAsk(limits)) break;
      auto refined = co_await steps_.RefineSketch(goal, sketch, issue, division->Proved(), limits);
      if (!refined) break;
      sketch = *std::move(refined);
    }
    co_return nullptr;
  }

  /// The goal's lemma from memory, or null. A lemma with the same statement and another name is
  /// copied under this goal's name.
  LemmaPointer Known(const Goal& goal) const {
    LemmaPointer known = proved_.Find(goal.theorem.statement);
    if (!known) return nullptr;
    Becomes(goal, "proved", "memory");
    if (known->theorem == goal.theorem) return known;
    auto lemma = std::make_shared<Lemma>(*known);
    lemma->theorem = goal.theorem;
    return lemma;
  }

  Task<std::optional<Division>> Divide(const Goal& goal, const Sketch& sketch,
                                       const Limits& limits) {
    auto theorems = co_await steps_.ExtractSubgoals(goal, sketch, proved_, limits);
    if (!theorems) co_return std::nullopt;
    auto assembly = co_await steps_.Assemble(goal, sketch, *std::move(theorems), limits);
    if (!assembly) co_return std::nullopt;
    Division division;
    division.assembly = *std::move(assembly);
    for (size_t i = 0; i < division.assembly.theorems.size(); ++i) {
      auto subgoal = SubgoalOf(goal, division.assembly, i);
      if (!subgoal) co_return std::nullopt;
      Announce(*subgoal, goal.node, subgoal->node);
      division.lemmas.push_back(Known(*subgoal));
      division.goals.push_back(*std::move(subgoal));
    }
    co_return division;
  }

  std::optional<Goal> SubgoalOf(const Goal& goal, const Assembly& assembly, size_t i) {
    const Statement& theorem = assembly.theorems[i];
    auto problem = ProblemOf(root_.problem, theorem);
    if (!problem) return std::nullopt;
    problem->goals = assembly.goals[i];
    Goal subgoal{.node = nodes_++,
                 .depth = goal.depth + 1,
                 .theorem = theorem,
                 .problem = *std::move(problem),
                 .above = goal.above};
    subgoal.above.push_back(syntax::TokenKey(theorem.statement));
    return subgoal;
  }

  /// Rejects a subgoal that restates a theorem above it: the recursion would not end.
  std::string Restated(const Goal& goal, const Division& division) const {
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
    core::TaskRace<bool> judges(desk_.executor(), JoinPolicy::kFirstFailure, limits.deadline,
                                limits.cancellation);
    Gate gate(desk_.executor(), parameters_.parallel);
    const auto judge = [&](const Goal& goal, size_t number,
                           core::ChildContext child) -> Task<Result<bool>> {
      const Limits own = Within(limits, child);
      const bool entered = co_await gate.Enter(own);
      if (!entered) co_return true;
      const Gate::Pass pass(gate);
      const auto issue = co_await judging(goal, number, own);
      if (issue) co_return Fail(ErrorCode::kInput, *issue);
      co_return true;
    };
    const std::vector<size_t> open = division.Open();
    for (const size_t i : open) {
      for (size_t number = 0; number < count; ++number) {
        const Goal& goal = division.goals[i];
        judges.Spawn([&judge, &goal, number](core::ChildContext child) {
          return judge(goal, number, child);
        });
      }
    }
    const auto verdicts = co_await judges.Join();
    const auto first = judges.decided_by();
    if (!first) co_return "";
    const Goal& rejected = division.goals[open[*first / count]];
    const std::string& why = verdicts[*first].error().message;
    Becomes(rejected, "false", why);
    co_return fmt::format("`{} {}` is false, cannot be proved or is badly stated: {}",
                          rejected.theorem.name, rejected.theorem.statement, why);
  }

  /// Step 3 for all open subgoals.
  Task<void> SolveShallowly(Division& division, const Limits& limits) {
    co_await OfAllOpen(division, limits, [this](const Goal& goal, const Limits& own) {
      return Shallowly(goal, own);
    });
  }
  Task<LemmaPointer> Shallowly(const Goal& goal, const Limits& limits) {
    auto proof = co_await steps_.ShallowSolve(goal, limits);
    if (!proof) co_return nullptr;
    co_return Remember(goal, *std::move(proof), {}, "the reasoner");
  }

  /// Step 4 for all open subgoals.
  Task<void> Recurse(Division& division, const Limits& limits) {
    co_await OfAllOpen(division, limits, [this](const Goal& goal, const Limits& own) {
      return Decompose(goal, own);
    });
  }

  Task<void> OfAllOpen(Division& division, const Limits& limits,
                       std::function<Task<LemmaPointer>(const Goal&, const Limits&)> solve) {
    core::TaskRace<LemmaPointer> group(desk_.executor(), JoinPolicy::kAll, limits.deadline,
                                       limits.cancellation);
    Gate gate(desk_.executor(), parameters_.parallel);
    const auto one = [&](size_t i, core::ChildContext child) -> Task<Result<LemmaPointer>> {
      const Limits own = Within(limits, child);
      const bool entered = co_await gate.Enter(own);
      if (!entered) co_return LemmaPointer();
      const Gate::Pass pass(gate);
      LemmaPointer lemma = Known(division.goals[i]);
      if (!lemma) lemma = co_await solve(division.goals[i], own);
      division.lemmas[i] = lemma;
      co_return lemma;
    };
    for (const size_t i : division.Open()) {
      group.Spawn([&one, i](core::ChildContext child) { return one(i, child); });
    }
    co_await group.Join();
  }

  /// The end of step 4: the proof with its lemmas, compiled as a whole.
  Task<LemmaPointer> Assembled(const Goal& goal, const Division& division, const Limits& limits) {
    if (!division.Open().empty()) co_return nullptr;
    const Proof whole = MakeProof(division.assembly.tactics, Stitch(division.lemmas));
    const bool compiles = co_await steps_.CompilesWhole(goal, whole, limits);
    if (!compiles) {
      Refuse(goal, "whole", "Lean does not accept the proof with the proofs of its subgoals",
             limits);
      co_return nullptr;
    }
    co_return Remember(goal, MakeProof(division.assembly.tactics), division.lemmas, "its sketch");
  }

  // ---- the end

  void Finish(const LemmaPointer& proved) {
    Outcome& outcome = desk_.outcome();
    const size_t subgoals = nodes_ - 1;
    outcome.nodes += nodes_;
    if (subgoals > 0) {
      outcome.progress = fmt::format("depth {}, {} of {} subgoals proved", outcome.depth,
                                     proved_.all().size(), subgoals);
    }
    if (proved) {
      outcome.proof = proved->proof.tactics;
      outcome.auxiliary = Stitch(proved->uses) + proved->proof.auxiliary;
      outcome.proofs.push_back(outcome.auxiliary + proved->proof.tactics);
      limits_.Append(event::kProofFound, {{"proof", outcome.proofs.back()}});
      return;
    }
    outcome.reason = limits_.stop()    ? "stopped"
                     : limits_.Ended() ? "time"
                     : desk_.spent()   ? "budget"
                                       : "exhausted";
    outcome.lemmas = TextsOf(proved_.all());
    limits_.Append(event::kGaveUp, {{"reason", outcome.reason}, {"progress", outcome.progress}});
  }

  Desk desk_;
  Steps steps_;
  const HilbertParameters& parameters_;
  const Goal root_;
  const Limits limits_;
  ProvedLemmas proved_;
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

Task<Result<Outcome>> Hilbert(const Services& services, const llm::PromptTemplates& prompts,
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
  Needs needs() const override { return {.roles = {role::kReasoner}}; }

  Task<Result<Outcome>> Run(Job job, Limits limits) const override {
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
};

}  // namespace

}  // namespace zermelo::strategy

ZERMELO_STRATEGY(hilbert, HilbertStrategy);
