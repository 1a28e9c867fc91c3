// A state server that starts in the background.
#pragma once

#include <memory>
#include <string_view>

#include "lean/states/state_server.h"

namespace zermelo::lean {

/// Whether the state server has been compared with the language server on this version of Lean.
bool HasTriedStates(std::string_view version);

/// Its start is not waited for: until it is ready, Try returns nullopt. It must be closed before it
/// is destroyed.
class LateStateServer : public TacticRunner {
 public:
  LateStateServer(core::Executor executor, Toolchain toolchain, StateServerOptions options);

  /// Starts it, unless it has been started. Try does this, too.
  void Begin();
  /// kEnvironment if it could not be started.
  core::Task<core::Result<std::optional<std::vector<ProbeResult>>>> Try(Trials trials) override;
  /// Stops it; its runs end with an error.
  void Close();
  /// Returns when all its tasks have ended; call after Close.
  core::Task<void> Join() { co_await starting_.Join(); }

 private:
  enum class Phase { kNotBegun, kStarting, kReady, kFailed };

  core::Task<void> Start();

  const core::Executor executor_;
  const Toolchain toolchain_;
  const StateServerOptions options_;
  core::TaskGroup starting_;
  Phase phase_ = Phase::kNotBegun;
  std::unique_ptr<StateServer> server_;  // from kStarting on
  core::Error failure_;                  // kFailed: why
};

}  // namespace zermelo::lean
