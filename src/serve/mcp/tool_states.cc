#include "serve/mcp/tool_states.h"

namespace zermelo::serve::mcp {

using core::Deadline;
using core::Task;

namespace {

constexpr auto kPatience = std::chrono::seconds(5);  // for a place
constexpr auto kKept = std::chrono::minutes(5);      // without a call

}  // namespace

ToolStates::ToolStates(core::Executor executor, lean::Pool& pool)
    : executor_(std::move(executor)), pool_(pool), tasks_(executor_), idle_(executor_) {}

ToolStates::Server ToolStates::For(const lean::WorkerSetup& setup,
                                   const std::vector<std::string>& imports) {
  if (claims_ > 0 || starting_ || closing_.requested() || pool_.size_here() < 2) return nullptr;
  if (server_.use_count() > 1) return nullptr;
  const auto seen = imports_.find(imports);
  const bool rebuilt = seen != imports_.end() && seen->second != setup.imports;
  if (toolchain_ != setup.toolchain || rebuilt) Stop();
  if (failed_ && toolchain_ == setup.toolchain) return nullptr;
  if (server_) {
    StopWhenIdle();
    imports_[imports] = setup.imports;
    return server_->ready() != nullptr ? server_ : nullptr;
  }
  starting_ = true;
  tasks_.Spawn(Start(setup.toolchain));
  return nullptr;
}

Task<void> ToolStates::Start(std::shared_ptr<const lean::Toolchain> toolchain) {
  auto place = co_await pool_.Reserve(1, Deadline::After(kPatience), &closing_);
  starting_ = false;
  if (!place || claims_ > 0 || closing_.requested()) co_return;
  place_ = std::move(*place);
  toolchain_ = std::move(toolchain);
  failed_ = false;
  lean::PoolOptions here = pool_.options();
  here.places.clear();
  const Server server =
      std::make_shared<lean::LateStateServer>(executor_, *toolchain_, lean::ForSearch(1, here));
  server_ = server;
  server->Begin();
  StopWhenIdle();
  co_await server->Join();
  if (server_ != server || server->ready() != nullptr) co_return;
  Stop();
  failed_ = true;
}

void ToolStates::Stop() {
  idle_.cancel();
  imports_.clear();
  if (server_) {
    server_->Close();
    tasks_.Spawn(End(std::move(server_)));
  }
  server_.reset();
  place_.reset();
}

void ToolStates::StopWhenIdle() {
  idle_.expires_after(kKept);
  idle_.async_wait([this](const boost::system::error_code& cancelled) {
    if (cancelled) return;
    if (server_.use_count() > 1) return StopWhenIdle();
    Stop();
  });
}

std::shared_ptr<void> ToolStates::ClaimPlace() {
  ++claims_;
  Stop();
  return {this, [](ToolStates* states) { --states->claims_; }};
}

Task<void> ToolStates::Close() {
  closing_.Request();
  Stop();
  co_await tasks_.Join();
}

}  // namespace zermelo::serve::mcp
