// A child process with pipes, killed with its whole process group when its owner goes away.
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
#include "core/sandbox.h"

namespace zermelo::core {

struct SubprocessOptions {
  std::vector<std::string> argv;                   // argv[0] is the path of the program
  std::map<std::string, std::string> environment;  // added to ours
  std::filesystem::path working_directory;         // empty: ours
  // Empty: not confined. A confined process sees of our environment only what is harmless.
  std::optional<SandboxRules> sandbox = {};
};

struct ExitStatus {
  int code = 0;    // exit code when it exited by itself
  int signal = 0;  // the signal that ended it, or 0
  bool ok() const { return code == 0 && signal == 0; }
  std::string ToString() const;
};

/// Life cycle: running -> ended (reaped). The destructor kills the process group (SIGKILL) and
/// reaps the child; the kernel kills the child too should we die first (PR_SET_PDEATHSIG). Of our
/// descriptors the child gets its three pipes and no other.
/// All calls on the executor's thread.
class Subprocess {
 public:
  /// Fails with kEnvironment when the program cannot be started.
  static Result<std::unique_ptr<Subprocess>> Start(const Executor& executor,
                                                   const SubprocessOptions& options);
  ~Subprocess();

  pid_t pid() const;
  enum class Stream { kOut, kErr };
  /// Reads what is there, at most `max` bytes; empty at end of file or when the pipe broke.
  Task<std::string> Read(Stream stream, size_t max = 65536);
  /// Reads to the end and appends to `into`, which gets no longer than `max`; the rest is dropped.
  Task<void> ReadAll(Stream stream, std::string& into, size_t max);
  /// False when the child closed its end or the deadline passed (the write may be partial then).
  Task<bool> Write(std::string_view bytes, Deadline deadline);
  void CloseInput();
  /// SIGKILL to the process group; reads end, and what was not read is lost. Wait still has to be
  /// called, or the destructor reaps.
  void Kill();
  /// The exit status, or kTimeout; the process is left running then.
  Task<Result<ExitStatus>> Wait(Deadline deadline);
  /// Resident memory of the process, in bytes; 0 when unknown.
  uint64_t ResidentBytes() const;
  /// How long the process has run, in seconds, all its threads together; 0 when unknown.
  double SecondsRun() const;
  /// How long each of its threads has been kept waiting for a processor, in seconds.
  std::map<std::string, double> SecondsKeptWaiting() const;

 private:
  struct Impl;
  explicit Subprocess(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// The time that a process had: by the clock, less that in which the thread that waited most was
/// kept waiting for a processor; at least a fifth of the clock's. Limits measured so mean the same
/// on a loaded machine. The process must outlive it.
class TimeHad {
 public:
  static constexpr int kMostSlowedDown = 5;

  explicit TimeHad(const Subprocess& process) : process_(process) { Restart(); }
  void Restart();
  /// Waiting before the first call does not count; so one asks now and then. Cheap while the clock
  /// has not passed the limit.
  bool Exceeds(Duration limit);

 private:
  const Subprocess& process_;
  Clock::time_point began_;
  std::optional<std::map<std::string, double>> before_;  // by thread
};

/// Calls `on_standstill`, once, when a process that should be working has had next to nothing to
/// run (less than 3% of a core) during a whole `window`, while the guard lives. One that others
/// keep from running does not stand still. The process must outlive the guard.
class StandstillGuard {
 public:
  StandstillGuard(const Executor& executor, const Subprocess& process, Duration window,
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
  std::string out;  // cut at max_output bytes
  std::string err;
};

/// Runs a program to its end with `input` on its standard input. Kills it at the deadline and
/// answers kTimeout. Output past `max_output` bytes a stream is read and dropped.
Task<Result<CompletedProcess>> RunProcess(SubprocessOptions options, std::string input,
                                          Deadline deadline, size_t max_output = 16U << 20U);

}  // namespace zermelo::core
