#include "lean/states/state_process.h"

#include <nlohmann/json.hpp>

namespace zermelo::lean {

using core::Deadline;
using core::ErrorCode;
using core::Fail;
using core::Result;
using core::Task;
using nlohmann::json;

namespace {

constexpr core::Duration kLookAgain = std::chrono::milliseconds(100);

// g++ 12 cannot compile braced lists inside coroutines, so parameters are made by plain functions.

json OpenParams(const StateHole& hole) { return {{"text", hole.text}, {"at", hole.byte}}; }
json FreeParams(StateNumber state) { return {{"state", state}}; }
json CancelParams(int64_t request) { return {{"id", request}}; }

}  // namespace

Result<std::shared_ptr<StateProcess>> StateProcess::Start(const core::Executor& executor,
                                                          const core::SubprocessOptions& command,
                                                          const StateServerOptions& options) {
  auto lean = LspConnection::Start(executor, command, options.standstill,
                                   [](const std::string&, const json&) {});
  if (!lean) return Fail(lean.error());
  return std::shared_ptr<StateProcess>(new StateProcess(std::move(*lean), options, nullptr));
}

Result<std::shared_ptr<StateProcess>> StateProcess::StartElsewhere(
    const core::Executor& executor, std::shared_ptr<remote::FarSide> far_side,
    const StateServerOptions& options) {
  auto lean = LspConnection::Start(
      executor, far_side->Command(), options.standstill,
      [weak = std::weak_ptr(far_side)](const std::string& method, const json& params) {
        if (const auto alive = weak.lock()) alive->Hear(method, params);
      });
  if (!lean) return Fail(lean.error());
  far_side->Begin(*lean);
  return std::shared_ptr<StateProcess>(
      new StateProcess(std::move(*lean), options, std::move(far_side)));
}

Task<Result<json>> StateProcess::Ask(std::string_view method, json params, core::Duration limit,
                                     core::Cancellation* cancellation) {
  const auto lean = lean_;
  const uint64_t most = options_.max_resident_bytes;
  core::ScheduledTime had(lean->usage());
  const auto to_send = Deadline::After(limit * core::ScheduledTime::kMostSlowedDown);
  const auto asked = co_await lean->Ask(method, std::move(params), to_send);
  if (!asked) co_return Fail(lean->Crash("it does not read its input"));
  const auto watched = lean->Watched();
  const core::Cancellation::Subscription cancel(cancellation, [&] {
    const auto id = lean->IdOf(asked);
    if (id) lean->SendIgnoringReply("cancel", CancelParams(*id));
  });
  for (;;) {
    auto answer = co_await asked->Wait(Deadline::After(kLookAgain));
    if (answer) {
      if (cancellation != nullptr && cancellation->requested()) {
        co_return Fail(ErrorCode::kCancelled, "the run was cancelled");
      }
      if (*answer || (*answer).error().code != ErrorCode::kInternal) co_return std::move(*answer);
      co_return Fail(ErrorCode::kInput, (*answer).error().message);
    }
    lean->DieAbove(most);
    if (lean->alive() && had.Exceeds(limit)) lean->Die("it did not answer in time");
  }
}

Task<Result<std::shared_ptr<const StateProcess::Hole>>> StateProcess::Open(const StateHole& hole) {
  co_await MakeRoom();
  const auto answer = co_await Ask("open", OpenParams(hole), options_.open_limit);
  if (!answer) co_return Fail(answer.error());
  auto opened = ParseOpenedHole(*answer);
  if (!opened) {
    Kill(opened.error().message);
    co_return Fail(opened.error());
  }
  const auto kept = std::make_shared<Hole>(std::move(*opened), ++uses_);
  holes_[hole] = kept;
  co_return kept;
}

std::shared_ptr<const StateProcess::Hole> StateProcess::Find(const StateHole& hole) {
  const auto found = holes_.find(hole);
  if (found == holes_.end()) return nullptr;
  found->second->last_use = ++uses_;
  return found->second;
}

std::shared_ptr<const StateProcess::Hole> StateProcess::Forget(const StateHole& hole) {
  const auto found = holes_.extract(hole);
  return found.empty() ? nullptr : found.mapped();
}

Task<void> StateProcess::Free(const Hole& hole) {
  co_await Ask("free", FreeParams(hole.state), options_.open_limit);
}

/// So that one more makes max_holes.
Task<void> StateProcess::MakeRoom() {
  while (alive() && holes_.size() >= options_.max_holes) {
    auto oldest = holes_.end();
    for (auto at = holes_.begin(); at != holes_.end(); ++at) {
      const bool in_use = at->second.use_count() > 1;
      const bool older = oldest == holes_.end() || at->second->last_use < oldest->second->last_use;
      if (!in_use && older) oldest = at;
    }
    if (oldest == holes_.end()) co_return;
    const auto freed = std::move(oldest->second);
    holes_.erase(oldest);
    co_await Free(*freed);
  }
}

}  // namespace zermelo::lean
