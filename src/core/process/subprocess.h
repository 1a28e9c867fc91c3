// A child process with pipes, killed with its whole process group on destruction.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

#include "core/async.h"
#include "core/error.h"
#include "core/process/sandbox.h"

namespace zermelo::core {

struct SubprocessOptions {
  std::vector<std::string> argv;                   // argv[0] is the program's path
  std::map<std::string, std::string> environment;  // added to the parent's, overriding it
  std::filesystem::path working_directory;         // empty: the parent's
  // Unset: not confined. A confined process inherits only an allow-list of environment variables.
  std::optional<SandboxRules> sandbox = {};
};

struct ExitStatus {
  int code = 0;    // exit code if the process exited by itself
  int signal = 0;  // the signal that ended it, or 0
  bool ok() const { return code == 0 && signal == 0; }
  std::string ToString() const;
};

/// The resources that a process uses: measured here, or reported by another machine.
class ProcessUsage {
 public:
  virtual ~ProcessUsage() = default;
  /// Resident memory, in bytes; 0 when unknown.
  virtual uint64_t ResidentBytes() const = 0;
  /// CPU time of all threads together, in seconds; 0 when unknown.
  virtual double SecondsRun() const = 0;
  /// By thread ID: how many seconds the thread has been runnable but unscheduled.
  virtual std::map<std::string, double> SecondsKeptWaiting() const = 0;
};

/// Life cycle: running -> ended (reaped). The destructor kills the process group (SIGKILL) and
/// reaps the child, within five seconds or when the thread next starts a process; the kernel kills
/// the child if the parent dies first (PR_SET_PDEATHSIG). The child inherits its three pipes and no
/// other descriptor. Call only on the executor's thread.
class Subprocess : public ProcessUsage {
 public:
  /// Blocks until exec has succeeded or failed. kEnvironment if the program cannot be started.
  static Result<std::unique_ptr<Subprocess>> Start(const Executor& executor,
                                                   const SubprocessOptions& options);
  ~Subprocess() override;

  pid_t pid() const;
  enum class Stream { kOut, kErr };
  /// Waits for output and reads at most `max` bytes; empty at end of file or if the pipe breaks.
  Task<std::string> Read(Stream stream, size_t max = 65536);
  /// Reads to end of file and appends to `into` up to a size of `max` bytes; drops the rest.
  Task<void> ReadAll(Stream stream, std::string& into, size_t max);
  /// False if the child closed its end or the deadline passed (the write may then be partial).
  Task<bool> Write(std::string_view bytes, Deadline deadline);
  void CloseInput();
  /// Sends SIGKILL to the process group; pending reads end and unread output is lost. The child is
  /// reaped by Wait or by the destructor.
  void Kill();
  /// The exit status, or kTimeout with the process left running. May be called again. A process
  /// that is still there five seconds after Kill (its file system does not answer) counts as
  /// killed.
  Task<Result<ExitStatus>> Wait(Deadline deadline);
  uint64_t ResidentBytes() const override;
  double SecondsRun() const override;
  std::map<std::string, double> SecondsKeptWaiting() const override;

 private:
  struct Impl;
  explicit Subprocess(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// Scheduled time of a process: wall time minus the longest any thread was runnable but
/// unscheduled; at least 20 % of wall time (1 / kMostSlowedDown). A limit on it means the same on a
/// loaded machine. The process must outlive the object.
class ScheduledTime {
 public:
  static constexpr int kMostSlowedDown = 5;

  explicit ScheduledTime(const ProcessUsage& process) : process_(process) { Restart(); }
  void Restart();
  /// Whether the scheduled time since Restart exceeds `limit`. The first call takes the baseline:
  /// unscheduled time before it is not subtracted, so poll regularly. Cheap while wall time is
  /// within the limit.
  bool Exceeds(Duration limit);

 private:
  const ProcessUsage& process_;
  Clock::time_point began_;
  std::optional<std::map<std::string, double>> before_;  // by thread
};

/// Detects a hang: calls `on_standstill`, once, when the threads of a process that should be
/// working were runnable for less than 3 % of a core during a whole `window`. Runnable but
/// unscheduled time counts as activity. The process must outlive the guard.
class StandstillGuard {
 public:
  StandstillGuard(const Executor& executor, const ProcessUsage& process, Duration window,
                  std::function<void()> on_standstill);
  ~StandstillGuard();
  StandstillGuard(const StandstillGuard&) = delete;
  StandstillGuard& operator=(const StandstillGuard&) = delete;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

struct CompletedProcess {
  ExitStatus status;
  std::string out;  // truncated to max_output bytes, as is err
  std::string err;
};

/// Runs a program to completion with `input` on its standard input. Kills it at the deadline and
/// returns kTimeout. Output beyond `max_output` bytes per stream is read and dropped.
Task<Result<CompletedProcess>> RunProcess(SubprocessOptions options, std::string input,
                                          Deadline deadline, size_t max_output = 16U << 20U);

}  // namespace zermelo::core
