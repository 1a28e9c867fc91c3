// For tests only: tools that do not need Lean.
#pragma once

#include <memory>
#include <string>

#include "core/async.h"
#include "serve/mcp/protocol.h"

namespace zermelo::serve::mcp::testing {

/// `echo` returns its arguments, `fail` reports an error, `throw` throws, `wait` returns when it is
/// cancelled.
class FakeTools : public Tools {
 public:
  explicit FakeTools(const core::Executor& executor) : woken_(executor) {}

  const nlohmann::json& List() const override { return list_; }
  std::string Instructions() const override { return "use them"; }
  core::Task<ToolAnswer> Call(std::string name, nlohmann::json arguments,
                              core::Cancellation& cancellation) override {
    ToolAnswer answer;
    answer.content = std::move(arguments);
    answer.is_error = name == "fail";
    if (name == "throw") throw std::runtime_error("it broke");
    if (name == "wait") {
      ++waiting;
      const core::Cancellation::Subscription wake(cancellation, [this] { woken_.Notify(); });
      while (!cancellation.requested()) co_await woken_.Wait(core::Deadline());
      --waiting;
      ++cancelled;
    }
    co_return answer;
  }

  int waiting = 0;
  int cancelled = 0;

 private:
  static nlohmann::json Tool(const char* name) {
    return {{"name", name}, {"inputSchema", {{"type", "object"}}}};
  }
  const nlohmann::json list_ =
      nlohmann::json::array({Tool("echo"), Tool("fail"), Tool("throw"), Tool("wait")});
  core::Signal woken_;
};

/// A request of the revision without sessions.
inline nlohmann::json Modern(nlohmann::json id, const std::string& method,
                             nlohmann::json params = nlohmann::json::object()) {
  params["_meta"] = {{"io.modelcontextprotocol/protocolVersion", "2026-07-28"},
                     {"io.modelcontextprotocol/clientCapabilities", nlohmann::json::object()}};
  return {{"jsonrpc", "2.0"}, {"id", std::move(id)}, {"method", method}, {"params", params}};
}

/// A request of the revisions that begin with `initialize`.
inline nlohmann::json Legacy(nlohmann::json id, const std::string& method,
                             nlohmann::json params = nlohmann::json::object()) {
  return {{"jsonrpc", "2.0"}, {"id", std::move(id)}, {"method", method}, {"params", params}};
}

inline nlohmann::json Notification(const std::string& method,
                                   nlohmann::json params = nlohmann::json::object()) {
  return {{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}};
}

}  // namespace zermelo::serve::mcp::testing
