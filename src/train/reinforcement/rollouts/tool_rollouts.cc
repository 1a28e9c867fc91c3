#include "train/reinforcement/rollouts/tool_rollouts.h"

#include <algorithm>
#include <deque>
#include <fmt/format.h>

#include "strategy/agent/agent.h"
#include "train/reinforcement/one_blas_thread.h"
#include "train/reinforcement/rollouts/policy_model.h"
#include "train/reinforcement/rollouts/rollouts.h"
#include "train/reinforcement/run_until_done.h"

namespace zermelo::train {

using core::ErrorCode;
using core::Fail;
using core::Result;
using core::Task;

namespace {

strategy::AgentParameters AgentParametersOf(const RlSettings& settings) {
  strategy::AgentParameters agent;
  agent.rounds = 1;
  agent.tokens = settings.tool_tokens;
  agent.tool_calls = settings.tool_calls;
  agent.context = 0;
  agent.backtrack_after = 0;
  agent.protocol = strategy::ToolProtocol::kText;
  agent.check_seconds = settings.check_seconds;
  return agent;
}

/// As many conversations as never wait for each other, since that would count as their time; with a
/// server, they mostly wait for its answers.
size_t AtOnce(const PolicyWriter& writer, size_t leans) {
  constexpr size_t kForEachLean = 8;
  return writer.at_once ? std::min(*writer.at_once, leans) : kForEachLean * leans;
}

/// One conversation. Does not move.
class Conversation {
 public:
  Conversation(size_t problem, syntax::Theorem theorem, const Problem& given,
               const PolicyWriter& writer, const decoder::Tokenizer& tokenizer, lean::Checker& lean,
               const RlSettings& settings, uint64_t seed)
      : problem_(problem),
        theorem_(std::move(theorem)),
        given_(given),
        settings_(settings),
        known_(theorem_.taken),
        transcript_(TranscriptOf(writer, tokenizer, settings, seed)),
        lean_(lean),
        roles_(strategy::role::kAgent, transcript_, nullptr) {}

  Task<void> Run(const llm::PromptTemplates& prompts, const strategy::Limits& limits) {
    strategy::Services services{.checker = lean_};
    services.roles = &roles_;
    strategy::StatementTask task;
    task.theorem = theorem_;
    task.known = &known_;
    task.informal = given_.words;
    task.notes = given_.notes;
    const auto prove = strategy::MakeAgentProver(services, AgentParametersOf(settings_), prompts);
    answer_ = co_await prove(std::move(task), limits);
  }

  std::optional<core::Error> error() const {
    return answer_ ? std::nullopt : std::optional(answer_.error());
  }

  /// nullopt: no sample. Errors: those that end a step.
  Result<std::optional<Rollout>> Take() {
    if (!answer_) {
      const core::Error& error = answer_.error();
      if (error.code == ErrorCode::kTooLong) return Fail(TooLong(problem_, error));
      if (error.code == ErrorCode::kUsage) return Fail(error);
      return std::nullopt;
    }
    const bool proved = answer_->status == strategy::StatementAnswer::Status::kProved;
    if (transcript_.row().tokens.empty() || (lean_.crashed() && !proved)) return std::nullopt;
    Rollout rollout{.problem = problem_, .row = transcript_.row(), .text = transcript_.Text()};
    rollout.tool_calls = std::min(transcript_.tool_calls(), settings_.tool_calls);
    if (proved) rollout.file = theorem_.header + known_.Text() + answer_->lemma.Text() + "\n";
    return rollout;
  }

 private:
  const size_t problem_;  // index
  const syntax::Theorem theorem_;
  const Problem& given_;
  const RlSettings& settings_;
  strategy::LemmaStore known_;
  Transcript transcript_;
  WatchedLean lean_;
  PolicyRole roles_;
  Result<strategy::StatementAnswer> answer_ = Fail(ErrorCode::kInternal, "not run");
};

}  // namespace

Result<std::vector<Rollout>> ToolRollouts::operator()(const ModelAndTokenizer& policy,
                                                      const std::vector<Problem>& problems,
                                                      const std::vector<size_t>& drawn,
                                                      const RlSettings& settings,
                                                      size_t step) const {
  const auto prompts = llm::PromptTemplates::Load(llm::PromptFolder() / "agent");
  if (!prompts) return Fail(prompts.error());
  const core::Executor executor = io_.get_executor();
  const auto writer = writer_of_(policy);
  if (!writer) return Fail(writer.error());
  std::deque<Conversation> all;
  for (size_t i = 0; i < drawn.size(); ++i) {
    const auto theorem = TheoremOf(problems[drawn[i]]);
    if (!theorem) return Fail(theorem.error());
    const uint64_t seed = MixedSeed(settings.seed, step, i + 1);
    for (size_t member = 0; member < settings.group; ++member) {
      all.emplace_back(drawn[i], *theorem, problems[drawn[i]], *writer, policy.tokenizer, lean_,
                       settings, MixedSeed(seed, 0, member));
    }
  }
  const OneBlasThread one;
  core::Gate places(executor, AtOnce(*writer, lean_.size()));
  const auto run = [&]() -> Task<bool> {
    core::TaskGroup group(executor);
    for (Conversation& conversation : all) {
      group.Spawn(DoInPlace(places, executor, settings.tool_seconds,
                            [&](const strategy::Limits& limits, std::unique_ptr<core::Gate::Pass>)
                                -> Task<void> { co_await conversation.Run(*prompts, limits); }));
    }
    co_await group.Join();
    co_return true;
  };
  RunUntilDone(io_, run());
  std::vector<Rollout> rollouts;
  size_t lost = 0;
  std::string why = "Lean crashed in them, or was too late";
  for (Conversation& conversation : all) {
    if (const auto error = conversation.error()) why = error->message;
    auto rollout = conversation.Take();
    if (!rollout) return Fail(rollout.error());
    if (!*rollout) ++lost;
    if (*rollout) rollouts.push_back(**std::move(rollout));
  }
  if (rollouts.empty() && lost > 0) {
    return Fail(ErrorCode::kEnvironment,
                fmt::format("all {} conversations of a step are lost: {}", lost, why));
  }
  return rollouts;
}

}  // namespace zermelo::train
