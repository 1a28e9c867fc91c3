#include "lean/states/late_state_server.h"

#include <algorithm>

namespace zermelo::lean {

using core::Fail;
using core::Result;
using core::Task;

namespace {

constexpr size_t kHolesOfSearch = 4;
constexpr size_t kThreadsOfProcess = 2;  // a fault of one repeats all

}  // namespace

StateServerOptions ForSearch(size_t runs, const PoolOptions& pool) {
  StateServerOptions options;
  options.processes = (runs + kThreadsOfProcess - 1) / kThreadsOfProcess;
  options.threads = runs;
  options.shares_holes = true;
  options.max_holes = kHolesOfSearch;
  options.max_resident_bytes = std::min(options.max_resident_bytes, pool.max_resident_bytes);
  options.places = pool.places;
  return options;
}

LateStateServer::LateStateServer(core::Executor executor, Toolchain toolchain,
                                 StateServerOptions options)
    : executor_(std::move(executor)),
      toolchain_(std::move(toolchain)),
      options_(std::move(options)),
      tasks_(executor_) {}

void LateStateServer::Begin() {
  if (phase_ != Phase::kNotBegun) return;
  phase_ = Phase::kStarting;
  tasks_.Spawn(Start());
}

Task<void> LateStateServer::Start() {
  if (phase_ != Phase::kStarting) co_return;  // closed meanwhile
  auto created = StateServer::Create(executor_, toolchain_, options_);
  core::Status tested = created ? core::Status() : Fail(created.error());
  if (created) {
    server_ = std::move(*created);
    tested = co_await server_->Test();
  }
  if (phase_ != Phase::kStarting) co_return;
  phase_ = tested ? Phase::kReady : Phase::kFailed;
  if (!tested) failure_ = tested.error();
  if (tested) co_await server_->StartAll();
}

Task<Result<std::optional<std::vector<ProbeResult>>>> LateStateServer::Try(Trials trials) {
  Begin();
  if (phase_ == Phase::kFailed) co_return Fail(failure_);
  if (phase_ != Phase::kReady) co_return std::nullopt;
  co_return co_await server_->Try(std::move(trials));
}

Task<Result<std::optional<StateRun>>> LateStateServer::RunNow(StateQuery query) {
  Begin();
  if (phase_ == Phase::kFailed) co_return Fail(failure_);
  if (phase_ != Phase::kReady) co_return std::nullopt;
  co_return co_await server_->RunNow(std::move(query));
}

void LateStateServer::Drop(StateHole hole) {
  if (phase_ == Phase::kReady) tasks_.Spawn(server_->Free(std::move(hole)));
}

Task<void> LateStateServer::Join() {
  co_await tasks_.Join();
  if (server_) co_await server_->Join();
}

void LateStateServer::Close() {
  phase_ = Phase::kFailed;
  failure_ = {.code = core::ErrorCode::kEnvironment, .message = "the state server is closed"};
  if (server_) server_->Close();
}

}  // namespace zermelo::lean
