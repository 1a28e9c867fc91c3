#include "train/reinforcement/tool_rollouts.h"

#include <ATen/Parallel.h>
#include <algorithm>
#include <deque>
#include <fmt/format.h>

#include "strategy/agent/agent.h"
#include "syntax/file.h"
#include "syntax/theorem.h"
#include "train/reinforcement/one_blas_thread.h"
#include "train/reinforcement/rollouts.h"
#include "train/reinforcement/run_until_done.h"
#include "train/reinforcement/transcript.h"

namespace zermelo::train {

using core::ErrorCode;
using core::Fail;
using core::Result;
using core::Task;

namespace {

/// Notes whether Lean died on a text of one conversation.
class WatchedLean final : public lean::Checker {
 public:
  explicit WatchedLean(lean::Checker& lean) : lean_(lean) {}
  Task<Result<lean::CheckResult>> Check(lean::CheckRequest request) override {
    auto checked = co_await lean_.Check(std::move(request));
    crashed_ = crashed_ || (!checked && checked.error().code == ErrorCode::kCrashed);
    co_return checked;
  }
  size_t size() const override { return lean_.size(); }
  uint64_t checks() const override { return lean_.checks(); }
  bool crashed() const { return crashed_; }

 private:
  lean::Checker& lean_;
  bool crashed_ = false;
};

class Policy final : public strategy::Roles {
 public:
  explicit Policy(llm::Model& model) : model_(model) {}
  llm::Model* chat(std::string_view) override { return &model_; }
  policy::CompletionPolicy* prover(std::string_view) override { return nullptr; }

 private:
  llm::Model& model_;
};

strategy::AgentParameters ParametersOf(const RlSettings& settings) {
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

Result<syntax::Theorem> TheoremOf(const Problem& problem) {
  const syntax::File file(problem.statement);
  if (file.declarations().empty()) {
    return Fail(ErrorCode::kInput, "a problem has no theorem",
                "its statement is:\n" + problem.statement);
  }
  return syntax::TheoremOf(file, file.declarations().back());
}

llm::Sampling SamplingOf(const RlSettings& settings) {
  llm::Sampling sampling;
  sampling.temperature = settings.temperature;
  sampling.top_p = 1;
  sampling.max_tokens = static_cast<int>(settings.max_tokens);
  return sampling;
}

/// One conversation. Does not move.
class Conversation {
 public:
  Conversation(size_t problem, syntax::Theorem theorem, decoder::LocalModel& model,
               lean::Checker& lean, const RlSettings& settings, uint64_t seed)
      : problem_(problem),
        theorem_(std::move(theorem)),
        settings_(settings),
        known_(theorem_.taken),
        transcript_(
            [&model](auto prompt, auto request, auto context) {
              return model.Write(std::move(prompt), std::move(request), std::move(context));
            },
            model.tokenizer(), SamplingOf(settings),
            [seed](size_t answer) { return MixedSeed(seed, answer, 0); }),
        lean_(lean),
        roles_(transcript_) {}

  Task<void> Run(const llm::PromptTemplates& prompts, core::Executor executor) {
    strategy::Services services{.checker = lean_};
    services.roles = &roles_;
    strategy::StatementTask task;
    task.theorem = theorem_;
    task.known = &known_;
    const strategy::Limits unlimited;
    const strategy::Timebox time(executor, unlimited, core::FromSeconds(settings_.tool_seconds));
    const auto prove = strategy::MakeAgentProver(services, ParametersOf(settings_), prompts);
    answer_ = co_await prove(std::move(task), time.limits());
  }

  /// nullopt: no sample. Errors: those that end a step.
  Result<std::optional<Rollout>> Take() {
    if (!answer_) {
      const core::Error& error = answer_.error();
      if (error.code == ErrorCode::kCrashed) return std::nullopt;
      if (error.code != ErrorCode::kTooLong) return Fail(error);
      return Fail(ErrorCode::kInput,
                  fmt::format("the first messages about problem {} are too long: {}", problem_ + 1,
                              error.message),
                  "train a model with a longer context");
    }
    const bool proved = answer_->status == strategy::StatementAnswer::Status::kProved;
    if (transcript_.row().tokens.empty() || (lean_.crashed() && !proved)) return std::nullopt;
    Rollout rollout{.problem = problem_, .row = transcript_.row(), .text = transcript_.Text()};
    rollout.tool_calls = std::min(transcript_.tool_calls(), settings_.tool_calls);
    if (proved) rollout.file = theorem_.header + known_.Text() + answer_->text + "\n";
    return rollout;
  }

 private:
  const size_t problem_;  // index
  const syntax::Theorem theorem_;
  const RlSettings& settings_;
  strategy::LemmaStore known_;
  Transcript transcript_;
  WatchedLean lean_;
  Policy roles_;
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
  auto decoder = decoder::Decoder::Create(policy.model.config(), policy.model.Weights());
  if (!decoder) return Fail(decoder.error());
  const core::Executor executor = io_.get_executor();
  const std::shared_ptr<const decoder::Tokenizer> tokenizer(std::shared_ptr<void>(),
                                                            &policy.tokenizer);  // not owned
  decoder::LocalModel model(executor, "policy", *std::move(decoder), tokenizer,
                            static_cast<size_t>(at::get_num_threads()));
  std::deque<Conversation> all;
  for (size_t i = 0; i < drawn.size(); ++i) {
    const auto theorem = TheoremOf(problems[drawn[i]]);
    if (!theorem) return Fail(theorem.error());
    const uint64_t seed = MixedSeed(settings.seed, step, i + 1);
    for (size_t member = 0; member < settings.group; ++member) {
      all.emplace_back(drawn[i], *theorem, model, lean_, settings, MixedSeed(seed, 0, member));
    }
  }
  const OneBlasThread one;
  const auto run = [&]() -> Task<bool> {
    core::TaskGroup group(executor);
    for (Conversation& conversation : all) group.Spawn(conversation.Run(*prompts, executor));
    co_await group.Join();
    co_return true;
  };
  RunUntilDone(io_, run());
  std::vector<Rollout> rollouts;
  size_t lost = 0;
  for (Conversation& conversation : all) {
    auto rollout = conversation.Take();
    if (!rollout) return Fail(rollout.error());
    if (!*rollout) ++lost;
    if (*rollout) rollouts.push_back(**std::move(rollout));
  }
  if (rollouts.empty() && lost > 0) {
    return Fail(ErrorCode::kEnvironment,
                fmt::format("Lean crashed in, or was too late for, all {} conversations", lost));
  }
  return rollouts;
}

}  // namespace zermelo::train
