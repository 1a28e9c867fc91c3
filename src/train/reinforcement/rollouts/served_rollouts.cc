#include "train/reinforcement/rollouts/served_rollouts.h"

#include <deque>
#include <fmt/format.h>
#include <optional>

#include "core/process/subprocess.h"
#include "core/text.h"
#include "serve/snippet_text.h"
#include "train/reinforcement/rollouts/policy_model.h"
#include "train/reinforcement/rollouts/rollouts.h"
#include "train/reinforcement/run_until_done.h"

namespace zermelo::train {

using core::ErrorCode;
using core::Fail;
using core::Result;
using core::Task;

namespace {

constexpr size_t kShownBytes = 2000;  // of what a command writes

/// The answers to one prompt.
struct Served {
  size_t problem = 0;  // index
  llm::Request request;
  std::vector<llm::Completion> completions;  // as they arrive
  std::optional<core::Error> error;
};

llm::Request RequestFor(const Problem& problem, const RlSettings& settings, uint64_t seed) {
  llm::Request request;
  request.prompt = problem.prompt;
  request.sampling.n = static_cast<int>(settings.group);
  request.sampling.temperature = settings.temperature;
  request.sampling.top_p = 1;
  request.sampling.max_tokens = static_cast<int>(settings.max_tokens);
  request.sampling.seed = seed;
  request.fence_is_open = request.stop_at_fence = serve::OpensFence(problem.prompt);
  return request;
}

Task<void> Ask(llm::Model& server, core::Deadline deadline, Served& served) {
  llm::CallContext context;
  context.deadline = deadline;
  context.on_completion = [&](const llm::Completion& one) { served.completions.push_back(one); };
  const auto reply = co_await server.Generate(served.request, std::move(context));
  if (!reply) served.error = reply.error();
}

/// nullopt: it is no sample.
std::optional<Rollout> RolloutOf(size_t problem, const std::vector<decoder::Token>& prompt,
                                 const llm::Completion& completion,
                                 const ModelAndTokenizer& policy) {
  using llm::FinishReason;
  if (completion.finish == FinishReason::kBroken || completion.finish == FinishReason::kFiltered)
    return std::nullopt;
  std::string text = completion.text;
  if (completion.finish == FinishReason::kFence) text += '\n';  // by which its line has ended
  auto answer = policy.tokenizer.EncodeContinuation(text);
  const auto& config = policy.model.config();
  if (completion.finish == FinishReason::kStop && !config.ends.empty()) {
    answer.push_back(config.ends.front());
  }
  if (answer.empty() || prompt.size() + answer.size() > config.context) return std::nullopt;
  Rollout rollout{.problem = problem, .text = core::ReplaceInvalidUtf8(completion.text)};
  rollout.row.Append(prompt, false);
  rollout.row.Append(answer, true);
  return rollout;
}

/// The errors that end a step, whatever has arrived.
core::Status Ended(const Served& served) {
  if (!served.error) return {};
  if (served.error->code == ErrorCode::kTooLong) {
    return Fail(TooLong(served.problem, *served.error));
  }
  if (served.error->code == ErrorCode::kUsage) return Fail(*served.error);
  return {};
}

/// What the policy would have sampled: the text, and the end of the message if it was reached.
std::vector<decoder::Token> TokensOf(const llm::Completion& answer,
                                     const decoder::Tokenizer& tokenizer) {
  std::string text = answer.text;
  if (answer.finish == llm::FinishReason::kStop) text += decoder::kMessageEnd;
  const decoder::ByteRange quoted{.begin = 0, .end = answer.text.size()};
  return tokenizer.EncodeContinuation(text, {&quoted, 1});
}

Task<Result<decoder::LocalModel::Written>> WriteAt(llm::Model* server,
                                                   const ModelAndTokenizer* policy,
                                                   std::vector<decoder::Token> prompt,
                                                   llm::Request request, llm::CallContext context) {
  const size_t room = policy->model.config().context;
  if (prompt.size() >= room) {
    co_return Fail(ErrorCode::kTooLong, fmt::format("the prompt has {} tokens; the policy takes {}",
                                                    prompt.size(), room - 1));
  }
  const int left = static_cast<int>(room - prompt.size());
  request.prompt = policy->tokenizer.Decode(prompt);
  request.sampling.max_tokens = std::min(left, request.sampling.max_tokens.value_or(left));
  auto reply = co_await server->Generate(std::move(request), std::move(context));
  if (!reply) co_return Fail(reply.error());
  if (reply->completions.size() != 1 ||
      reply->completions[0].finish == llm::FinishReason::kFiltered) {
    co_return Fail(ErrorCode::kEnvironment, server->name() + " has withheld an answer");
  }
  decoder::LocalModel::Written written;
  written.tokens.push_back(TokensOf(reply->completions[0], policy->tokenizer));
  written.reply = *std::move(reply);
  co_return written;
}

}  // namespace

PolicyWriter ServedWriter(llm::Model& server, const ModelAndTokenizer& policy) {
  Writer write = [server = &server, policy = &policy](std::vector<decoder::Token> prompt,
                                                      llm::Request request,
                                                      llm::CallContext context) {
    return WriteAt(server, policy, std::move(prompt), std::move(request), std::move(context));
  };
  return {.write = std::move(write), .at_once = std::nullopt};
}

Result<std::vector<Rollout>> ServedRollouts::operator()(const ModelAndTokenizer& policy,
                                                        const std::vector<Problem>& problems,
                                                        const std::vector<size_t>& drawn,
                                                        const RlSettings& settings,
                                                        size_t step) const {
  if (auto renewed = renew_(policy); !renewed) return Fail(renewed.error());
  std::deque<Served> all;
  for (size_t i = 0; i < drawn.size(); ++i) {
    Served& served = all.emplace_back();
    served.problem = drawn[i];
    served.request =
        RequestFor(problems[drawn[i]], settings, MixedSeed(settings.seed, step, i + 1));
  }
  const core::Deadline deadline = core::Deadline::After(limit_);
  const auto run = [&]() -> Task<bool> {
    core::TaskGroup group(io_.get_executor());
    for (Served& served : all) group.Spawn(Ask(server_, deadline, served));
    co_await group.Join();
    co_return true;
  };
  RunUntilDone(io_, run());
  std::vector<Rollout> rollouts;
  std::optional<core::Error> error;
  for (const Served& served : all) {
    if (auto ended = Ended(served); !ended) return Fail(ended.error());
    if (served.error) error = served.error;
    const auto prompt = policy.tokenizer.Encode(problems[served.problem].prompt);
    for (const llm::Completion& completion : served.completions) {
      auto rollout = RolloutOf(served.problem, prompt, completion, policy);
      if (rollout) rollouts.push_back(*std::move(rollout));
    }
  }
  if (rollouts.empty()) {
    return Fail(ErrorCode::kEnvironment,
                fmt::format("{} has written no sample{}", server_.name(),
                            error ? ": " + error->message : std::string()));
  }
  return rollouts;
}

core::Status RenewByCommand(boost::asio::io_context& io, const Transformer& policy,
                            const std::filesystem::path& tokenizer,
                            const std::filesystem::path& folder, std::string command,
                            core::Duration limit) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (auto saved = policy.Save(folder); !saved) return saved;
  std::filesystem::copy_file(tokenizer, folder / "tokenizer.json",
                             std::filesystem::copy_options::overwrite_existing, error);
  if (error) return Fail(ErrorCode::kEnvironment, "cannot write to " + folder.string());
  constexpr std::string_view kModel = "{model}";
  for (size_t at = 0; (at = command.find(kModel, at)) != std::string::npos;) {
    const std::string path = std::filesystem::absolute(folder).string();
    command.replace(at, kModel.size(), path);
    at += path.size();
  }
  core::SubprocessOptions options;
  options.argv = {"/bin/sh", "-c", command};
  const auto ran = RunUntilDone(
      io, core::RunProcess(std::move(options), "", core::Deadline::After(limit), kShownBytes));
  if (!ran) return Fail(ran.error());
  if (ran->status.ok()) return {};
  return Fail(ErrorCode::kEnvironment,
              fmt::format("the command that gives the server its weights has failed ({}): {}",
                          ran->status.ToString(), command),
              core::ReplaceInvalidUtf8(ran->err + ran->out));
}

}  // namespace zermelo::train
