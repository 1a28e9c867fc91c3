#include "engine/free_prover.h"

#include <memory>
#include <optional>

#include "lean/probe.h"
#include "strategy/auto/auto.h"
#include "syntax/declarations.h"
#include "syntax/proof_text.h"

namespace zermelo::engine {

using core::Fail;
using core::Result;
using core::Task;
using strategy::Limits;
using strategy::Problem;
using strategy::StatementAnswer;
using strategy::StatementTask;

namespace {

struct FreeProver {
  const strategy::Environment& environment;
  const policy::StepContext context;
  const FreeParameters parameters;
};

/// The statement as the hole of the last declaration of a file; nullopt if it cannot be read.
std::optional<Problem> ProblemOf(const FreeProver& prover, const StatementTask& task) {
  std::string text = task.theorem.header;
  if (!text.empty() && text.back() != '\n') text += '\n';
  text += task.known->Text() + task.theorem.statement + "\n  sorry\n";
  const auto declarations = syntax::FindDeclarations(text);
  if (declarations.empty() || declarations.back().holes.empty()) return std::nullopt;
  const syntax::Declaration& last = declarations.back();
  Problem problem{.site = syntax::ProofSite(text, last, last.holes.front()),
                  .goals = {},
                  .context = prover.context};
  problem.context.theorem = task.theorem;
  return problem;
}

std::string WithProof(const StatementTask& task, const std::string& proof) {
  const std::string text = task.theorem.statement + "\n  sorry";
  const auto declarations = syntax::FindDeclarations(text);
  return syntax::SpliceProof(text, declarations.back().holes.front(), proof).text;
}

Task<Result<StatementAnswer>> Prove(std::shared_ptr<const FreeProver> prover, StatementTask task,
                                    Limits limits) {
  StatementAnswer answer;
  auto problem = ProblemOf(*prover, task);
  if (!problem) co_return answer;
  auto found = co_await lean::GoalsAt(prover->environment.checker, problem->site, limits.deadline,
                                      limits.cancellation);
  if (!found || found->goals.empty() || limits.Ended()) co_return answer;
  problem->goals = std::move(found->goals);
  const auto outcome =
      co_await TryForFree(prover->environment, *problem, prover->parameters, limits);
  if (!outcome) co_return Fail(outcome.error());
  if (!outcome->proof) co_return answer;
  answer.status = StatementAnswer::Status::kProved;
  answer.text = WithProof(task, *outcome->proof);
  answer.by = "built-in";
  co_return answer;
}

}  // namespace

Task<Result<strategy::Outcome>> TryForFree(const strategy::Environment& environment,
                                           const Problem& problem, FreeParameters parameters,
                                           Limits limits) {
  auto outcome =
      co_await strategy::Automation(environment, problem, parameters.automation_seconds, limits);
  if (!outcome || outcome->proof || limits.Ended()) co_return outcome;
  co_return co_await strategy::BestFirst(environment, problem, parameters.search,
                                         std::move(limits));
}

strategy::StatementProver MakeFreeProver(const strategy::Environment& environment,
                                         policy::StepContext context, FreeParameters parameters) {
  const auto prover = std::make_shared<const FreeProver>(FreeProver{
      .environment = environment, .context = std::move(context), .parameters = parameters});
  return [prover](StatementTask task, Limits limits) {
    return Prove(prover, std::move(task), std::move(limits));
  };
}

}  // namespace zermelo::engine
