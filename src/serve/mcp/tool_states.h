// The state server that tools share (docs/state-server.md).
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/async.h"
#include "core/cancellation.h"
#include "lean/pool.h"
#include "lean/states/late_state_server.h"

namespace zermelo::serve::mcp {

/// At most one state server, of the Lean that was used last. Its process takes the place of a
/// worker, and is stopped when it has not been used for a while or when the place is claimed.
/// Nothing waits for it. All calls on the executor's thread.
class ToolStates {
 public:
  /// `pool` must outlive this object; call Close before it is destroyed.
  ToolStates(core::Executor executor, lean::Pool& pool);

  /// The server for a text with these imports; who holds the pointer uses it alone. Null if it is
  /// not ready or in use; it is then started in the background, unless it cannot be, or would leave
  /// no worker. Its runs end with an error if it is stopped meanwhile.
  std::shared_ptr<lean::LateStateServer> For(const lean::WorkerSetup& setup,
                                             const std::vector<std::string>& imports);
  /// Stops the server and gives its place back. None is started while the result exists, which must
  /// not outlive this object.
  std::shared_ptr<void> ClaimPlace();
  /// Stops the server and waits for its end; none is started later.
  core::Task<void> Close();

 private:
  using Server = std::shared_ptr<lean::LateStateServer>;

  core::Task<void> Start(std::shared_ptr<const lean::Toolchain> toolchain);
  static core::Task<void> End(Server server) { co_await server->Join(); }
  void Stop();
  void StopWhenIdle();

  const core::Executor executor_;
  lean::Pool& pool_;
  core::TaskGroup tasks_;
  core::Cancellation closing_;
  size_t claims_ = 0;

  bool starting_ = false;
  std::shared_ptr<const lean::Toolchain> toolchain_;  // of the server, or of the last that failed
  std::unique_ptr<lean::Pool::Reservation> place_;
  Server server_;  // null: none, or it cannot be started
  bool failed_ = false;
  /// The state of the imports, by their names, of the texts that the server has seen.
  std::map<std::vector<std::string>, std::string> imports_;
  boost::asio::steady_timer idle_;
};

}  // namespace zermelo::serve::mcp
