#include "decoder/local_model.h"

#include <algorithm>
#include <fmt/format.h>
#include <thread>

#include "core/text.h"
#include "decoder/generation.h"
#include "decoder/model_folder.h"
#include "decoder/tokenizer/chat.h"

namespace zermelo::decoder {

using core::ErrorCode;
using core::Fail;
using core::Result;
using core::Task;
using llm::FinishReason;

namespace {

llm::Reply ReplyOf(Generation& generation, const std::string& model, size_t prompt_tokens,
                   double seconds) {
  llm::Reply reply;
  reply.model = model;
  reply.seconds = seconds;
  reply.usage.prompt_tokens = static_cast<int64_t>(prompt_tokens);
  for (Generation::Line& line : generation.lines()) {
    line.completion.text = core::ReplaceInvalidUtf8(std::move(line.completion.text));
    reply.usage.completion_tokens += static_cast<int64_t>(line.tokens.size());
    reply.completions.push_back(std::move(line.completion));
  }
  return reply;
}

}  // namespace

Result<std::unique_ptr<LocalModel>> LocalModel::Load(const core::Executor& executor,
                                                     std::string name,
                                                     const std::filesystem::path& folder) {
  auto loaded = LoadModelFolder(folder);
  if (!loaded) return Fail(loaded.error());
  return std::make_unique<LocalModel>(
      executor, std::move(name), std::move(loaded->decoder),
      std::make_shared<const Tokenizer>(std::move(loaded->tokenizer)),
      std::max(1U, std::thread::hardware_concurrency()));
}

LocalModel::LocalModel(core::Executor executor, std::string name, Decoder decoder,
                       std::shared_ptr<const Tokenizer> tokenizer, size_t at_once)
    : executor_(std::move(executor)),
      name_(std::move(name)),
      decoder_(std::move(decoder)),
      tokenizer_(std::move(tokenizer)),
      free_places_(at_once),
      changed_(executor_) {}

LocalModel::~LocalModel() = default;

Task<bool> LocalModel::Enter(const llm::CallContext& context) {
  const core::Cancellation::Subscription cancelled(context.cancellation,
                                                   [this] { changed_.Notify(); });
  const auto is_cancelled = [&] {
    return context.cancellation != nullptr && context.cancellation->requested();
  };
  while (free_places_ == 0 && !is_cancelled() && !context.deadline.Passed()) {
    co_await changed_.Wait(context.deadline);
  }
  if (is_cancelled() || context.deadline.Passed()) co_return false;
  --free_places_;
  co_return true;
}

Result<std::vector<Token>> LocalModel::PromptOf(const llm::Request& request) const {
  if (const auto* text = std::get_if<std::string>(&request.prompt))
    return tokenizer_->Encode(*text);
  if (!request.tools.empty()) {
    return Fail(ErrorCode::kUsage, name_ + " calls tools in plain text only",
                "set the agent's protocol to text (or auto)");
  }
  const auto parts = ChatParts(std::get<std::vector<llm::Message>>(request.prompt), true);
  if (!parts) return Fail(parts.error());
  std::vector<Token> prompt;
  for (const ChatPart& part : *parts) {
    const auto tokens = prompt.empty() ? tokenizer_->Encode(part.text, part.contents)
                                       : tokenizer_->EncodeContinuation(part.text, part.contents);
    prompt.insert(prompt.end(), tokens.begin(), tokens.end());
  }
  return prompt;
}

Task<Result<llm::Reply>> LocalModel::Generate(llm::Request request, llm::CallContext context) {
  auto prompt = PromptOf(request);
  if (!prompt) co_return Fail(prompt.error());
  if (!std::holds_alternative<std::string>(request.prompt)) {
    request.sampling.stop.emplace_back(kMessageEnd);
  }
  auto written = co_await Write(*std::move(prompt), std::move(request), std::move(context));
  if (!written) co_return Fail(written.error());
  co_return std::move(written->reply);
}

Task<Result<LocalModel::Written>> LocalModel::Write(std::vector<Token> prompt, llm::Request request,
                                                    llm::CallContext context) {
  if (prompt.empty() || prompt.size() >= decoder_.config().context) {
    co_return Fail(prompt.empty() ? ErrorCode::kUsage : ErrorCode::kTooLong,
                   fmt::format("the prompt has {} tokens; {} takes from 1 to {}", prompt.size(),
                               name_, decoder_.config().context - 1));
  }
  if (!co_await Enter(context)) {
    const bool late = context.deadline.Passed();
    co_return Fail(late ? ErrorCode::kTimeout : ErrorCode::kCancelled,
                   late ? "the deadline passed before the model was free" : "cancelled");
  }
  const auto started = core::Clock::now();
  Generation generation(decoder_, *tokenizer_, request, context.deadline);
  {
    const core::Cancellation::Subscription cancelled(context.cancellation,
                                                     [&] { generation.Stop(); });
    co_await core::OnThread(executor_, [&] { generation.Run(prompt); });
  }
  ++free_places_;
  changed_.Notify();
  llm::Reply reply =
      ReplyOf(generation, name_, prompt.size(), core::Seconds(core::Clock::now() - started));
  if (context.cancellation != nullptr && context.cancellation->requested()) {
    if (context.on_lost_usage) context.on_lost_usage(reply.usage);
    co_return Fail(ErrorCode::kCancelled, "cancelled");
  }
  for (const llm::Completion& completion : reply.completions) {
    if (completion.finish != FinishReason::kBroken && context.on_completion) {
      context.on_completion(completion);
    }
  }
  Written written{.reply = std::move(reply), .tokens = {}};
  for (Generation::Line& line : generation.lines())
    written.tokens.push_back(std::move(line.tokens));
  co_return written;
}

}  // namespace zermelo::decoder
