// Keeps proof states as values in Lean processes of their own, so that a tactic is elaborated once
// in a state (docs/state-server.md). For search only: what it accepts is provisional.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/async.h"
#include "core/cancellation.h"
#include "core/error.h"
#include "core/file.h"
#include "lean/states/state_protocol.h"
#include "lean/toolchain.h"

namespace zermelo::lean {

struct StateServerOptions {
  size_t processes = 1;
  /// A process that uses more is killed during a run, which then ends with kCrashed, or replaced
  /// after it. The states of the new one are elaborated again when they are needed.
  uint64_t max_resident_bytes = 3ULL << 30U;
  /// Time for a process to start, measured as core::ScheduledTime like the other limits.
  core::Duration start_limit = std::chrono::seconds(60);
  /// Time for a declaration with a hole and the commands before it, which nothing interrupts.
  core::Duration open_limit = std::chrono::seconds(60);
  /// Time between the limit of a run, at which Lean ends it, and the end of a process that does
  /// not.
  core::Duration grace = std::chrono::seconds(3);
  core::Duration standstill = kStandstill;
};

/// Where tactics are run.
struct StateHole {
  std::string text;  // a file with the tactic `sorry` in the hole; what follows is not looked at
  size_t byte = 0;   // of that `sorry`
  auto operator<=>(const StateHole&) const = default;
};

struct StateQuery {
  StateHole hole;
  std::string tactics;  // from the hole on, laid out as in the file; each line ends with a break
  core::Duration limit = std::chrono::seconds(20);  // for what is not known yet
  core::Deadline deadline;                          // also for the wait for a process
  /// Ends the wait for a process; a run that has begun goes on to its limit. May be null; must
  /// outlive the run.
  core::Cancellation* cancellation = nullptr;
  bool stop_at_error = false;  // after the first tactic with an error, even if Lean recovers
};

struct StateServerStats {
  uint64_t runs = 0;
  uint64_t tactics = 0;     // in these runs
  uint64_t elaborated = 0;  // of these, those that had not been run in their state before
  uint64_t started = 0;     // processes
};

/// Runs of one hole go to the same process, one after another. A process that dies is replaced and
/// its run retried once. All calls on the executor's thread; the server must outlive its runs.
class StateServer {
 public:
  /// The program for Lean, state_server.lean.
  static std::string_view Program();

  /// Starts a process and tests it: on a small theorem, its states and its errors must be the known
  /// ones. kEnvironment, with the reason, if this Lean cannot run the program or answers otherwise.
  static core::Task<core::Result<std::unique_ptr<StateServer>>> Start(core::Executor executor,
                                                                      Toolchain toolchain,
                                                                      StateServerOptions options);
  ~StateServer();

  /// The goals of a hole. kInput if Lean does not reach it, other errors as for Run.
  core::Task<core::Result<std::vector<std::string>>> Goals(StateQuery query);
  /// Runs tactics from a hole on. A run that is cut off at its limit is a result. Errors: kInput if
  /// Lean does not reach the hole; kTimeout past the deadline, waiting for the process; kCancelled
  /// on request; kCrashed when two processes died on it; kEnvironment when none can be started.
  core::Task<core::Result<StateRun>> Run(StateQuery query);
  /// Frees the states of a hole.
  core::Task<void> Free(StateHole hole);

  size_t size() const { return slots_.size(); }
  const StateServerStats& stats() const { return stats_; }
  /// The process ids of the running processes.
  std::vector<int> pids() const;

 private:
  class Process;
  struct Slot;
  class Turn;

  StateServer(core::Executor executor, Toolchain toolchain, StateServerOptions options,
              core::TemporaryFolder folder);
  Slot& SlotFor(const StateHole& hole);
  core::Task<core::Status> Ready(Slot& slot);
  core::Task<core::Result<OpenedHole>> Open(Slot& slot, const StateHole& hole);
  core::Task<core::Result<StateRun>> RunOnce(Slot& slot, const StateQuery& query);
  core::Task<core::Status> SelfTest();

  const core::Executor executor_;
  const Toolchain toolchain_;
  const StateServerOptions options_;
  const core::TemporaryFolder folder_;  // with the program
  std::vector<std::unique_ptr<Slot>> slots_;
  std::map<StateHole, Slot*> places_;  // of the holes that have been used
  StateServerStats stats_;
};

}  // namespace zermelo::lean
