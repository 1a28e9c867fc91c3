// A JSON-RPC connection to a Lean process over its standard streams, framed as in LSP.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/async.h"
#include "core/error.h"
#include "core/process/subprocess.h"
#include "lean/remote/remote.h"

namespace zermelo::lean {

/// Stays alive while an operation waits for it. Single-threaded.
class LspConnection : public std::enable_shared_from_this<LspConnection> {
 public:
  using Answer = core::OneShot<core::Result<nlohmann::json>>;
  /// Receives Lean's notifications. If it throws a json::exception, the message was garbage and
  /// Lean is killed.
  using Listener = std::function<void(const std::string& method, const nlohmann::json& params)>;

  /// Starts the process. A Lean that owes an answer but uses almost no processor time for
  /// `standstill` is stuck and is killed.
  static core::Result<std::shared_ptr<LspConnection>> Start(const core::Executor& executor,
                                                            const core::SubprocessOptions& command,
                                                            core::Duration standstill,
                                                            Listener listener);

  /// Sends a request. Returns the event that will have the answer, or null if the request could not
  /// be sent.
  core::Task<std::shared_ptr<Answer>> Ask(std::string_view method, nlohmann::json params,
                                          core::Deadline deadline);
  /// Sends a request and waits for its answer. Errors: kTimeout when there is none in time;
  /// kInternal when Lean refuses the request; kCrashed when Lean dies.
  core::Task<core::Result<nlohmann::json>> Request(std::string_view method, nlohmann::json params,
                                                   core::Deadline deadline);
  /// Sends a notification. False if it could not be sent.
  core::Task<bool> Notify(std::string_view method, nlohmann::json params, core::Deadline deadline);
  /// Sends a request and ignores its answer.
  void SendIgnoringReply(std::string_view method, nlohmann::json params);

  /// Redirects Lean's answer to a request that was completed without it, and returns the event that
  /// will have the answer; null if Lean has already answered.
  std::shared_ptr<Answer> TakeOver(const std::shared_ptr<Answer>& asked);

  /// The id of a request; nullopt if Lean has already answered.
  std::optional<int64_t> IdOf(const std::shared_ptr<Answer>& asked) const;

  /// Kills the process; pending requests end with kCrashed and `why`.
  void Die(const std::string& why);
  bool alive() const { return alive_; }
  /// Whether the process ended, or closed its streams, by itself.
  bool broken() const { return broken_; }
  /// Why it is not alive, with the end of stderr.
  const std::string& end() const { return end_; }
  /// Kills the process if it uses more resident memory than this: a document that allocates without
  /// end must not exhaust the machine.
  void DieAbove(uint64_t resident_bytes);
  /// While the guard exists, Lean must send an answer, and is killed if it hangs.
  core::StandstillGuard Watched();

  /// A kCrashed error for `why`, with the end of stderr.
  core::Error Crash(const std::string& why) const;
  /// The error for a message that was not sent: kTimeout past the deadline, since a Lean that does
  /// not read until then is slow or stuck like one that does not answer; otherwise kCrashed.
  core::Error NotSent(core::Deadline deadline) const;
  const core::Subprocess& process() const { return *process_; }
  /// Lean's resource usage: measured for the process, or as another machine has reported it
  /// (remote.h).
  const core::ProcessUsage& usage() const {
    return reported_ ? static_cast<const core::ProcessUsage&>(*reported_) : *process_;
  }
  /// From now on, uses reported usage instead of measuring: the process is only a launcher.
  remote::ReportedUsage& Reported();
  /// When the last bytes arrived.
  core::Clock::time_point heard() const { return heard_; }

 private:
  LspConnection(core::Executor executor, std::unique_ptr<core::Subprocess> process,
                core::Duration standstill, Listener listener);

  static core::Task<void> ReadOutput(std::shared_ptr<LspConnection> self);
  static core::Task<void> ReadErrors(std::shared_ptr<LspConnection> self);
  static core::Task<void> SendDetached(std::shared_ptr<LspConnection> self, std::string body);
  core::Task<bool> Send(std::string body, core::Deadline deadline);
  void Dispatch(const nlohmann::json& message);
  void Answered(const nlohmann::json& message);
  void Break(const std::string& why);
  static core::Task<void> EndLauncher(std::shared_ptr<LspConnection> self);
  std::string WithStderr(const std::string& why) const;

  const core::Executor executor_;
  const std::unique_ptr<core::Subprocess> process_;
  const core::Duration standstill_;
  const Listener listener_;
  bool alive_ = true;
  bool broken_ = false;
  std::string end_;
  std::unique_ptr<remote::ReportedUsage> reported_;  // null: measured
  core::Clock::time_point heard_ = core::Clock::now();

  std::string stderr_tail_;
  core::OneShot<bool> stderr_ended_;

  int64_t next_id_ = 0;
  std::unordered_map<int64_t, std::shared_ptr<Answer>> pending_;

  // Frames are written one after another, so that two writers do not interleave theirs.
  bool writing_ = false;
  std::deque<std::shared_ptr<core::OneShot<bool>>> writers_;
};

}  // namespace zermelo::lean
