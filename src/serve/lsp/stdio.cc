#include "serve/lsp/stdio.h"

#include <boost/asio/this_coro.hpp>
#include <optional>
#include <utility>

#include "core/json.h"
#include "lean/lsp/lsp_frame.h"
#include "serve/http/json_fields.h"

namespace zermelo::serve::lsp {

using core::Cancellation;
using core::ErrorCode;
using core::Fail;
using core::Task;
using nlohmann::json;

namespace {

class Session {
 public:
  Session(const core::Executor& executor, Projects& projects, mcp::ProofJobs& jobs,
          ServerOptions options, int in, int out, StreamLimits limits)
      : frames_(limits.message_bytes),
        in_(executor, in),
        outbox_(executor, out, limits, [this] { End(); }),
        server_(executor, projects, jobs, std::move(options), [this](const json& message) {
          outbox_.Send(lean::EncodeFrame(core::Dump(message)));
        }) {}

  Task<core::Status> Run(Cancellation& stop) {
    const Cancellation::Subscription stopped(stop, [this] { End(); });
    core::Status read;
    while (!ended_ && read && !server_.exited()) {
      const std::string bytes = co_await in_.Read();
      if (bytes.empty()) break;
      frames_.Feed(bytes);
      read = ReceiveAll();
      while (!ended_ && outbox_.full()) co_await outbox_.Written();
    }
    End();
    co_await server_.Close();
    co_await outbox_.Finish();
    if (!read) co_return read;
    if (server_.shut_down() || stop.requested()) co_return core::Status();
    co_return Fail(ErrorCode::kCrashed, "the editor disconnected without a shutdown request");
  }

 private:
  /// Stops reading.
  void End() {
    ended_ = true;
    in_.Cancel();
    outbox_.Wake();
  }

  /// Handles the messages that are complete.
  core::Status ReceiveAll() {
    while (!server_.exited()) {
      auto frame = frames_.Next();
      if (!frame) return Fail(ErrorCode::kCrashed, "the input is " + frame.error().message);
      if (!*frame) break;
      auto message = ReadMessage(**frame);
      if (message) {
        server_.Receive(*message);
      } else {
        server_.Refuse(message.error());
      }
    }
    return {};
  }

  lean::FrameParser frames_;
  Stream in_;
  Outbox outbox_;
  Server server_;
  bool ended_ = false;  // reading has stopped
};

}  // namespace

Task<core::Status> ServeStdio(Projects& projects, mcp::ProofJobs& jobs, ServerOptions options,
                              int in, int out, StreamLimits limits, Cancellation& stop) {
  Session session(co_await boost::asio::this_coro::executor, projects, jobs, std::move(options), in,
                  out, limits);
  co_return co_await session.Run(stop);
}

}  // namespace zermelo::serve::lsp
