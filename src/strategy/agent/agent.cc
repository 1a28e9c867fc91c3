#include "strategy/agent/agent.h"

#include <boost/asio/this_coro.hpp>
#include <fmt/format.h>

#include "strategy/agent/trajectory.h"
#include "strategy/delivery.h"
#include "strategy/prompt_text.h"
#include "strategy/registry.h"

namespace zermelo::strategy {

using core::ErrorCode;
using core::Fail;
using core::Result;
using core::Task;

namespace agent {
namespace {

/// The attempt to prove one statement: n trajectories of m rounds.
class Attempt {
 public:
  Attempt(const Services& services, const AgentParameters& parameters,
          const llm::PromptTemplates& prompts, StatementTask task, const Limits& limits,
          const core::Executor& executor)
      : parameters_(parameters),
        task_(std::move(task)),
        session_(services, limits, executor, &prompts),
        toolbox_(session_, task_, ToolLimitsOf(parameters)),
        context_{.session = session_,
                 .parameters = parameters,
                 .task = task_,
                 .toolbox = toolbox_,
                 .plain_text = parameters.protocol == ToolProtocol::kText} {}

  Task<Result<StatementAnswer>> Run() {
    if (parameters_.informal && task_.informal.empty()) co_await AskForProofInWords();
    core::TaskGroup lanes(session_.executor());
    for (size_t i = 0; i < parameters_.trajectories; ++i) lanes.Spawn(Lane(i));
    co_await lanes.Join();
    if (!toolbox_.finish() && session_.error()) co_return Fail(*session_.error());
    co_return Answer();
  }

 private:
  static ToolLimits ToolLimitsOf(const AgentParameters& parameters) {
    ToolLimits limits;
    limits.check = core::FromSeconds(parameters.check_seconds);
    limits.premises = parameters.premises;
    limits.python_time = core::FromSeconds(parameters.python_seconds);
    limits.python_memory = parameters.python_megabytes << 20U;
    limits.answer_bytes = parameters.answer_bytes;
    return limits;
  }

  Task<void> Lane(size_t number) {
    std::string summary;
    for (size_t round = 0; round < parameters_.rounds && Goes(); ++round) {
      Trajectory trajectory(context_, number, round, summary);
      co_await trajectory.Run();
      if (toolbox_.finish()) session_.End();  // stops the other trajectories
      const bool last = round + 1 == parameters_.rounds;
      if (!Goes() || (last && !task_.wants_reason)) break;
      summary = co_await trajectory.Summarise();
    }
    if (!summary.empty()) reason_ = summary;
  }

  bool Goes() const { return session_.MayAsk() && !toolbox_.finish(); }

  /// Gets an informal proof as a guide: the paper's second kind of input.
  Task<void> AskForProofInWords() {
    auto chat = session_.Begin(role::kInformal, "informal",
                               Named("header", HeaderBlock(task_.theorem.header), "statement",
                                     LeanBlock(task_.theorem.doc + TargetOf(task_.theorem).head)));
    if (!chat) co_return;
    const bool asked = co_await session_.Ask(*chat, session_.limits());
    if (asked) task_.informal = Said(chat->answer, std::vector<ToolCall>()).content;
  }

  StatementAnswer Answer() {
    StatementAnswer answer;
    answer.spending = session_.outcome().spending;
    answer.spent = session_.spent();
    answer.reason = reason_;
    const auto& finish = toolbox_.finish();
    if (!finish) return answer;
    answer.status =
        finish->negated ? StatementAnswer::Status::kDisproved : StatementAnswer::Status::kProved;
    answer.text = finish->text;
    answer.by = fmt::format("agent {}", finish->by);
    return answer;
  }

  const AgentParameters& parameters_;
  StatementTask task_;
  Session session_;
  Toolbox toolbox_;
  AgentContext context_;
  std::string reason_;
};

Task<Result<StatementAnswer>> ProveOne(const Services* services, AgentParameters parameters,
                                       const llm::PromptTemplates* prompts, StatementTask task,
                                       Limits limits) {
  const auto executor = co_await boost::asio::this_coro::executor;
  Attempt attempt(*services, parameters, *prompts, std::move(task), limits, executor);
  co_return co_await attempt.Run();
}

}  // namespace
}  // namespace agent

core::Status Check(const AgentParameters& p) {
  const bool counts = p.trajectories > 0 && p.rounds > 0 && p.tokens > 0 && p.tool_calls > 0 &&
                      p.keep > 0 && p.premises > 0;
  if (!counts || !(p.check_seconds > 0) || !(p.python_seconds > 0)) {
    return Fail(ErrorCode::kUsage,
                "trajectories, rounds, tokens, tool_calls, keep, premises, check_seconds "
                "and python_seconds must be above 0");
  }
  if (p.context < 1024 || p.answer_bytes < 200) {
    return Fail(ErrorCode::kUsage, "context must be 1024 or more, answer_bytes 200 or more");
  }
  if (p.protocol == static_cast<ToolProtocol>(-1)) {
    return Fail(ErrorCode::kUsage, "protocol must be auto, native or text");
  }
  return {};
}

StatementProver MakeAgentProver(const Services& services, const AgentParameters& parameters,
                                const llm::PromptTemplates& prompts) {
  return [services = &services, parameters, prompts = &prompts](StatementTask task, Limits limits) {
    return agent::ProveOne(services, parameters, prompts, std::move(task), std::move(limits));
  };
}

Task<Result<Outcome>> Agent(const Services& services, const Problem& problem,
                            const AgentParameters& parameters, Limits limits) {
  const auto prompts = llm::PromptTemplates::Load(llm::PromptFolder() / "agent");
  if (!prompts) co_return Fail(prompts.error());
  const auto executor = co_await boost::asio::this_coro::executor;
  Session session(services, std::move(limits), executor);
  LemmaStore known(problem.context.theorem.taken);
  StatementTask task;
  task.theorem = problem.context.theorem;
  task.known = &known;
  auto answer =
      co_await agent::ProveOne(&services, parameters, &*prompts, std::move(task), session.limits());
  if (!answer) {
    session.Failed(answer.error());
    co_return session.Finish();
  }
  Outcome& outcome = session.outcome();
  outcome.spending += answer->spending;
  outcome.samples += static_cast<uint64_t>(answer->spending.samples);
  outcome.lemmas = known.Texts();
  if (answer->spent) session.Spend();
  if (answer->status == StatementAnswer::Status::kProved) {
    const auto limit = core::FromSeconds(parameters.check_seconds);
    const bool holds = co_await Deliver(session, problem, known, answer->text, limit);
    if (!holds) ++outcome.refusals["the proof does not hold in the file"];
  }
  co_return session.Finish();
}

namespace {

class AgentStrategy : public StrategyWith<AgentParameters> {
 public:
  std::string_view name() const override { return "agent"; }
  std::string_view summary() const override {
    return "a model that calls tools: Lean, search, Python (Seed-Prover 1.5)";
  }
  Needs needs() const override { return {.roles = {role::kAgent}}; }

  core::Result<StatementProver> ProverOf(const Services& services,
                                         const StrategyParameters& parameters) const override {
    auto prompts = llm::PromptTemplates::Load(llm::PromptFolder() / "agent");
    if (!prompts) return Fail(prompts.error());
    const auto kept = std::make_shared<const llm::PromptTemplates>(*std::move(prompts));
    return [kept, prove = MakeAgentProver(services, Own(parameters), *kept)](StatementTask task,
                                                                             Limits limits) {
      return prove(std::move(task), std::move(limits));
    };
  }

  Task<Result<Outcome>> Run(Job job, Limits limits) const override {
    const AgentParameters own = Own(job.parameters);
    co_return co_await Agent(job.services, job.problem, own, std::move(limits));
  }
};

}  // namespace

}  // namespace zermelo::strategy

ZERMELO_STRATEGY(agent, AgentStrategy);
