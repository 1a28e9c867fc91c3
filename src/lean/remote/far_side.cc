#include "lean/remote/far_side.h"

#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace zermelo::lean::remote {

using core::Clock;
using core::Deadline;
using core::ErrorCode;
using core::Fail;
using core::Task;
using nlohmann::json;

namespace {

constexpr auto kLook = std::chrono::milliseconds(250);
constexpr auto kQuiet = std::chrono::seconds(2);  // four reports
// After a longer pause of Watch, this program itself was busy.
constexpr auto kBlocked = std::chrono::seconds(1);

core::Error CancelledThere() {
  return {.code = ErrorCode::kCancelled, .message = "the check was cancelled"};
}

core::Error NotReady() {
  return {.code = ErrorCode::kTimeout, .message = "the worker elsewhere was not ready in time"};
}

}  // namespace

FarSide::FarSide(core::Executor executor, std::shared_ptr<const Place> place,
                 std::shared_ptr<const Toolchain> toolchain, Order order)
    : executor_(std::move(executor)),
      place_(std::move(place)),
      toolchain_(std::move(toolchain)),
      order_(std::move(order)),
      changed_(executor_) {}

core::SubprocessOptions FarSide::Command() const {
  core::SubprocessOptions command;
  command.argv.emplace_back("/usr/bin/env");  // finds the launcher on PATH
  command.argv.insert(command.argv.end(), place_->launch.begin(), place_->launch.end());
  command.argv.push_back(place_->program);
  command.argv.emplace_back("worker");
  return command;
}

void FarSide::Begin(const std::shared_ptr<LspConnection>& lean) {
  lean_ = lean;
  lean_->Reported();
  core::Launch(executor_, SendOrder(shared_from_this()));
  core::Launch(executor_, Watch(weak_from_this()));
}

Task<void> FarSide::SendOrder(std::shared_ptr<FarSide> self) {
  co_await self->lean_->Notify(kStart, json(self->order_), Deadline::After(self->place_->connect));
}

/// Sends signs of life to the far side, and treats it as lost when none arrive from there.
Task<void> FarSide::Watch(std::weak_ptr<FarSide> weak) {
  boost::asio::steady_timer soon(co_await boost::asio::this_coro::executor);
  for (;;) {
    if (const auto self = weak.lock(); self) {
      co_await self->Look();
      if (!self->lean_->alive()) co_return self->changed_.Notify();
    } else {
      co_return;
    }
    soon.expires_after(kLook);  // without keeping the worker
    co_await soon.async_wait(boost::asio::use_awaitable);
  }
}

Task<void> FarSide::Look() {
  const auto now = Clock::now();
  GiveUpWhenSilent(now);
  looked_ = now;
  if (!ready_ || !lean_->alive() || now - told_ < kAlivePeriod) co_return;
  told_ = now;
  co_await lean_->Notify(kAlive, json::object(), Deadline::After(place_->silence));
}

void FarSide::GiveUpWhenSilent(Clock::time_point now) {
  if (!lean_->alive() || now - looked_ > kBlocked) return;  // what it said may still be unread
  const auto limit = ready_ ? place_->silence : place_->connect;
  if (now - (ready_ ? lean_->heard() : began_) <= limit) return;
  silent_ = true;
  const auto seconds = std::to_string(static_cast<int>(core::Seconds(limit)));
  lean_->Die(ready_ ? "nothing was heard from it for " + seconds + " s"
                    : "it was not ready within " + seconds + " s");
}

bool FarSide::Hear(const std::string& method, const json& params) {
  if (!method.starts_with(kOwnMethods)) return false;
  if (method == kUsage) {
    lean_->Reported().Update(params);
  } else if (method == kReady) {
    ready_ = params.get<Ready>();
  } else if (method == kRefused) {
    Refuse(params.at("message").get<std::string>());
  } else if (method == kImports) {
    imports_ = params.at("fingerprint").get<std::string>();
  } else if (method == kEnded) {
    lean_ended_ = true;
    lean_->Die(params.at("message").get<std::string>());
  }
  changed_.Notify();
  return true;
}

void FarSide::Refuse(const std::string& why) {
  if (!refusal_) refusal_ = why;
  lean_->Die(why);
}

Task<core::Status> FarSide::WaitUntilReady(Deadline deadline, core::Cancellation* cancellation) {
  const auto self = shared_from_this();
  const core::Cancellation::Subscription wake(cancellation, [self] { self->changed_.Notify(); });
  while (!ready_ && lean_->alive() && !deadline.Passed()) {
    if (cancellation != nullptr && cancellation->requested()) co_return Fail(CancelledThere());
    co_await changed_.Wait(deadline);
  }
  if (!lean_->alive()) co_return Fails();
  if (!ready_) co_return Fail(NotReady());
  co_return core::Status();
}

Task<core::Status> FarSide::Confirm(Deadline deadline, core::Cancellation* cancellation) {
  const auto self = shared_from_this();
  if (confirmed_ || !place_->fingerprint) co_return core::Status();
  // On its own, since it can take longer than this check may wait.
  if (!std::exchange(hashing_, true)) core::Launch(executor_, HashHere(self));
  const core::Cancellation::Subscription wake(cancellation, [self] { self->changed_.Notify(); });
  while ((!imports_ || !here_) && lean_->alive() && !deadline.Passed()) {
    if (cancellation != nullptr && cancellation->requested()) co_return Fail(CancelledThere());
    co_await changed_.Wait(deadline);
  }
  if (!lean_->alive()) co_return Fails();
  if (!imports_ || !here_) co_return Fail(NotReady());
  if (*imports_ != *here_ || here_->starts_with(remote::kUnreadable))
    Refuse("its compiled imports differ from those here");
  if (refusal_) co_return Fails();
  confirmed_ = true;
  co_return core::Status();
}

Task<void> FarSide::HashHere(std::shared_ptr<FarSide> self) {
  self->here_ = co_await self->place_->fingerprint(self->toolchain_, self->order_.imports);
  self->changed_.Notify();
}

std::optional<Failure> FarSide::failure() const {
  if (refusal_) return Failure{.refused = true, .why = place_->name + ": " + *refusal_};
  if (lean_ended_ || lean_ == nullptr || lean_->alive()) return std::nullopt;
  if (!silent_ && !lean_->broken()) return std::nullopt;
  return Failure{.refused = false, .why = place_->name + ": " + lean_->end()};
}

core::Status FarSide::Fails() const {
  const auto failed = failure();
  if (failed) return Fail(ErrorCode::kEnvironment, failed->why);
  return Fail(lean_->Crash("it is not running"));
}

void FarSide::GiveUp(const std::string& why) {
  silent_ = true;
  lean_->Die(why);
}

Order OrderFor(const Place& place, const Toolchain& toolchain, bool own_project,
               const WorkerOptions& options, std::vector<std::string> imports) {
  Order order;
  order.project = toolchain.project.string();
  if (own_project && !place.project.empty()) order.project = place.project.string();
  order.lean = place.lean.string();
  order.version = toolchain.version;
  order.commit = toolchain.commit;
  order.confined = toolchain.sandbox.has_value();
  order.skip_kernel = options.skip_kernel;
  order.max_resident_bytes = options.max_resident_bytes;
  order.imports = std::move(imports);
  return order;
}

bool FarSide::Quiet() const {
  const auto now = Clock::now();
  return ready_ && now - looked_ <= kBlocked && now - lean_->heard() > kQuiet;
}

}  // namespace zermelo::lean::remote
