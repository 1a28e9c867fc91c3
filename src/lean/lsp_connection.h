// A Lean process that is spoken to in JSON-RPC, framed as LSP frames it, on its standard streams.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/async.h"
#include "core/error.h"
#include "core/subprocess.h"

namespace zermelo::lean {

/// Lives on while something waits for it. One thread.
class LspConnection : public std::enable_shared_from_this<LspConnection> {
 public:
  using Answer = core::OneShot<core::Result<nlohmann::json>>;
  /// Of what Lean says unasked. A json::exception of it ends Lean: the message was garbage.
  using Listener = std::function<void(const std::string& method, const nlohmann::json& params)>;

  /// A Lean that owes an answer and uses next to no processor time for `standstill` is stuck.
  static core::Result<std::shared_ptr<LspConnection>> Start(const core::Executor& executor,
                                                            const core::SubprocessOptions& command,
                                                            core::Duration standstill,
                                                            Listener listener);

  /// Sends a request; the answer arrives in what is returned, null when it could not be sent.
  core::Task<std::shared_ptr<Answer>> Ask(std::string_view method, nlohmann::json params,
                                          core::Deadline deadline);
  /// The same, and waits. kTimeout: no answer in time; kInternal: Lean refused; kCrashed.
  core::Task<core::Result<nlohmann::json>> Request(std::string_view method, nlohmann::json params,
                                                   core::Deadline deadline);
  /// False: it could not be sent.
  core::Task<bool> Notify(std::string_view method, nlohmann::json params, core::Deadline deadline);
  /// Sends a request whose answer nobody wants.
  void AskInVain(std::string_view method, nlohmann::json params);

  /// Lean's answer to a request whose asker has been answered by somebody else; null: it is there.
  std::shared_ptr<Answer> TakeOver(const std::shared_ptr<Answer>& asked);

  /// Ends the process; what is waited for ends with kCrashed.
  void Die(const std::string& why);
  bool alive() const { return alive_; }
  /// A document may allocate without end: it ends Lean before it ends the machine.
  void DieAbove(uint64_t resident_bytes);
  /// While it lives Lean owes us an answer.
  core::StandstillGuard Watched();

  core::Error Crash(const std::string& why) const;
  /// What was not sent before the deadline. A Lean that does not read until then is slow or stuck,
  /// like one that does not answer.
  core::Error NotSent(core::Deadline deadline) const;
  const core::Subprocess& process() const { return *process_; }

 private:
  LspConnection(core::Executor executor, std::unique_ptr<core::Subprocess> process,
                core::Duration standstill, Listener listener);

  static core::Task<void> ReadOutput(std::shared_ptr<LspConnection> self);
  static core::Task<void> ReadErrors(std::shared_ptr<LspConnection> self);
  static core::Task<void> SendDetached(std::shared_ptr<LspConnection> self, std::string body);
  core::Task<bool> Send(std::string body, core::Deadline deadline);
  void Dispatch(const nlohmann::json& message);
  void Answered(const nlohmann::json& message);

  const core::Executor executor_;
  const std::unique_ptr<core::Subprocess> process_;
  const core::Duration standstill_;
  const Listener listener_;
  bool alive_ = true;

  std::string stderr_tail_;
  core::OneShot<bool> stderr_ended_;

  int64_t next_id_ = 0;
  std::unordered_map<int64_t, std::shared_ptr<Answer>> pending_;

  // Frames are written one after another: two writers would mix theirs.
  bool writing_ = false;
  std::deque<std::shared_ptr<core::OneShot<bool>>> writers_;
};

}  // namespace zermelo::lean
