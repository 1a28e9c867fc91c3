#include "strategy/agent/agent.h"

#include <boost/asio/this_coro.hpp>
#include <fmt/format.h>

#include "strategy/agent/trajectory.h"
#include "strategy/delivery.h"
#include "strategy/expander.h"
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
          const llm::PromptTemplates& prompts, StatementTask task, const Limits& limits)
      : services_(services),
        parameters_(parameters),
        task_(std::move(task)),
        limits_(limits),
        asker_(limits_.limits()),
        toolbox_(services, task_, ToolLimitsOf(parameters), limits_.limits()),
        workshop_{.model = *services.roles->chat(role::kAgent),
                  .prompts = prompts,
                  .parameters = parameters,
                  .task = task_,
                  .toolbox = toolbox_,
                  .asker = asker_,
                  .plain_text = parameters.protocol == ToolProtocol::kText} {}

  Task<Result<StatementAnswer>> Run() {
    if (parameters_.informal && task_.informal.empty()) co_await AskForProofInWords();
    core::TaskGroup lanes(co_await boost::asio::this_coro::executor);
    for (size_t i = 0; i < parameters_.trajectories; ++i) lanes.Spawn(Lane(i));
    co_await lanes.Join();
    if (!toolbox_.finish() && asker_.error()) co_return Fail(*asker_.error());
    if (!toolbox_.finish() && toolbox_.error()) co_return Fail(*toolbox_.error());
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
      Trajectory trajectory(workshop_, number, round, summary);
      co_await trajectory.Run();
      if (toolbox_.finish()) limits_.End();  // stops the other trajectories
      const bool last = round + 1 == parameters_.rounds;
      if (!Goes() || (last && !task_.wants_reason)) break;
      summary = co_await trajectory.Summarise();
    }
    if (!summary.empty()) reason_ = summary;
  }

  bool Goes() const { return asker_.MayAsk() && !toolbox_.finish() && !toolbox_.error(); }

  /// Gets an informal proof as a guide: the paper's second kind of input.
  Task<void> AskForProofInWords() {
    llm::Model* const model = services_.roles->chat(role::kInformal);
    if (model == nullptr) co_return;
    llm::PromptTemplates::Values values;
    values["header"] = HeaderBlock(task_.theorem.header);
    values["statement"] = LeanBlock(task_.theorem.doc + TargetOf(task_.theorem).head);
    auto messages = workshop_.prompts.Fill("informal", values);
    if (!messages) {
      asker_.Failed(messages.error());
      co_return;
    }
    const auto answer = co_await asker_.Ask(*model, *std::move(messages));
    if (answer) task_.informal = Said(answer->completion, std::vector<ToolCall>()).content;
  }

  StatementAnswer Answer() const {
    StatementAnswer answer;
    answer.spending = asker_.spending();
    answer.spent = asker_.spent();
    answer.reason = reason_;
    const auto& finish = toolbox_.finish();
    if (!finish) return answer;
    answer.status =
        finish->negated ? StatementAnswer::Status::kDisproved : StatementAnswer::Status::kProved;
    answer.text = finish->text;
    answer.by = fmt::format("agent {}", finish->by);
    return answer;
  }

  const Services& services_;
  const AgentParameters& parameters_;
  StatementTask task_;
  Sublimits limits_;
  Asker asker_;
  Toolbox toolbox_;
  Workshop workshop_;
  std::string reason_;
};

/// Runs the theorem as a task and delivers its proof into the file.
class TheoremRun {
 public:
  TheoremRun(const Services& services, const Problem& problem, const AgentParameters& parameters,
             const llm::PromptTemplates& prompts, Limits limits, core::Executor executor)
      : parameters_(parameters),
        expander_(services, problem, std::move(limits), std::move(executor)),
        prove_(MakeAgentProver(services, parameters, prompts)) {
    for (const std::string& name : problem.context.theorem.taken) known_.Reserve(name);
  }

  Task<Result<Outcome>> Run() {
    return expander_.Run(1, [this]() -> std::optional<Expander::Work> {
      if (std::exchange(begun_, true)) return std::nullopt;
      return [this] { return Prove(); };
    });
  }
  const LemmaMemory& known() const { return known_; }

 private:
  Task<void> Prove() {
    StatementTask task;
    task.theorem = expander_.problem().context.theorem;
    task.known = &known_;
    auto answer = co_await prove_(std::move(task), expander_.limits());
    if (!answer) {
      expander_.Failed(answer.error());
      co_return;
    }
    expander_.outcome().spending += answer->spending;
    expander_.outcome().samples += static_cast<uint64_t>(answer->spending.samples);
    expander_.outcome().lemmas = known_.Texts();
    if (answer->spent) expander_.Failed(BudgetUsedUp());
    if (answer->status != StatementAnswer::Status::kProved) co_return;
    const auto limit = core::FromSeconds(parameters_.check_seconds);
    const bool holds = co_await Deliver(expander_, known_, answer->text, limit);
    if (!holds) ++expander_.outcome().refusals["the proof does not hold in the file"];
  }

  static core::Error BudgetUsedUp() {
    return {.code = ErrorCode::kCancelled, .message = "the budget is used up", .hint = {}};
  }

  const AgentParameters parameters_;
  Expander expander_;
  const StatementProver prove_;
  LemmaMemory known_;
  bool begun_ = false;
};

Task<Result<StatementAnswer>> ProveOne(const Services* services, AgentParameters parameters,
                                       const llm::PromptTemplates* prompts, StatementTask task,
                                       Limits limits) {
  Attempt attempt(*services, parameters, *prompts, std::move(task), limits);
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
  agent::TheoremRun run(services, problem, parameters, *prompts, std::move(limits), executor);
  co_return co_await run.Run();
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
