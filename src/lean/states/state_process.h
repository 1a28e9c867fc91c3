// A Lean process that keeps proof states (state_server.lean), and the holes that it has opened.
#pragma once

#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "core/async.h"
#include "core/cancellation.h"
#include "core/error.h"
#include "lean/lsp/lsp_connection.h"
#include "lean/remote/far_side.h"
#include "lean/states/state_server.h"

namespace zermelo::lean {

/// Requests may overlap, as many as the process has threads; those of Open may not.
/// Single-threaded.
class StateProcess {
 public:
  /// A hole that is in use, since somebody else has it, too, is not freed.
  struct Hole : OpenedHole {
    uint64_t last_use = 0;
  };

  static core::Result<std::shared_ptr<StateProcess>> Start(const core::Executor& executor,
                                                           const core::SubprocessOptions& command,
                                                           const StateServerOptions& options);
  /// On another machine; it can be used once the far side is ready and confirmed.
  static core::Result<std::shared_ptr<StateProcess>> StartElsewhere(
      const core::Executor& executor, std::shared_ptr<remote::FarSide> far_side,
      const StateServerOptions& options);
  ~StateProcess() { lean_->Die("it was stopped"); }
  StateProcess(const StateProcess&) = delete;
  StateProcess& operator=(const StateProcess&) = delete;

  /// Kills a process that has not answered within `limit` or uses too much memory; its other
  /// requests then end, too. kInput when it refuses the request; kCrashed when it dies; kCancelled
  /// when it has heeded `cancellation`.
  core::Task<core::Result<nlohmann::json>> Ask(std::string_view method, nlohmann::json params,
                                               core::Duration limit,
                                               core::Cancellation* cancellation = nullptr);

  /// Opens a hole. Before, frees those that were used least recently and are not in use, if there
  /// are too many.
  core::Task<core::Result<std::shared_ptr<const Hole>>> Open(const StateHole& hole);
  /// An open hole; null if there is none.
  std::shared_ptr<const Hole> Find(const StateHole& hole);
  /// Find does not find it any more.
  std::shared_ptr<const Hole> Forget(const StateHole& hole);
  /// Frees the states of a hole that has been forgotten and is not in use.
  core::Task<void> Free(const Hole& hole);
  size_t holes() const { return holes_.size(); }

  void Kill(const std::string& why) { lean_->Die(why); }
  bool alive() const { return lean_->alive(); }
  uint64_t ResidentBytes() const { return lean_->usage().ResidentBytes(); }
  int pid() const { return lean_->process().pid(); }
  remote::FarSide* far_side() const { return far_side_.get(); }  // null: it is here
  const StateServerOptions& options() const { return options_; }

 private:
  StateProcess(std::shared_ptr<LspConnection> lean, const StateServerOptions& options,
               std::shared_ptr<remote::FarSide> far_side)
      : options_(options), lean_(std::move(lean)), far_side_(std::move(far_side)) {}
  core::Task<void> MakeRoom();

  const StateServerOptions options_;
  const std::shared_ptr<LspConnection> lean_;
  const std::shared_ptr<remote::FarSide> far_side_;
  std::map<StateHole, std::shared_ptr<Hole>> holes_;
  uint64_t uses_ = 0;  // of the holes, so far
};

}  // namespace zermelo::lean
