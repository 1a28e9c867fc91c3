#include "serve/remote/worker_host.h"

#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>
#include <optional>
#include <unistd.h>

#include "core/json.h"
#include "core/process/subprocess.h"
#include "lean/lsp/lsp_frame.h"
#include "lean/states/state_server.h"
#include "serve/rpc/stream.h"

namespace zermelo::serve {

namespace fs = std::filesystem;
namespace remote = lean::remote;
using core::Deadline;
using core::ErrorCode;
using core::Fail;
using core::Result;
using core::Subprocess;
using core::Task;
using nlohmann::json;

namespace {

constexpr size_t kStderrTail = 2000;

std::string HostName() {
  std::string name(256, '\0');
  if (::gethostname(name.data(), name.size() - 1) != 0) return "";
  return name.c_str();
}

StreamLimits Limits(core::Duration abandoned) {
  StreamLimits limits;
  limits.write_time = abandoned;
  return limits;
}

json Message(const std::string& text) { return {{"message", text}}; }

class Host {
 public:
  Host(const core::Executor& executor, WorkerHostOptions options, int in, int out)
      : executor_(executor),
        options_(std::move(options)),
        in_(executor, in),
        outbox_(executor, out, Limits(options_.abandoned), [this] { Stop(); }),
        ended_(executor),
        tasks_(executor) {}

  Task<bool> Run() {
    bool served = false;
    try {
      served = co_await Serve();
    } catch (const std::exception& error) {
      Refuse({.code = ErrorCode::kInternal, .message = error.what()});
      Stop();
    }
    co_await tasks_.Join();
    co_await outbox_.Finish();
    co_return served;
  }

 private:
  Task<bool> Serve() {
    const auto first = co_await NextFrame();
    if (!first) co_return false;
    const auto order = ReadOrder(*first);
    if (!order) co_return Refuse(order.error());
    auto toolchain = co_await options_.find_lean(*order);
    if (toolchain) {
      if (auto same = IsAsOrdered(*toolchain, *order); !same) toolchain = Fail(same.error());
    }
    if (!toolchain) co_return Refuse(toolchain.error());
    const std::string uri = lean::FileUri(toolchain->document_folder / "Zermelo.lean");
    auto started = StartLean(*toolchain, *order, uri);
    if (!started) co_return Refuse(started.error());
    lean_ = std::move(*started);
    Say(remote::kReady, ReadyMessage(*toolchain, uri));
    const auto shared = std::make_shared<const lean::Toolchain>(std::move(*toolchain));
    tasks_.Spawn(ReadLean());
    tasks_.Spawn(lean_->ReadAll(Subprocess::Stream::kErr, stderr_, kStderrTail));
    tasks_.Spawn(ReportUsage(order->max_resident_bytes));
    tasks_.Spawn(SayImports(shared, order->imports));
    co_await PassOnInput();
    Stop();
    co_return true;
  }

  Result<std::unique_ptr<Subprocess>> StartLean(const lean::Toolchain& toolchain,
                                                const remote::Order& order,
                                                const std::string& uri) {
    if (!order.states) {
      return Subprocess::Start(executor_, lean::WorkerCommand(toolchain, order.skip_kernel, uri));
    }
    auto program = lean::StateProgram::Write();
    if (!program) return Fail(program.error());
    states_.emplace(std::move(*program));
    return Subprocess::Start(executor_, states_->Command(toolchain));
  }

  static json ReadyMessage(const lean::Toolchain& toolchain, const std::string& uri) {
    return remote::Ready{.host = HostName(), .uri = uri, .confined = toolchain.sandbox.has_value()};
  }

  static Result<remote::Order> ReadOrder(const std::string& body) {
    const auto message = core::JsonOrDiscarded(body);
    try {
      if (message.is_object() && message.value("method", "") == remote::kStart) {
        auto order = message.at("params").get<remote::Order>();
        if (order.protocol == remote::kProtocol) return order;
      }
    } catch (const json::exception&) {  // from another version
    }
    return Fail(ErrorCode::kEnvironment, "it has another version of Zermelo");
  }

  static core::Status IsAsOrdered(const lean::Toolchain& there, const remote::Order& order) {
    const bool same_commit =
        order.commit.empty() || there.commit.empty() || order.commit == there.commit;
    if (there.version != order.version || !same_commit) {
      return Fail(ErrorCode::kEnvironment,
                  fmt::format("it has Lean {} ({}), not {} ({})", there.version, there.commit,
                              order.version, order.commit));
    }
    if (order.confined && !there.sandbox) {
      return Fail(ErrorCode::kEnvironment, "its Lean does not run in a sandbox");
    }
    return {};
  }

  bool Refuse(const core::Error& error) {
    Say(remote::kRefused,
        Message(error.hint.empty() ? error.message : error.message + "; " + error.hint));
    return false;
  }

  void Say(const char* method, json params) { Send(remote::Body(method, std::move(params))); }

  /// Slurm keeps output back until a line ends.
  void Send(const std::string& body) { outbox_.Send(lean::EncodeFrame(body + "\n")); }

  /// The next frame of the near side; nullopt when it is gone.
  Task<std::optional<std::string>> NextFrame() {
    for (;;) {
      auto frame = frames_.Next();
      if (!frame || stopped_) co_return std::nullopt;
      if (*frame) co_return std::move(**frame);
      const core::DeadlineGuard guard(executor_, Deadline::After(options_.abandoned),
                                      [this] { in_.Cancel(); });
      const std::string bytes = co_await in_.Read();
      if (bytes.empty()) co_return std::nullopt;
      frames_.Feed(bytes);
    }
  }

  Task<void> PassOnInput() {
    const std::string alive = remote::Body(remote::kAlive, json::object());
    for (;;) {
      const auto body = co_await NextFrame();
      if (!body) co_return;
      if (*body == alive) continue;
      const std::string frame = lean::EncodeFrame(*body);
      // A Lean that does not read is the near side's to judge.
      if (!co_await lean_->Write(frame, Deadline::After(options_.abandoned))) co_return;
    }
  }

  /// A message in the far side's own words: a text that Lean elaborates may print one.
  static bool IsOurs(const std::string& body) {
    const json message = core::JsonOrDiscarded(body);
    const auto method = message.is_object() ? message.find("method") : message.end();
    return method != message.end() && method->is_string() &&
           method->get_ref<const std::string&>().starts_with(remote::kOwnMethods);
  }

  Task<void> ReadLean() {
    lean::FrameParser frames;
    std::string why;
    while (why.empty()) {
      while (outbox_.full() && !stopped_) co_await outbox_.Written();
      const std::string bytes = co_await lean_->Read(Subprocess::Stream::kOut);
      if (bytes.empty()) break;
      frames.Feed(bytes);
      for (;;) {
        auto body = frames.Next();
        if (!body) why = "its output is " + body.error().message;
        if (!body || !*body) break;
        if (!IsOurs(**body)) Send(**body);
      }
    }
    co_await LeanEnded(why);
  }

  Task<void> LeanEnded(std::string why) {
    if (!too_large_.empty()) why = too_large_;
    if (why.empty()) {
      const auto status = co_await lean_->Wait(Deadline::After(std::chrono::seconds(1)));
      why = status ? "it ended with " + status->ToString() : "it closed its output";
    }
    if (!stderr_.empty()) why += "; end of stderr: " + stderr_;
    if (!stopped_) Say(remote::kEnded, Message(why));
    Stop();
  }

  Task<void> ReportUsage(uint64_t most) {
    while (!stopped_) {
      co_await ended_.Wait(Deadline::After(remote::kUsagePeriod));
      if (stopped_) co_return;
      const uint64_t resident = lean_->ResidentBytes();
      if (most > 0 && resident > most) {
        too_large_ = fmt::format("it used {} MiB of memory, over the limit of {} MiB",
                                 resident >> 20U, most >> 20U);
        co_return lean_->Kill();
      }
      if (!outbox_.full()) Say(remote::kUsage, remote::UsageReport(*lean_));
    }
  }

  Task<void> SayImports(std::shared_ptr<const lean::Toolchain> toolchain,
                        std::vector<std::string> imports) {
    const auto fingerprint = co_await options_.fingerprint(toolchain, std::move(imports));
    if (!stopped_) Say(remote::kImports, json{{"fingerprint", fingerprint}});
  }

  /// Ends Lean and all waits.
  void Stop() {
    stopped_ = true;
    if (lean_) lean_->Kill();
    in_.Cancel();
    ended_.Notify();
    outbox_.Wake();
  }

  const core::Executor executor_;
  const WorkerHostOptions options_;
  Stream in_;
  Outbox outbox_;
  lean::FrameParser frames_;  // of the near side
  std::optional<lean::StateProgram> states_;
  std::unique_ptr<Subprocess> lean_;
  std::string stderr_;
  std::string too_large_;
  bool stopped_ = false;
  core::Signal ended_;
  core::TaskGroup tasks_;
};

}  // namespace

Task<bool> HostWorker(WorkerHostOptions options, int in, int out) {
  Host host(co_await boost::asio::this_coro::executor, std::move(options), in, out);
  co_return co_await host.Run();
}

}  // namespace zermelo::serve
