// A state server that starts in the background.
#pragma once

#include <memory>

#include "lean/pool.h"
#include "lean/states/state_server.h"

namespace zermelo::lean {

/// For the states of a search: any free process runs a tactic, and each process keeps the states of
/// the few holes that it used last, since they take memory. `runs`: at a time here, two in each
/// process; besides, one for each worker of the pool's places. A process here may not use more
/// memory than a worker of the pool.
StateServerOptions ForSearch(size_t runs, const PoolOptions& pool = {});

/// Its start is not waited for: until it is ready, Try and RunNow return nullopt. It must be closed
/// before it is destroyed.
class LateStateServer : public StateRunner {
 public:
  LateStateServer(core::Executor executor, Toolchain toolchain, StateServerOptions options);

  /// Starts it, unless it has been started. Try and RunNow do this, too.
  void Begin();
  /// kEnvironment if it could not be started.
  core::Task<core::Result<std::optional<std::vector<ProbeResult>>>> Try(Trials trials) override;
  core::Task<core::Result<std::optional<StateRun>>> RunNow(StateQuery query) override;
  /// The server, for runs that must end before this object does; null while it is not ready, and
  /// when it could not be started or is closed.
  StateServer* ready() { return phase_ == Phase::kReady ? server_.get() : nullptr; }
  /// Frees the states of a hole, in the background.
  void Drop(StateHole hole);
  /// Stops it; its runs end with an error.
  void Close();
  /// Returns when all its tasks have ended; call after Close.
  core::Task<void> Join();

 private:
  enum class Phase { kNotBegun, kStarting, kReady, kFailed };

  core::Task<void> Start();

  const core::Executor executor_;
  const Toolchain toolchain_;
  const StateServerOptions options_;
  core::TaskGroup tasks_;
  Phase phase_ = Phase::kNotBegun;
  std::unique_ptr<StateServer> server_;  // from kStarting on
  core::Error failure_;                  // kFailed: why
};

}  // namespace zermelo::lean
