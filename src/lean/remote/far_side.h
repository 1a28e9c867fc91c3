// The near end of a worker on another machine: starts the far side, and watches the connection.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/cancellation.h"
#include "lean/lsp/lsp_connection.h"
#include "lean/remote/remote.h"
#include "lean/toolchain.h"
#include "lean/worker.h"

namespace zermelo::lean::remote {

/// The life of a far side, which only moves forward:
///
///     started ──► ready ──► confirmed
///        │          │           │
///        └──────────┴───────────┴──► refused, lost, or Lean has ended
///
/// All calls on the executor's thread.
class FarSide : public std::enable_shared_from_this<FarSide> {
 public:
  /// `toolchain`: the Lean here, which the far side's has to equal.
  FarSide(core::Executor executor, std::shared_ptr<const Place> place,
          std::shared_ptr<const Toolchain> toolchain, Order order);

  /// The launcher's command, followed by that of the far side.
  core::SubprocessOptions Command() const;
  /// Sends the order, and watches the connection from now on.
  void Begin(const std::shared_ptr<LspConnection>& lean);
  /// Handles a notification of the far side; false: it is Lean's.
  bool Hear(const std::string& method, const nlohmann::json& params);

  /// Waits until the far side is ready; `ready()` is then set. `cancellation` may be null. Errors:
  /// kTimeout; kCancelled; kEnvironment with `failure()` set.
  core::Task<core::Status> WaitUntilReady(core::Deadline deadline,
                                          core::Cancellation* cancellation);
  /// Waits until the far side's imports are known to equal those here. Errors as above.
  core::Task<core::Status> Confirm(core::Deadline deadline, core::Cancellation* cancellation);

  const std::optional<Ready>& ready() const { return ready_; }
  /// Set if it was refused or lost.
  std::optional<Failure> failure() const;
  /// Whether it was ready and has been silent for several of its periods: if a deadline passes now,
  /// the connection may be the cause.
  bool Quiet() const;
  core::Clock::time_point began() const { return began_; }
  /// The imports that it was told to compare; it takes texts with these only.
  const std::vector<std::string>& imports() const { return order_.imports; }
  /// Treats it as lost.
  void GiveUp(const std::string& why);
  const Place& place() const { return *place_; }

 private:
  static core::Task<void> SendOrder(std::shared_ptr<FarSide> self);
  static core::Task<void> HashHere(std::shared_ptr<FarSide> self);
  static core::Task<void> Watch(std::weak_ptr<FarSide> weak);
  core::Task<void> Look();
  void GiveUpWhenSilent(core::Clock::time_point now);
  void Refuse(const std::string& why);
  core::Status Fails() const;

  const core::Executor executor_;
  const std::shared_ptr<const Place> place_;
  const std::shared_ptr<const Toolchain> toolchain_;
  const Order order_;
  std::shared_ptr<LspConnection> lean_;
  std::optional<Ready> ready_;
  std::optional<std::string> imports_;  // the fingerprint there
  std::optional<std::string> here_;     // and here
  bool hashing_ = false;                // or done
  const core::Clock::time_point began_ = core::Clock::now();
  core::Clock::time_point told_ = began_;    // when it last sent a sign of life
  core::Clock::time_point looked_ = began_;  // when Watch last ran
  bool confirmed_ = false;
  bool lean_ended_ = false;
  bool silent_ = false;
  std::optional<std::string> refusal_;
  core::Signal changed_;
};

/// The order for a worker at a place. `own_project`: the toolchain is the pool's own, for which the
/// place may have another folder.
Order OrderFor(const Place& place, const Toolchain& toolchain, bool own_project,
               const WorkerOptions& options, std::vector<std::string> imports);

}  // namespace zermelo::lean::remote
