#include "lean/lsp/lsp_connection.h"

#include <algorithm>
#include <csignal>
#include <optional>
#include <utility>

#include "core/json.h"
#include "lean/lsp/lsp_frame.h"

namespace zermelo::lean {

using core::Deadline;
using core::ErrorCode;
using core::Fail;
using core::Result;
using core::Task;
using nlohmann::json;

namespace {

constexpr size_t kStderrTail = 2000;
constexpr auto kLastWords = std::chrono::milliseconds(500);
constexpr auto kLauncherEnds = std::chrono::seconds(2);
constexpr auto kDetached = std::chrono::seconds(10);  // for messages sent in the background

// g++ 12 cannot compile braced lists inside coroutines, so messages are made by plain functions.

std::string RequestMessage(int64_t id, std::string_view method, json params) {
  return json{{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", std::move(params)}}
      .dump();
}

std::string NotificationMessage(std::string_view method, json params) {
  return json{{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}}.dump();
}

}  // namespace

LspConnection::LspConnection(core::Executor executor, std::unique_ptr<core::Subprocess> process,
                             core::Duration standstill, Listener listener)
    : executor_(std::move(executor)),
      process_(std::move(process)),
      standstill_(standstill),
      listener_(std::move(listener)),
      stderr_ended_(executor_) {}

Result<std::shared_ptr<LspConnection>> LspConnection::Start(const core::Executor& executor,
                                                            const core::SubprocessOptions& command,
                                                            core::Duration standstill,
                                                            Listener listener) {
  auto process = core::Subprocess::Start(executor, command);
  if (!process) return Fail(process.error());
  std::shared_ptr<LspConnection> connection(
      new LspConnection(executor, std::move(*process), standstill, std::move(listener)));
  core::Launch(executor, ReadOutput(connection));
  core::Launch(executor, ReadErrors(connection));
  return connection;
}

// ---- requests

Task<std::shared_ptr<LspConnection::Answer>> LspConnection::Ask(std::string_view method,
                                                                json params, Deadline deadline) {
  const int64_t id = next_id_++;
  auto answer = std::make_shared<Answer>(executor_);
  pending_.emplace(id, answer);
  if (!co_await Send(RequestMessage(id, method, std::move(params)), deadline)) co_return nullptr;
  co_return answer;
}

Task<Result<json>> LspConnection::Request(std::string_view method, json params, Deadline deadline) {
  const auto answer = co_await Ask(method, std::move(params), deadline);
  if (!answer) co_return Fail(NotSent(deadline));
  const auto watched = Watched();
  auto result = co_await answer->Wait(deadline);
  if (!result) co_return Fail(ErrorCode::kTimeout, "Lean did not answer in time");
  co_return std::move(*result);
}

Task<bool> LspConnection::Notify(std::string_view method, json params, Deadline deadline) {
  co_return co_await Send(NotificationMessage(method, std::move(params)), deadline);
}

void LspConnection::SendIgnoringReply(std::string_view method, json params) {
  const int64_t id = next_id_++;
  core::Launch(executor_,
               SendDetached(shared_from_this(), RequestMessage(id, method, std::move(params))));
}

std::shared_ptr<LspConnection::Answer> LspConnection::TakeOver(
    const std::shared_ptr<Answer>& asked) {
  const auto found =
      std::ranges::find_if(pending_, [&](const auto& entry) { return entry.second == asked; });
  if (found == pending_.end()) return nullptr;
  found->second = std::make_shared<Answer>(executor_);
  return found->second;
}

std::optional<int64_t> LspConnection::IdOf(const std::shared_ptr<Answer>& asked) const {
  for (const auto& [id, answer] : pending_) {
    if (answer == asked) return id;
  }
  return std::nullopt;
}

Task<void> LspConnection::SendDetached(std::shared_ptr<LspConnection> self, std::string body) {
  co_await self->Send(std::move(body), Deadline::After(kDetached));
}

Task<bool> LspConnection::Send(std::string body, Deadline deadline) {
  const auto self = shared_from_this();
  if (writing_) {
    auto turn = std::make_shared<core::OneShot<bool>>(executor_);
    writers_.push_back(turn);
    co_await turn->Wait(Deadline());  // the previous writer has a deadline
  }
  writing_ = true;
  const std::string frame = EncodeFrame(body);
  bool sent = false;
  if (alive_) sent = co_await process_->Write(frame, deadline);
  writing_ = false;
  if (!writers_.empty()) {
    writing_ = true;
    writers_.front()->Set(true);
    writers_.pop_front();
  }
  if (!sent) {
    const Deadline last_words = deadline.Earlier(Deadline::After(kLastWords));
    co_await stderr_ended_.Wait(last_words);
    Break("writing to its input failed");
  }
  co_return sent;
}

// ---- incoming messages

Task<void> LspConnection::ReadOutput(std::shared_ptr<LspConnection> self) {
  FrameParser frames;
  while (self->alive_) {
    const std::string bytes = co_await self->process_->Read(core::Subprocess::Stream::kOut);
    if (bytes.empty()) {
      // The last output on stderr may not have been read yet.
      co_await self->stderr_ended_.Wait(Deadline::After(kLastWords));
      co_return self->Break("it closed its output");
    }
    self->heard_ = core::Clock::now();
    frames.Feed(bytes);
    for (;;) {
      auto frame = frames.Next();
      if (!frame) co_return self->Die("its output is " + frame.error().message);
      const std::optional<std::string> body = std::move(*frame);
      if (!body) break;
      const auto message = core::JsonOrDiscarded(*body);
      if (message.is_discarded()) co_return self->Die("it sent a frame that is not JSON");
      try {
        self->Dispatch(message);
      } catch (const json::exception& e) {
        co_return self->Die(std::string("it sent an unexpected message: ") + e.what());
      }
    }
  }
}

Task<void> LspConnection::ReadErrors(std::shared_ptr<LspConnection> self) {
  for (;;) {
    const std::string bytes = co_await self->process_->Read(core::Subprocess::Stream::kErr);
    if (bytes.empty()) co_return self->stderr_ended_.Set(true);
    self->stderr_tail_ += bytes;
    if (self->stderr_tail_.size() > kStderrTail) {
      self->stderr_tail_.erase(0, self->stderr_tail_.size() - kStderrTail);
    }
  }
}

void LspConnection::Dispatch(const json& message) {
  const auto method = message.find("method");
  if (method == message.end()) return Answered(message);
  if (message.contains("id")) {
    // Lean's own requests (refresh of tokens and hints) need a reply, whatever it says.
    const json reply{{"jsonrpc", "2.0"}, {"id", message.at("id")}, {"result", nullptr}};
    core::Launch(executor_, SendDetached(shared_from_this(), reply.dump()));
    return;
  }
  listener_(method->get<std::string>(), message.value("params", json()));
}

void LspConnection::Answered(const json& message) {
  const auto& id = message.at("id");
  if (!id.is_number_integer()) return;
  const auto found = pending_.find(id.get<int64_t>());
  if (found == pending_.end()) return;  // the caller gave up
  const auto answer = found->second;
  pending_.erase(found);
  if (const auto error = message.find("error"); error != message.end()) {
    answer->Set(Fail(ErrorCode::kInternal, "Lean refused a request: " + error->dump()));
  } else {
    answer->Set(message.value("result", json()));
  }
}

remote::ReportedUsage& LspConnection::Reported() {
  if (!reported_) reported_ = std::make_unique<remote::ReportedUsage>();
  return *reported_;
}

// ---- termination

void LspConnection::Die(const std::string& why) {
  if (!alive_) return;
  alive_ = false;
  end_ = WithStderr(why);
  if (reported_) {
    core::Launch(executor_, EndLauncher(shared_from_this()));
  } else {
    process_->Kill();
  }
  // A resumed caller may start new requests, so take the table first.
  const auto waiting = std::exchange(pending_, {});
  for (const auto& [id, answer] : waiting) answer->Set(Fail(Crash(why)));
}

/// A launcher gets a moment to end what it has started elsewhere.
Task<void> LspConnection::EndLauncher(std::shared_ptr<LspConnection> self) {
  self->process_->CloseInput();
  ::kill(-self->process_->pid(), SIGTERM);  // not reaped before Wait, so it is still the launcher's
  co_await self->process_->Wait(Deadline::After(kLauncherEnds));
  self->process_->Kill();
}

void LspConnection::Break(const std::string& why) {
  broken_ |= alive_;
  Die(why);
}

void LspConnection::DieAbove(uint64_t resident_bytes) {
  const uint64_t bytes = usage().ResidentBytes();
  if (bytes <= resident_bytes) return;
  Die("it used " + std::to_string(bytes >> 20U) + " MiB of memory, over the limit of " +
      std::to_string(resident_bytes >> 20U) + " MiB");
}

core::StandstillGuard LspConnection::Watched() {
  return {executor_, usage(), standstill_,
          [this] { Die("it hung (almost no processor time used)"); }};
}

core::Error LspConnection::Crash(const std::string& why) const {
  return {.code = ErrorCode::kCrashed, .message = "Lean crashed: " + WithStderr(why)};
}

std::string LspConnection::WithStderr(const std::string& why) const {
  return stderr_tail_.empty() ? why : why + "; end of stderr: " + stderr_tail_;
}

core::Error LspConnection::NotSent(Deadline deadline) const {
  if (!deadline.Passed()) return Crash("writing to its input failed");
  return {.code = ErrorCode::kTimeout, .message = "Lean did not read its input in time"};
}

}  // namespace zermelo::lean
