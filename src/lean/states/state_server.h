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
#include "core/files/file.h"
#include "lean/remote/place_health.h"
#include "lean/remote/remote.h"
#include "lean/states/state_protocol.h"
#include "lean/states/tactic_runner.h"
#include "lean/toolchain.h"

namespace zermelo::lean {

class StateProcess;

struct StateServerOptions {
  size_t processes = 1;  // here
  /// Runs at a time, all processes here together; each has at least one. The runs of one process
  /// share its environment and its states.
  size_t threads = 1;
  /// A process that uses more is killed during a run, which then ends with kCrashed, or replaced
  /// after it. The states of the new one are elaborated again when they are needed.
  uint64_t max_resident_bytes = 3ULL << 30U;
  /// Time for a process to start, measured as core::ScheduledTime like the other limits.
  core::Duration start_limit = std::chrono::seconds(60);
  /// Time for a declaration with a hole and the commands before it, which cannot be interrupted.
  core::Duration open_limit = std::chrono::seconds(60);
  /// Time between the limit of a run, at which Lean should end it, and killing a process that does
  /// not.
  core::Duration grace = std::chrono::seconds(3);
  core::Duration standstill = kStandstill;
  /// Number of holes whose states a process keeps; the states of the least recently used one are
  /// freed.
  size_t max_holes = 64;
  /// Trials go to any free process, which opens their hole if necessary; if none is free, the call
  /// returns nullopt at once.
  bool shares_holes = false;
  /// For trials, if holes are shared: as many processes at each place as it has workers. They start
  /// when the others are busy, for the imports of the hole at hand.
  std::vector<std::shared_ptr<const remote::Place>> places = {};
};

/// The program for Lean, state_server.lean, in a folder that is removed with this object.
class StateProgram {
 public:
  static std::string_view Text();
  static core::Result<StateProgram> Write();
  core::SubprocessOptions Command(const Toolchain& toolchain, size_t threads = 1) const;

 private:
  explicit StateProgram(core::TemporaryFolder folder) : folder_(std::move(folder)) {}
  core::TemporaryFolder folder_;
};

struct StateServerStats {
  uint64_t runs = 0;
  uint64_t tactics = 0;              // in these runs
  uint64_t elaborated = 0;           // of these, those that had not been run in their state before
  uint64_t started = 0;              // processes
  uint64_t most_resident_bytes = 0;  // of one process here, after a run
};

/// Runs of one hole go to the same process, as many at a time as it has threads; for trials, see
/// StateServerOptions::shares_holes. A process that dies is replaced and each of its runs retried
/// once, alone; if it was elsewhere, its trials return nullopt instead. All calls on the executor's
/// thread; the server must outlive its runs, and be closed and joined if it shares holes.
class StateServer : public StateRunner {
 public:
  /// Starts a process and tests it: on a small theorem, its states and its errors must be the known
  /// ones. kEnvironment, with the reason, if this Lean cannot run the program or answers otherwise.
  static core::Task<core::Result<std::unique_ptr<StateServer>>> Start(core::Executor executor,
                                                                      Toolchain toolchain,
                                                                      StateServerOptions options);
  ~StateServer() override;
  /// Starts nothing yet.
  static core::Result<std::unique_ptr<StateServer>> Create(core::Executor executor,
                                                           Toolchain toolchain,
                                                           StateServerOptions options);
  /// The self-test of Start; then its process is warm, too.
  core::Task<core::Status> Test();
  /// Starts the processes here that do not run, and has each use what is slow the first time: the
  /// index of `exact?`.
  core::Task<void> StartAll();
  /// Kills all processes; runs end with an error, and no new ones begin.
  void Close();
  /// Returns when no process is being started in the background; call after Close.
  core::Task<void> Join() { co_await starting_.Join(); }

  /// The goals of a hole. kInput if Lean does not reach it, other errors as for Run.
  core::Task<core::Result<std::vector<std::string>>> Goals(StateQuery query);
  /// Runs tactics from a hole on. A run that is cut off at its limit is a result. Errors: kInput if
  /// Lean does not reach the hole; kTimeout past the deadline, waiting for the process; kCancelled
  /// on request; kCrashed when two processes died on it; kEnvironment when none can be started.
  core::Task<core::Result<StateRun>> Run(StateQuery query);
  core::Task<core::Result<std::optional<std::vector<ProbeResult>>>> Try(Trials trials) override;
  core::Task<core::Result<std::optional<StateRun>>> RunNow(StateQuery query) override;
  /// Frees the states of a hole.
  core::Task<void> Free(StateHole hole);

  size_t size() const { return slots_.size(); }
  const StateServerStats& stats() const { return stats_; }
  /// The process ids of the running processes; elsewhere, those of the launchers.
  std::vector<int> pids() const;

 private:
  struct Slot;
  class SlotUse;
  class OpeningTurn;
  struct HoleUse;

  StateServer(core::Executor executor, Toolchain toolchain, StateServerOptions options,
              StateProgram program);
  Slot& SlotFor(const StateHole& hole);
  Slot* FreeSlot(const StateHole& hole, const std::vector<std::string>& imports);
  Slot* SlotNow(const StateHole& hole);
  void StartMore(const std::vector<std::string>& imports);
  core::Task<void> StartSlot(Slot& slot, std::vector<std::string> imports);
  core::Task<core::Status> Ready(Slot& slot);
  core::Task<core::Status> ReadyElsewhere(Slot& slot, std::vector<std::string> imports);
  void NoteHealth(Slot& slot, bool answered);
  std::string Project() const { return remote::PlaceHealth::KeyOf(*toolchain_); }
  struct Request;
  core::Task<core::Result<HoleUse>> Open(Slot& slot, const Request& request);
  static Request RequestOf(StateQuery query);
  static Request RequestOf(Trials trials);
  template <class Answer, core::Result<Answer> (*Parse)(const nlohmann::json&)>
  core::Task<core::Result<Answer>> Ask(Slot& slot, Request request);
  template <class Answer, core::Result<Answer> (*Parse)(const nlohmann::json&)>
  core::Task<core::Result<Answer>> AskOnce(Slot& slot, const Request& request);
  template <class Answer, core::Result<Answer> (*Parse)(const nlohmann::json&)>
  core::Task<core::Result<std::optional<Answer>>> AskNow(Request request);
  core::Task<void> WarmUp(Slot& slot);
  core::Error CannotKeepStates(const std::string& why) const;
  void Count(const StateRun& run);

  const core::Executor executor_;
  const std::shared_ptr<const Toolchain> toolchain_;
  const StateServerOptions options_;
  const StateProgram program_;
  std::vector<std::unique_ptr<remote::PlaceHealth>> places_;
  std::vector<std::unique_ptr<Slot>> slots_;  // those here first
  std::map<StateHole, Slot*> holes_;          // that have been used here
  StateServerStats stats_;
  bool closed_ = false;
  core::TaskGroup starting_;
};

}  // namespace zermelo::lean
