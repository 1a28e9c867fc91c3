// Test support: running tasks step by step, counting this process's descriptors and children.
#pragma once

#include <boost/asio/co_spawn.hpp>
#include <chrono>
#include <csignal>
#include <dirent.h>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include "core/async.h"

namespace zermelo::core::testing {

/// As in main: writing to a child that closed its input is an error value, not a signal.
inline const auto kIgnoreSigpipe = std::signal(SIGPIPE, SIG_IGN);

/// Far longer than any test waits: reaching it means a hang.
inline constexpr auto kHang = std::chrono::seconds(60);

/// Runs the io_context until `done()`; throws after kHang.
template <class Predicate>
void RunUntil(boost::asio::io_context& io, Predicate done) {
  const Deadline hang = Deadline::After(kHang);
  while (!done()) {
    if (io.stopped()) io.restart();
    io.run_one_for(std::chrono::milliseconds(20));
    if (hang.Passed()) throw std::runtime_error("the awaited condition never became true");
  }
}

/// Runs the remaining work to completion; throws if the io_context is still busy after kHang.
inline void RunOut(boost::asio::io_context& io) {
  if (io.stopped()) io.restart();
  io.run_for(kHang);
  if (!io.stopped()) throw std::runtime_error("a task never ends");
}

/// A started task, which advances whenever the io_context runs.
template <class T>
class Started {
 public:
  Started(boost::asio::io_context& io, Task<T> task) : io_(&io), state_(std::make_shared<State>()) {
    boost::asio::co_spawn(io, std::move(task),
                          [state = state_](const std::exception_ptr& failure, T value) {
                            ++state->ended;
                            state->failure = failure;
                            if (!failure) state->value.emplace(std::move(value));
                          });
  }
  bool done() const { return state_->ended > 0; }
  int times_ended() const { return state_->ended; }
  /// Runs the io_context until the task has ended; rethrows what it threw.
  T Get() {
    RunUntil(*io_, [&] { return done(); });
    if (state_->failure) std::rethrow_exception(state_->failure);
    return std::move(*state_->value);
  }

 private:
  struct State {
    int ended = 0;
    std::exception_ptr failure;
    std::optional<T> value;
  };
  boost::asio::io_context* io_;
  std::shared_ptr<State> state_;
};

inline Task<bool> ThenTrue(Task<void> task) {
  co_await std::move(task);
  co_return true;
}

template <class T>
T Await(boost::asio::io_context& io, Task<T> task) {
  return Started<T>(io, std::move(task)).Get();
}
inline void Await(boost::asio::io_context& io, Task<void> task) {
  Started<bool>(io, ThenTrue(std::move(task))).Get();
}

inline Deadline Soon() { return Deadline::After(std::chrono::milliseconds(100)); }
inline Deadline Generous() { return Deadline::After(std::chrono::seconds(30)); }

inline size_t OpenDescriptors() {
  size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    static_cast<void>(entry);
    ++count;
  }
  return count;
}

/// Resident memory of this process, in bytes.
inline uint64_t ResidentBytes() {
  std::ifstream statm("/proc/self/statm");
  uint64_t total = 0;
  uint64_t resident = 0;
  statm >> total >> resident;
  return resident * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
}

struct ProcessInfo {
  pid_t pid = 0;
  char state = '?';
  pid_t parent = 0;
};

/// The process's entry in /proc; nullopt if there is no such process.
inline std::optional<ProcessInfo> DescribeProcess(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string stat;
  if (!std::getline(file, stat)) return std::nullopt;
  ProcessInfo info{.pid = pid};
  const size_t name_end = stat.rfind(')');
  info.state = stat.at(name_end + 2);
  info.parent = std::stoi(stat.substr(name_end + 4));
  return info;
}

/// Whether the process is running; a zombie is not.
inline bool Runs(pid_t pid) {
  const auto info = DescribeProcess(pid);
  return info && info->state != 'Z' && info->state != 'X';
}

/// Children of this process, including zombies.
inline std::vector<pid_t> Children() {
  std::vector<pid_t> children;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const auto info = DescribeProcess(std::stoi(name));
    if (info && info->parent == ::getpid()) children.push_back(info->pid);
  }
  return children;
}

}  // namespace zermelo::core::testing
