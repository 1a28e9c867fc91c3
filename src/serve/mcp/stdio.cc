#include "serve/mcp/stdio.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <deque>
#include <fcntl.h>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <unistd.h>

#include "core/fd.h"
#include "serve/http/json_fields.h"

namespace zermelo::serve::mcp {

namespace asio = boost::asio;
using boost::system::error_code;
using core::Cancellation;
using core::Deadline;
using core::DeadlineGuard;
using core::Task;
using nlohmann::json;

namespace {

constexpr size_t kReadBytes = 64U << 10U;
constexpr auto kLastWords = std::chrono::seconds(1);

/// A borrowed descriptor, whose flags are restored on destruction.
class Stream {
 public:
  Stream(const core::Executor& executor, int fd)
      : executor_(executor),
        fd_(::fcntl(fd, F_DUPFD_CLOEXEC, 0)),
        flags_(::fcntl(fd, F_GETFL)),
        stream_(executor) {
    error_code ignored;  // reading a closed descriptor fails later
    stream_.assign(::fcntl(fd, F_DUPFD_CLOEXEC, 0), ignored);
  }
  ~Stream() {
    error_code ignored;
    stream_.close(ignored);
    if (flags_ >= 0) ::fcntl(fd_.get(), F_SETFL, flags_);  // asio makes it non-blocking
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  /// Reads some bytes; empty at the end of the input or after Cancel.
  Task<std::string> Read() {
    std::string bytes(kReadBytes, '\0');
    error_code error;
    const size_t got = co_await stream_.async_read_some(
        asio::buffer(bytes), asio::redirect_error(asio::use_awaitable, error));
    bytes.resize(error ? 0 : got);
    co_return bytes;
  }

  Task<bool> Write(std::string_view bytes, Deadline deadline) {
    error_code error;
    const DeadlineGuard guard(executor_, deadline, [this] { Cancel(); });
    co_await asio::async_write(stream_, asio::buffer(bytes),
                               asio::redirect_error(asio::use_awaitable, error));
    co_return !error;
  }

  void Cancel() {
    error_code ignored;
    stream_.cancel(ignored);
  }

 private:
  const core::Executor executor_;
  const core::Fd fd_;
  const int flags_;
  asio::posix::stream_descriptor stream_;
};

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
      : executor_(executor),
        protocol_(protocol),
        limits_(limits),
        in_(executor, in),
        out_(executor, out),
        requests_(executor),
        written_(executor),
        answered_(executor) {}

  Task<void> Run(Cancellation& stop) {
    const Cancellation::Subscription stopped(stop, [this] { End(); });
    core::TaskGroup writer(executor_);
    writer.Spawn(WriteAll());
    Lines lines(limits_.message_bytes);
    while (!ended_ && !stop.requested()) {
      const std::string bytes = co_await in_.Read();
      if (bytes.empty()) break;
      lines.Feed(bytes, [this](const std::string* line) { OnLine(line); });
      while (!ended_ && outbox_bytes_ > limits_.unread_bytes) co_await written_.Wait(Deadline());
    }
    End();
    for (auto& [id, cancellation] : running_) cancellation->Request();
    co_await requests_.Join();
    done_ = true;
    answered_.Notify();
    const DeadlineGuard last_words(executor_, Deadline::After(kLastWords), [this] {
      broken_ = true;
      out_.Cancel();
    });
    co_await writer.Join();
  }

 private:
  /// Stops reading.
  void End() {
    ended_ = true;
    in_.Cancel();
    written_.Notify();
  }

  void Send(const json& message) {
    outbox_.push_back(Dump(message) + "\n");
    outbox_bytes_ += outbox_.back().size();
    answered_.Notify();
  }

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
    if (message->kind == Message::Kind::kNotification) return OnNotification(*message);
    if (message->kind == Message::Kind::kRequest) OnRequest(std::move(*message));
  }

  void OnNotification(const Message& notification) {
    if (notification.method != "notifications/cancelled") return;
    const auto id = notification.params.find("requestId");
    if (id == notification.params.end()) return;
    const auto found = running_.find(id->dump());
    if (found != running_.end()) found->second->Request();
  }

  void OnRequest(Message request) {
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

  Task<void> Serve(Message request, bool modern) {
    const std::string key = request.id.dump();
    Cancellation& cancellation = *running_.at(key);
    const json answer = co_await protocol_.Answer(std::move(request), modern, cancellation);
    if (!cancellation.requested()) Send(answer);
    running_.erase(key);
  }

  Task<void> WriteAll() {
    while (true) {
      while (outbox_.empty() && !done_) co_await answered_.Wait(Deadline());
      if (outbox_.empty()) co_return;
      const std::string line = std::move(outbox_.front());
      outbox_.pop_front();
      bool sent = false;
      if (!broken_) sent = co_await out_.Write(line, Deadline::After(limits_.write_time));
      outbox_bytes_ -= line.size();
      written_.Notify();
      if (sent || broken_) continue;
      broken_ = true;
      End();
    }
  }

  const core::Executor executor_;
  Protocol& protocol_;
  const StdioLimits limits_;
  Stream in_, out_;
  core::TaskGroup requests_;
  std::map<std::string, std::unique_ptr<Cancellation>> running_;  // by the id as JSON
  bool initialized_ = false;

  std::deque<std::string> outbox_;
  size_t outbox_bytes_ = 0;  // including the line being written
  core::Signal written_;     // a line was written, or reading has stopped
  core::Signal answered_;    // the outbox has a line, or all requests are done
  bool ended_ = false;       // reading has stopped
  bool done_ = false;        // all requests are done
  bool broken_ = false;      // the client does not read its answers
};

}  // namespace

Task<void> ServeStdio(Protocol& protocol, int in, int out, StdioLimits limits, Cancellation& stop) {
  Session session(co_await asio::this_coro::executor, protocol, in, out, limits);
  co_await session.Run(stop);
}

}  // namespace zermelo::serve::mcp
