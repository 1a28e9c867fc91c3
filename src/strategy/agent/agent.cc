#include "strategy/agent/agent.h"

#include <algorithm>
#include <boost/asio/this_coro.hpp>
#include <deque>
#include <fmt/format.h>

#include "strategy/agent/trajectory.h"
#include "strategy/prompt_text.h"
#include "strategy/proof/delivery.h"
#include "strategy/registry.h"
#include "syntax/proof/auxiliary.h"

namespace zermelo::strategy {

using core::ErrorCode;
using core::Fail;
using core::Result;
using core::Task;

namespace agent {
namespace {

/// One run of the agent, on one statement: n trajectories of m rounds.
class AgentRun {
 public:
  AgentRun(const Services& services, const AgentParameters& parameters,
           const llm::PromptTemplates& prompts, StatementTask task, const Limits& limits,
           const core::Executor& executor)
      : parameters_(parameters),
        task_(std::move(task)),
        session_(services, limits, executor, &prompts) {}

  Task<Result<StatementAnswer>> Run() {
    if (parameters_.informal && task_.informal.empty()) co_await AskForProofInWords();
    const size_t memories = parameters_.share_lemmas ? 1 : parameters_.trajectories;
    for (size_t i = 0; i < memories; ++i) memories_.emplace_back(session_, parameters_, task_);
    core::TaskGroup lanes(session_.executor());
    for (size_t i = 0; i < parameters_.trajectories; ++i) {
      lanes.Spawn(Lane(i, memories_[i % memories]));
    }
    co_await lanes.Join();
    if (Finished() == nullptr && session_.error()) co_return Fail(*session_.error());
    co_return Answer();
  }

 private:
  static StatementTask WithMemory(StatementTask task, LemmaStore* known) {
    task.known = known;
    return task;
  }

  /// What the trajectories of one lane, or of all lanes, share. Does not move.
  struct Memory {
    Memory(Session& session, const AgentParameters& parameters, const StatementTask& given)
        : own(*given.known),
          task(WithMemory(given, parameters.share_lemmas ? given.known : &own)),
          first_new(own.all().size()),
          toolbox(session, task, ToolLimitsOf(parameters)),
          context{.session = session,
                  .parameters = parameters,
                  .task = task,
                  .toolbox = toolbox,
                  .plain_text = parameters.protocol == ToolProtocol::kText} {}

    LemmaStore own;  // used if lemmas are not shared
    StatementTask task;
    const size_t first_new;
    Toolbox toolbox;
    AgentContext context;
  };

  static ToolLimits ToolLimitsOf(const AgentParameters& parameters) {
    ToolLimits limits;
    limits.check = core::FromSeconds(parameters.check_seconds);
    limits.premises = parameters.premises;
    limits.python_time = core::FromSeconds(parameters.python_seconds);
    limits.python_memory = parameters.python_megabytes << 20U;
    limits.answer_bytes = parameters.answer_bytes;
    return limits;
  }

  Task<void> Lane(size_t number, Memory& memory) {
    std::string summary;
    for (size_t round = 0; round < parameters_.rounds && Goes(); ++round) {
      Trajectory trajectory(memory.context, number, round, summary);
      co_await trajectory.Run();
      if (memory.toolbox.finish()) session_.End();  // stops the other trajectories
      const bool last = round + 1 == parameters_.rounds;
      if (!Goes() || (last && !task_.wants_reason)) break;
      summary = co_await trajectory.Summarise();
    }
    if (!summary.empty()) reason_ = summary;
  }

  bool Goes() const { return session_.MayAsk() && Finished() == nullptr; }

  /// The memory with the proof; null: none has it.
  const Memory* Finished() const {
    const auto found = std::ranges::find_if(
        memories_, [](const Memory& memory) { return memory.toolbox.finish().has_value(); });
    return found == memories_.end() ? nullptr : &*found;
  }

  /// Adds the new lemmas of an independent memory to the known ones, and returns `last` with their
  /// names there.
  ProvedLemma Merged(const Memory& memory, ProvedLemma last) {
    LemmaStore& known = *task_.known;
    syntax::Renaming renaming;
    for (size_t i = memory.first_new; i < memory.own.all().size(); ++i) {
      ProvedLemma lemma = memory.own.all()[i];
      const ProvedLemma* const same = known.FindKey(lemma.key);
      const std::string name = same != nullptr ? same->name : known.FreeName(lemma.name);
      if (name != lemma.name) renaming.Add(lemma.name, lemma.name, name);
      if (same != nullptr) continue;
      lemma.head = renaming.Apply(lemma.head);
      lemma.value = renaming.Apply(lemma.value);
      lemma.name = name;
      known.Add(std::move(lemma));
    }
    last.value = renaming.Apply(last.value);
    return last;
  }

  /// Gets an informal proof as a guide: the paper's second kind of input.
  Task<void> AskForProofInWords() {
    auto chat =
        session_.Begin(role::kInformal, "informal",
                       PromptValues("header", HeaderBlock(task_.theorem.header), "statement",
                                    LeanBlock(task_.theorem.doc + task_.theorem.head)));
    if (!chat) co_return;
    const bool asked = co_await session_.Ask(*chat, session_.limits());
    if (asked) task_.informal = AssistantMessage(chat->answer, std::vector<ToolCall>()).content;
  }

  StatementAnswer Answer() {
    StatementAnswer answer;
    answer.spending = session_.result().spending;
    answer.spent = session_.spent();
    answer.reason = reason_;
    const Memory* const finished = Finished();
    if (finished != nullptr) {
      const auto& finish = finished->toolbox.finish();
      answer.status =
          finish->negated ? StatementAnswer::Status::kDisproved : StatementAnswer::Status::kProved;
      answer.lemma = Merged(*finished, finish->lemma);
      answer.lemma.by = fmt::format("agent {}", finish->lemma.by);
    }
    for (const Memory& memory : memories_) Merged(memory, {});
    return answer;
  }

  const AgentParameters& parameters_;
  StatementTask task_;
  Session session_;
  std::deque<Memory> memories_;
  std::string reason_;
};

Task<Result<StatementAnswer>> ProveOne(const Services* services, AgentParameters parameters,
                                       const llm::PromptTemplates* prompts, StatementTask task,
                                       Limits limits) {
  const auto executor = co_await boost::asio::this_coro::executor;
  AgentRun run(*services, parameters, *prompts, std::move(task), limits, executor);
  co_return co_await run.Run();
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
  if ((p.context > 0 && p.context < 1024) || p.answer_bytes < 200) {
    return Fail(ErrorCode::kUsage, "context must be 0 or from 1024, answer_bytes from 200");
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

Task<Result<SearchResult>> Agent(const Services& services, const Problem& problem,
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
  SearchResult& result = session.result();
  result.spending += answer->spending;
  result.samples += static_cast<uint64_t>(answer->spending.samples);
  result.lemmas = known.all();
  if (answer->spent) session.Spend();
  if (answer->status == StatementAnswer::Status::kProved) {
    const auto limit = core::FromSeconds(parameters.check_seconds);
    const bool holds =
        co_await Deliver(session, role::kAgent, problem, known, answer->lemma.value, limit);
    if (!holds) ++result.refusals["the proof does not hold in the file"];
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
  std::vector<Parameter> Parameters() const override {
    return {
        {"trajectories", "n: concurrent trajectories"},
        {"rounds", "m: successive rounds, each from the summary of the last"},
        {"share_lemmas", "trajectories share the lemma memory"},
        {"tokens", "tokens per trajectory: what its context has held"},
        {"tool_calls", "tool calls per trajectory"},
        {"context", "maximum tokens in a request; 0: never pruned or summarised"},
        {"keep", "number of last exchanges that are neither pruned nor summarised"},
        {"backtrack_after",
         "rejected calls in a row before the conversation returns; 0: it never does"},
        {"protocol",
         "of tool calls: native (the server's), text, or auto (text if native is rejected)"},
        {"informal", "begin with a proof in words by role informal, which is put into the prompt"},
        {"check_seconds", "seconds of Lean per call"},
        {"premises", "results per search"},
        {"python_seconds", "seconds for a program"},
        {"python_megabytes", "megabytes for a program; 0: no Python"},
        {"answer_bytes", "maximum bytes of a tool's answer; the middle of a longer one is cut out"},
    };
  }
  Needs needs() const override { return {.roles = {role::kAgent}, .asks = {role::kInformal}}; }
  std::vector<Preset> Presets() const override {
    return {{"paper", "Pass@8x8 of Seed-Prover 1.5 (section 4.1)", PapersRun()}};
  }

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

  Task<Result<SearchResult>> Run(Job job, Limits limits) const override {
    const AgentParameters own = Own(job.parameters);
    co_return co_await Agent(job.services, job.problem, own, std::move(limits));
  }

 private:
  /// Every setting that the paper gives; presets_test.cc names the places.
  static nlohmann::json PapersRun() {
    return {{"trajectories", 8}, {"rounds", 8},  {"share_lemmas", false}, {"tokens", 65536},
            {"tool_calls", 28},  {"context", 0}, {"backtrack_after", 0}};
  }
};

}  // namespace

}  // namespace zermelo::strategy

ZERMELO_STRATEGY(agent, AgentStrategy);
