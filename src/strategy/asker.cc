#include "strategy/asker.h"

namespace zermelo::strategy {

using core::ErrorCode;
using core::Fail;
using core::Result;
using core::Task;

void Charge(const llm::Reply& reply, llm::Spending& spending) {
  spending.calls += 1;
  spending.samples += static_cast<int64_t>(reply.completions.size());
  spending.prompt_tokens += reply.usage.prompt_tokens;
  spending.completion_tokens += reply.usage.completion_tokens;
  spending.estimated |= reply.usage.estimated;
}

void ChargeLost(const llm::Usage& usage, llm::Spending& spending) {
  spending.prompt_tokens += usage.prompt_tokens;
  spending.completion_tokens += usage.completion_tokens;
  spending.estimated |= usage.estimated;
}

void Asker::Failed(const core::Error& error) {
  if (error.code == ErrorCode::kCancelled || error.code == ErrorCode::kTimeout) {
    spent_ = spent_ || !limits_.Ended();
  } else if (!error_) {
    error_ = error;
  }
}

Task<Result<Asker::Answer>> Asker::TryToAsk(llm::Model& model, std::vector<llm::Message> messages,
                                            std::vector<llm::Tool> tools) {
  llm::Request request;
  request.prompt = std::move(messages);
  request.tools = std::move(tools);
  llm::CallContext call;
  call.deadline = limits_.deadline;
  call.cancellation = limits_.cancellation;
  call.on_lost_usage = [this](const llm::Usage& usage) { ChargeLost(usage, spending_); };
  const auto reply = co_await model.Generate(std::move(request), std::move(call));
  if (!reply) co_return Fail(reply.error());
  Charge(*reply, spending_);
  if (reply->completions.empty()) {
    co_return Fail(ErrorCode::kEnvironment, "the model returned no completion");
  }
  Answer answer;
  answer.completion = reply->completions.front();
  answer.usage = reply->usage;
  co_return answer;
}

Task<std::optional<Asker::Answer>> Asker::Ask(llm::Model& model, std::vector<llm::Message> messages,
                                              std::vector<llm::Tool> tools) {
  if (!MayAsk()) co_return std::nullopt;
  auto answer = co_await TryToAsk(model, std::move(messages), std::move(tools));
  if (answer) co_return *std::move(answer);
  Failed(answer.error());
  co_return std::nullopt;
}

}  // namespace zermelo::strategy
