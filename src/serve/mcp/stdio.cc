#include "serve/mcp/stdio.h"

#include <boost/asio/this_coro.hpp>
#include <fmt/format.h>
#include <map>
#include <memory>

#include "core/json.h"
#include "serve/http/json_fields.h"

namespace zermelo::serve::mcp {

namespace asio = boost::asio;
using core::Cancellation;
using core::Task;
using nlohmann::json;

namespace {

/// Splits input into lines; a line that is too long is discarded as it arrives.
class Lines {
 public:
  explicit Lines(size_t limit) : limit_(limit) {}

  /// Calls `on_line` with each complete line, or with nullptr for one that was too long.
  template <class OnLine>
  void Feed(std::string_view bytes, OnLine on_line) {
    while (!bytes.empty()) {
      const size_t end = std::min(bytes.find('\n'), bytes.size());
      if (!dropping_ && line_.size() + end > limit_) {
        dropping_ = true;
        line_ = std::string();
      }
      if (!dropping_) line_.append(bytes.substr(0, end));
      if (end == bytes.size()) return;
      bytes.remove_prefix(end + 1);
      const std::string line = std::exchange(line_, {});
      if (std::exchange(dropping_, false)) {
        on_line(nullptr);
      } else {
        on_line(&line);
      }
    }
  }

 private:
  const size_t limit_;
  std::string line_;
  bool dropping_ = false;
};

class Session {
 public:
  Session(const core::Executor& executor, Protocol& protocol, int in, int out, StdioLimits limits)
      : protocol_(protocol),
        limits_(limits),
        in_(executor, in),
        outbox_(executor, out, limits, [this] { End(); }),
        requests_(executor) {}

  Task<void> Run(Cancellation& stop) {
    const Cancellation::Subscription stopped(stop, [this] { End(); });
    Lines lines(limits_.message_bytes);
    while (!ended_ && !stop.requested()) {
      const std::string bytes = co_await in_.Read();
      if (bytes.empty()) break;
      lines.Feed(bytes, [this](const std::string* line) { OnLine(line); });
      while (!ended_ && outbox_.full()) co_await outbox_.Written();
    }
    End();
    for (auto& [id, cancellation] : running_) cancellation->Request();
    co_await requests_.Join();
    co_await outbox_.Finish();
  }

 private:
  /// Stops reading.
  void End() {
    ended_ = true;
    in_.Cancel();
    outbox_.Wake();
  }

  void Send(const json& message) { outbox_.Send(core::Dump(message) + "\n"); }

  void OnLine(const std::string* line) {
    if (line == nullptr) {
      RpcError error;
      error.code = kInvalidRequest;
      error.message = fmt::format("the message has more than {} bytes", limits_.message_bytes);
      return Send(ErrorMessage(error));
    }
    if (line->find_first_not_of(" \t\r") == std::string::npos) return;
    auto message = ReadMessage(*line);
    if (!message) return Send(ErrorMessage(message.error()));
    if (message->kind == RpcMessage::Kind::kNotification) return OnNotification(*message);
    if (message->kind == RpcMessage::Kind::kRequest) OnRequest(std::move(*message));
  }

  void OnNotification(const RpcMessage& notification) {
    if (notification.method != "notifications/cancelled") return;
    const auto id = notification.params.find("requestId");
    if (id == notification.params.end()) return;
    const auto found = running_.find(id->dump());
    if (found != running_.end()) found->second->Request();
  }

  void OnRequest(RpcMessage request) {
    RpcError refusal;
    refusal.id = request.id;
    refusal.code = kInvalidRequest;
    const std::string key = request.id.dump();
    if (running_.contains(key)) {
      refusal.message = "a request with this id is still running";
      return Send(ErrorMessage(refusal));
    }
    if (running_.size() >= limits_.requests) {
      refusal.code = kInternalError;
      refusal.message = fmt::format("{} requests are already running", running_.size());
      return Send(ErrorMessage(refusal));
    }
    const auto version = VersionOf(request);
    if (!version) return Send(ErrorMessage(version.error()));
    const bool modern = version->has_value();
    if (request.method == "initialize") initialized_ = true;
    if (!modern && !initialized_ && request.method != "ping") {
      refusal.code = kInvalidParams;
      refusal.message = fmt::format(
          "params._meta must have io.modelcontextprotocol/protocolVersion ({}), or the first "
          "request must be initialize ({})",
          kModernVersion, kLegacyVersion);
      return Send(ErrorMessage(refusal));
    }
    running_.emplace(key, std::make_unique<Cancellation>());
    requests_.Spawn(Serve(std::move(request), modern));
  }

  Task<void> Serve(RpcMessage request, bool modern) {
    const std::string key = request.id.dump();
    Cancellation& cancellation = *running_.at(key);
    const json answer = co_await protocol_.Answer(std::move(request), modern, cancellation);
    if (!cancellation.requested()) Send(answer);
    running_.erase(key);
  }

  Protocol& protocol_;
  const StdioLimits limits_;
  Stream in_;
  Outbox outbox_;
  core::TaskGroup requests_;
  std::map<std::string, std::unique_ptr<Cancellation>> running_;  // by the id as JSON
  bool initialized_ = false;
  bool ended_ = false;  // reading has stopped
};

}  // namespace

Task<void> ServeStdio(Protocol& protocol, int in, int out, StdioLimits limits, Cancellation& stop) {
  Session session(co_await asio::this_coro::executor, protocol, in, out, limits);
  co_await session.Run(stop);
}

}  // namespace zermelo::serve::mcp
