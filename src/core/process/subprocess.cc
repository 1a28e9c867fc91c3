#include "core/process/subprocess.h"

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sstream>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "core/files/fd.h"
#include "core/process/open_files.h"

extern char** environ;

namespace zermelo::core {

namespace asio = boost::asio;
using Descriptor = asio::posix::stream_descriptor;

namespace {

struct Pipe {
  Fd read, write;
  bool Open() {
    std::array<int, 2> fds{};
    if (::pipe2(fds.data(), O_CLOEXEC) != 0) return false;
    read = Fd(fds[0]);
    write = Fd(fds[1]);
    return true;
  }
};

/// Whether a confined process inherits this environment variable. API keys, for one, are withheld.
bool IsHarmless(std::string_view name) {
  static constexpr std::string_view kNames[] = {"PATH", "HOME", "USER", "LANG", "TZ", "TMPDIR"};
  static constexpr std::string_view kPrefixes[] = {"LC_", "LD_", "LEAN", "LAKE", "ELAN", "NIX_"};
  return std::ranges::find(kNames, name) != std::end(kNames) ||
         std::ranges::any_of(kPrefixes, [&](auto prefix) { return name.starts_with(prefix); });
}

std::vector<std::string> Environment(const std::map<std::string, std::string>& added,
                                     bool confined) {
  std::vector<std::string> merged;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::string_view name = text.substr(0, text.find('='));
    if (added.contains(std::string(name)) || (confined && !IsHarmless(name))) continue;
    merged.emplace_back(text);
  }
  for (const auto& [name, value] : added) merged.push_back(fmt::format("{}={}", name, value));
  return merged;
}

std::vector<char*> Pointers(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  pointers.reserve(strings.size() + 1);
  for (auto& s : strings) pointers.push_back(s.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// Everything prepared before fork: only async-signal-safe calls are allowed until exec.
struct ChildPlan {
  std::vector<char*> argv, envp;
  const char* directory;
  int in, out, err, report;
  pid_t parent;
  const Sandbox* sandbox;  // null: not confined
};

/// Sets close-on-exec on all descriptors except the standard three: libraries may not have done so.
void CloseOthersOnExec() {
  if (::syscall(SYS_close_range, 3, ~0U, CLOSE_RANGE_CLOEXEC) == 0) return;
  rlimit files{};  // Linux before 5.11
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return;
  for (int fd = 3; static_cast<rlim_t>(fd) < files.rlim_cur; ++fd) {
    ::fcntl(fd, F_SETFD, FD_CLOEXEC);
  }
}

[[noreturn]] void RunChild(const ChildPlan& plan) {
  const auto fail = [&] {
    const int error = errno;
    const auto ignored = ::write(plan.report, &error, sizeof error);
    static_cast<void>(ignored);
    ::_exit(127);
  };
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != plan.parent) ::_exit(127);  // the parent died before prctl
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
  if (plan.directory != nullptr && ::chdir(plan.directory) != 0) fail();
  // If our standard input is closed, the pipe may be descriptor 0; dup2 would keep close-on-exec.
  if (plan.in == 0 && ::fcntl(0, F_SETFD, 0) != 0) fail();
  if (::dup2(plan.in, 0) < 0 || ::dup2(plan.out, 1) < 0 || ::dup2(plan.err, 2) < 0) fail();
  CloseOthersOnExec();
  RestoreOpenFileLimit();
  if (plan.sandbox != nullptr && !plan.sandbox->Enter()) fail();
  ::execve(plan.argv[0], plan.argv.data(), plan.envp.data());
  fail();
  ::_exit(127);
}

ExitStatus FromWaitStatus(int status) {
  if (WIFSIGNALED(status)) return {.code = 0, .signal = WTERMSIG(status)};
  return {.code = WEXITSTATUS(status), .signal = 0};
}

Task<std::string> ReadSome(Descriptor& pipe, size_t max) {
  std::string buffer(max, '\0');
  boost::system::error_code error;
  const size_t n = co_await pipe.async_read_some(asio::buffer(buffer),
                                                 asio::redirect_error(asio::use_awaitable, error));
  buffer.resize(n);
  co_return buffer;
}

// A killed process ends late if it waits for a file system that does not answer.
constexpr Duration kPatience = std::chrono::seconds(5);
constexpr int kPollMs = 50;

/// Killed children that had not ended when their Subprocess was destroyed. For each thread, as an
/// object and its children belong to one.
std::vector<pid_t>& Unreaped() {
  static thread_local std::vector<pid_t> pids;
  return pids;
}

void ReapLate() {
  std::erase_if(Unreaped(), [](pid_t pid) { return ::waitpid(pid, nullptr, WNOHANG) != 0; });
}

}  // namespace

std::string ExitStatus::ToString() const {
  if (signal != 0) return std::string("killed by signal ") + ::strsignal(signal);
  return "exit code " + std::to_string(code);
}

struct Subprocess::Impl {
  explicit Impl(const Executor& executor)
      : in(executor), out(executor), err(executor), ended(executor) {}
  Descriptor in, out, err;
  Descriptor ended;  // a pidfd: readable when the child has ended
  pid_t pid = -1;
  std::optional<ExitStatus> status;
  Deadline patience;  // set by Kill

  /// What Wait answers by now; nullopt: it has to wait.
  std::optional<ExitStatus> Status() {
    Reap();
    if (!status && patience.Passed()) return ExitStatus{.code = 0, .signal = SIGKILL};
    return status;
  }

  void KillGroup() const {
    if (!status) ::kill(-pid, SIGKILL);
  }

  /// Does not wait. Kills the rest of the process group before reaping, while the process ID cannot
  /// be reused.
  void Reap() {
    if (status) return;
    siginfo_t info{};
    int rc = 0;
    do {
      rc = ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT | WNOHANG);
    } while (rc < 0 && errno == EINTR);
    if (rc == 0 && info.si_pid != pid) return;
    KillGroup();
    int raw = SIGKILL;  // reported if the child was reaped elsewhere
    ::waitpid(pid, &raw, 0);
    status = FromWaitStatus(raw);
  }
};

Subprocess::Subprocess(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Result<std::unique_ptr<Subprocess>> Subprocess::Start(const Executor& executor,
                                                      const SubprocessOptions& options) {
  const auto failed = [&](const char* what, int error) {
    return Fail(ErrorCode::kEnvironment,
                "cannot start " + options.argv.at(0) + ": " + what + ": " + std::strerror(error));
  };
  ReapLate();
  Pipe in, out, err, report;
  if (!in.Open() || !out.Open() || !err.Open() || !report.Open()) return failed("pipe", errno);

  std::optional<Sandbox> sandbox;
  if (options.sandbox) {
    auto prepared = Sandbox::Prepare(*options.sandbox);
    if (!prepared) return Fail(prepared.error());
    sandbox = std::move(*prepared);
  }
  auto argv = options.argv;
  auto envp = Environment(options.environment, sandbox.has_value());
  const ChildPlan plan{
      .argv = Pointers(argv),
      .envp = Pointers(envp),
      .directory = options.working_directory.empty() ? nullptr : options.working_directory.c_str(),
      .in = in.read.get(),
      .out = out.write.get(),
      .err = err.write.get(),
      .report = report.write.get(),
      .parent = ::getpid(),
      .sandbox = sandbox ? &*sandbox : nullptr};
  const pid_t pid = ::fork();
  if (pid < 0) return failed("fork", errno);
  if (pid == 0) RunChild(plan);
  ::setpgid(pid, pid);  // also here, so that Kill works before the child does it

  report.write = Fd();
  int child_error = 0;
  ssize_t n = 0;
  do {
    n = ::read(report.read.get(), &child_error, sizeof child_error);
  } while (n < 0 && errno == EINTR);
  if (n > 0) {
    ::waitpid(pid, nullptr, 0);
    return failed("exec", child_error);
  }

  auto impl = std::make_unique<Impl>(executor);
  impl->pid = pid;
  impl->in.assign(in.write.Release());
  impl->out.assign(out.read.Release());
  impl->err.assign(err.read.Release());
  impl->ended.assign(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  return std::unique_ptr<Subprocess>(new Subprocess(std::move(impl)));
}

Subprocess::~Subprocess() {
  Kill();
  const auto patience = Deadline::After(kPatience);
  for (impl_->Reap(); !impl_->status && !patience.Passed(); impl_->Reap()) {
    pollfd ended{.fd = impl_->ended.native_handle(), .events = POLLIN, .revents = 0};
    ::poll(&ended, 1, kPollMs);
    if (ended.revents != 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  if (!impl_->status) Unreaped().push_back(impl_->pid);
}

pid_t Subprocess::pid() const { return impl_->pid; }

Task<std::string> Subprocess::Read(Stream stream, size_t max) {
  return ReadSome(stream == Stream::kOut ? impl_->out : impl_->err, max);
}

Task<void> Subprocess::ReadAll(Stream stream, std::string& into, size_t max) {
  for (;;) {
    const std::string bytes = co_await Read(stream);
    if (bytes.empty()) co_return;
    into.append(bytes, 0, max - std::min(max, into.size()));
  }
}

Task<bool> Subprocess::Write(std::string_view bytes, Deadline deadline) {
  if (!impl_->in.is_open()) co_return false;
  const DeadlineGuard guard(impl_->in.get_executor(), deadline, [this] { impl_->in.cancel(); });
  boost::system::error_code error;
  // One piece at a time: the guard cancels only the operation that is pending when it expires.
  while (!bytes.empty() && !error && !guard.expired()) {
    const size_t n = co_await impl_->in.async_write_some(
        asio::buffer(bytes), asio::redirect_error(asio::use_awaitable, error));
    bytes.remove_prefix(n);
  }
  const bool written = bytes.empty();
  co_return written;
}

void Subprocess::CloseInput() {
  boost::system::error_code ignored;
  impl_->in.close(ignored);
}

void Subprocess::Kill() {
  impl_->KillGroup();
  // A descendant that left the group may hold the pipes open; reads must not wait for it.
  boost::system::error_code ignored;
  impl_->out.close(ignored);
  impl_->err.close(ignored);
  impl_->patience = impl_->patience.Earlier(Deadline::After(kPatience));
  impl_->ended.cancel(ignored);  // a Wait in progress now has another deadline
}

Task<Result<ExitStatus>> Subprocess::Wait(Deadline deadline) {
  for (;;) {
    const auto status = impl_->Status();
    if (status) co_return *status;
    if (deadline.Passed()) {
      co_return Fail(ErrorCode::kTimeout, "the process is still running at the deadline");
    }
    const DeadlineGuard guard(impl_->ended.get_executor(), deadline.Earlier(impl_->patience),
                              [this] { impl_->ended.cancel(); });
    boost::system::error_code ignored;
    co_await impl_->ended.async_wait(Descriptor::wait_read,
                                     asio::redirect_error(asio::use_awaitable, ignored));
  }
}

uint64_t Subprocess::ResidentBytes() const {
  std::ifstream statm("/proc/" + std::to_string(impl_->pid) + "/statm");
  uint64_t total = 0;
  uint64_t resident = 0;
  if (!(statm >> total >> resident)) return 0;
  return resident * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
}

double Subprocess::SecondsRun() const {
  std::ifstream stat("/proc/" + std::to_string(impl_->pid) + "/stat");
  const std::string line((std::istreambuf_iterator<char>(stat)), {});
  // The second field, the name in parentheses, may contain any character; utime and stime are
  // fields 14 and 15.
  std::istringstream fields(line.substr(std::min(line.size(), line.rfind(')') + 1)));
  std::string skipped;
  for (int field = 3; field < 14; ++field) fields >> skipped;
  uint64_t user = 0;
  uint64_t system = 0;
  if (!(fields >> user >> system)) return 0;
  return static_cast<double>(user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

std::map<std::string, double> Subprocess::SecondsKeptWaiting() const {
  std::map<std::string, double> seconds;
  std::error_code ignored;
  std::filesystem::directory_iterator thread("/proc/" + std::to_string(impl_->pid) + "/task",
                                             ignored);
  for (; thread != std::filesystem::directory_iterator(); thread.increment(ignored)) {
    std::ifstream schedule(thread->path() / "schedstat");
    uint64_t ran = 0;  // nanoseconds, both
    uint64_t waited = 0;
    if (!(schedule >> ran >> waited)) continue;
    seconds.emplace(thread->path().filename().string(), static_cast<double>(waited) * 1e-9);
  }
  return seconds;
}

void ScheduledTime::Restart() {
  began_ = Clock::now();
  before_.reset();
}

bool ScheduledTime::Exceeds(Duration limit) {
  const Duration clock = Clock::now() - began_;
  if (clock > limit * kMostSlowedDown) return true;
  if (before_ && clock <= limit) return false;
  auto waited = process_.SecondsKeptWaiting();
  if (!before_) {
    before_ = std::move(waited);
    return clock > limit;
  }
  double longest = 0;
  for (const auto& [thread, seconds] : waited) {
    const auto earlier = before_->find(thread);
    longest = std::max(longest, seconds - (earlier == before_->end() ? 0 : earlier->second));
  }
  return clock - FromSeconds(longest) > limit;
}

struct StandstillGuard::State : std::enable_shared_from_this<State> {
  State(const Executor& executor, const ProcessUsage& process, Duration window)
      : process(process), window(window), timer(executor) {}

  void Watch() {
    used = Runnable();
    timer.expires_after(window);
    timer.async_wait([weak = weak_from_this()](const boost::system::error_code& error) {
      const auto self = weak.lock();
      if (!error && self) self->Look();
    });
  }

  void Look() {
    // A decrease means that threads have ended, so something ran.
    const double more = Runnable() - used;
    if (more < 0 || more >= kIdleShare * Seconds(window)) return Watch();
    on_standstill();
  }

  double Runnable() const {
    double seconds = process.SecondsRun();
    for (const auto& [thread, waited] : process.SecondsKeptWaiting()) seconds += waited;
    return seconds;
  }

  // An idle embedded Lean was measured at 1 % (its timers).
  static constexpr double kIdleShare = 0.03;
  const ProcessUsage& process;
  const Duration window;
  std::function<void()> on_standstill;
  asio::steady_timer timer;
  double used = 0;
};

StandstillGuard::StandstillGuard(const Executor& executor, const ProcessUsage& process,
                                 Duration window, std::function<void()> on_standstill)
    : state_(std::make_shared<State>(executor, process, window)) {
  state_->on_standstill = std::move(on_standstill);
  state_->Watch();
}

StandstillGuard::~StandstillGuard() = default;

Task<Result<CompletedProcess>> RunProcess(SubprocessOptions options, std::string input,
                                          Deadline deadline, size_t max_output) {
  const auto executor = co_await asio::this_coro::executor;
  auto started = Subprocess::Start(executor, options);
  if (!started) co_return Fail(started.error());
  Subprocess& process = **started;

  CompletedProcess done;
  const DeadlineGuard guard(executor, deadline, [&] { process.Kill(); });
  TaskGroup streams(executor);
  streams.Spawn(process.ReadAll(Subprocess::Stream::kOut, done.out, max_output));
  streams.Spawn(process.ReadAll(Subprocess::Stream::kErr, done.err, max_output));
  co_await process.Write(input, deadline);
  process.CloseInput();
  co_await streams.Join();
  const auto status = co_await process.Wait(Deadline());
  if (guard.expired()) {
    co_return Fail(ErrorCode::kTimeout, options.argv[0] + " did not end in time and was killed");
  }
  done.status = *status;
  co_return done;
}

}  // namespace zermelo::core
