// For tests only: a model that answers from a function.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "llm/model.h"

namespace zermelo::llm::testing {

inline Completion Say(std::string text) {
  Completion completion;
  completion.text = std::move(text);
  return completion;
}

inline Request Ask(std::string prompt, int n = 1) {
  Request request;
  request.prompt = std::move(prompt);
  request.sampling.n = n;
  return request;
}

inline CallContext Within(core::Deadline deadline) {
  CallContext context;
  context.deadline = deadline;
  return context;
}

/// A reply with these texts. Its usage: 10 prompt tokens, and 5 tokens for each completion.
inline Reply Answer(const std::vector<std::string>& texts) {
  Reply reply;
  for (const auto& text : texts) reply.completions.push_back(Say(text));
  reply.usage.prompt_tokens = 10;
  reply.usage.completion_tokens = 5 * static_cast<int64_t>(texts.size());
  reply.model = "fake";
  return reply;
}

class FakeModel : public Model {
 public:
  using Function = std::function<core::Result<Reply>(const Request&, size_t call)>;
  FakeModel(const core::Executor& executor, std::string name, Function function)
      : name_(std::move(name)), function_(std::move(function)), released_(executor) {}

  const std::string& name() const override { return name_; }

  /// Calls wait until Release.
  void Hold() { held_ = true; }
  void Release() {
    held_ = false;
    released_.Notify();
  }

  core::Task<core::Result<Reply>> Generate(Request request, CallContext context) override {
    const size_t call = requests.size();
    requests.push_back(request);
    while (held_ && !context.deadline.Passed()) co_await released_.Wait(context.deadline);
    if (held_) co_return core::Fail(core::ErrorCode::kTimeout, "held for too long");
    auto reply = function_(request, call);
    if (reply && context.on_completion) {
      for (const auto& completion : reply->completions) context.on_completion(completion);
    }
    co_return reply;
  }

  std::vector<Request> requests;  // in the order of the calls

 private:
  const std::string name_;
  const Function function_;
  bool held_ = false;
  core::Signal released_;
};

}  // namespace zermelo::llm::testing
