#include "strategy/free_search.h"

#include <boost/asio/this_coro.hpp>
#include <memory>
#include <optional>
#include <utility>

#include "lean/probe.h"
#include "strategy/expander.h"
#include "strategy/lean_in_role.h"
#include "strategy/proof/submission.h"
#include "syntax/proof/proof_text.h"

namespace zermelo::strategy {

using core::Fail;
using core::Result;
using core::Task;

namespace {

// In the order of their cost.
constexpr std::string_view kAnywhere[] = {"rfl",      "trivial", "assumption", "omega", "simp",
                                          "simp_all", "decide",  "grind",      "exact?"};
constexpr std::string_view kWithMathlib[] = {"norm_num", "ring",       "linarith", "tauto",
                                             "aesop",    "positivity", "nlinarith"};

std::vector<policy::Candidate> AutomationTactics(const Problem& problem) {
  std::vector<std::string> tactics(std::begin(kAnywhere), std::end(kAnywhere));
  if (problem.context.has_mathlib) {
    tactics.insert(tactics.end() - 1, std::begin(kWithMathlib), std::end(kWithMathlib));
  }
  std::vector<policy::Candidate> candidates(tactics.size());
  for (size_t i = 0; i < tactics.size(); ++i) candidates[i].tactic = std::move(tactics[i]);
  return candidates;
}

std::vector<ProofMove> OnlyMove(const Problem& problem, const std::string& tactic) {
  return {
      {.goal = problem.goals.front(), .tactic = tactic, .closes = true, .origin = "automation"}};
}

/// A strategy of one expansion that tries all tactics at once.
class OneProbe {
 public:
  OneProbe(const Services& services, const Problem& problem, double seconds_each, Limits limits,
           core::Executor executor)
      : expander_(services, problem, std::move(limits), std::move(executor)),
        seconds_each_(seconds_each) {}

  Task<Result<SearchResult>> Run() {
    return expander_.Run(1, [this]() -> std::optional<Expander::Work> {
      const bool one_goal = expander_.problem().goals.size() == 1;
      if (std::exchange(done_, true) || !one_goal) return std::nullopt;
      return [this] { return TryAll(); };
    });
  }

 private:
  Task<void> TryAll() {
    const auto tactics = AutomationTactics(expander_.problem());
    const auto attempts =
        co_await expander_.TryTactics("", tactics, core::FromSeconds(seconds_each_));
    if (!attempts) co_return;
    for (size_t i = 0; i < tactics.size() && !expander_.Done(); ++i) {
      const lean::ProbeResult& attempt = (*attempts)[i];
      if (attempt.outcome != lean::ProbeResult::Outcome::kClosed) continue;
      const std::string proof = attempt.suggestion.empty() ? tactics[i].tactic : attempt.suggestion;
      const bool confirmed = co_await expander_.Confirm(proof, role::kBuiltin);
      if (!confirmed) continue;
      expander_.Found(proof, OnlyMove(expander_.problem(), proof));
    }
  }

  Expander expander_;
  const double seconds_each_;
  bool done_ = false;
};

struct FreeProver {
  const Services& services;
  const policy::StepContext context;
  const StrategyParameters& parameters;
};

Task<Result<StatementAnswer>> ProveStatement(std::shared_ptr<const FreeProver> prover,
                                             StatementTask task, Limits limits) {
  StatementAnswer answer;
  std::string before = task.theorem.header;
  if (!before.empty() && !before.ends_with('\n')) before += '\n';
  auto problem = ProblemOf(prover->context, before + task.known->Text(), task.theorem.name,
                           task.theorem.Stub());
  if (!problem) co_return answer;
  LeanInRole checker(prover->services.checker, role::kBuiltin, limits.use);
  auto found = co_await lean::GoalsAt(checker, problem->site, limits.deadline, limits.cancellation);
  if (!found || found->goals.empty() || limits.Ended()) co_return answer;
  problem->goals = std::move(found->goals);
  const auto result = co_await FreeSearch(prover->services, *problem, prover->parameters, limits);
  if (!result) co_return Fail(result.error());
  if (!result->proof) co_return answer;
  answer.status = StatementAnswer::Status::kProved;
  answer.lemma = LemmaOf(TargetOf(task.theorem), "built-in");
  answer.lemma.value = syntax::ValueOf(*result->proof);
  co_return answer;
}

}  // namespace

Services WithoutModels(const Services& services) {
  Services free = services;
  free.steps = services.builtin;
  free.completions = nullptr;
  free.models = false;
  return free;
}

Task<Result<SearchResult>> Automation(const Services& services, const Problem& problem,
                                      double seconds_each, Limits limits) {
  const auto executor = co_await boost::asio::this_coro::executor;
  OneProbe probe(services, problem, seconds_each, std::move(limits), executor);
  co_return co_await probe.Run();
}

Task<Result<SearchResult>> FreeSearch(const Services& services, const Problem& problem,
                                      const StrategyParameters& parameters, Limits limits) {
  auto result = co_await Automation(services, problem, kAutomationSeconds, limits);
  if (!result || result->proof || limits.Ended()) co_return result;
  const Job job{services, problem, parameters, core::Duration::zero()};
  co_return co_await TacticSearch().Search(job, std::move(limits));
}

StatementProver MakeFreeProver(const Services& services, policy::StepContext context,
                               const StrategyParameters& parameters) {
  const auto prover = std::make_shared<const FreeProver>(
      FreeProver{.services = services, .context = std::move(context), .parameters = parameters});
  return [prover](StatementTask task, Limits limits) {
    return ProveStatement(prover, std::move(task), std::move(limits));
  };
}

}  // namespace zermelo::strategy
