// For tests only: a model that answers from a function, and a call log in memory.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "llm/model.h"
#include "llm/record.h"

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

class MemoryLog : public CallLog {
 public:
  core::Status Append(const RecordedCall& call) override {
    if (fails) return core::Fail(core::ErrorCode::kEnvironment, "disk full");
    for (const auto& other : calls) {
      if (other.key == call.key && other.nth == call.nth) {
        return core::Fail(core::ErrorCode::kInternal, "recorded twice");
      }
    }
    calls.push_back(call);
    return {};
  }
  core::Result<std::optional<RecordedCall>> Find(const std::string& key, int64_t nth) override {
    for (const auto& call : calls) {
      if (call.key == key && call.nth == nth) return call;
    }
    return std::nullopt;
  }
  core::Result<int64_t> NextOf(const std::string& key) override {
    int64_t next = 0;
    for (const auto& call : calls) {
      if (call.key == key) next = std::max(next, call.nth + 1);
    }
    return next;
  }
  core::Result<std::vector<RecordedCall>> OfModel(const std::string& model) override {
    std::vector<RecordedCall> found;
    for (const auto& call : calls) {
      if (call.model == model) found.push_back(call);
    }
    return found;
  }

  core::Result<std::vector<std::string>> Models() override {
    std::set<std::string> models;
    for (const auto& call : calls) models.insert(call.model);
    return std::vector<std::string>(models.begin(), models.end());
  }

  std::vector<RecordedCall> calls;
  bool fails = false;
};

}  // namespace zermelo::llm::testing
