#include "core/process/subprocess.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <thread>

#include "core/files/file.h"
#include "core/testing/testing.h"

namespace zermelo::core {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::Await;
using testing::Children;
using testing::Generous;
using testing::OpenDescriptors;
using testing::Runs;
using testing::RunUntil;
using testing::Soon;
using Stream = Subprocess::Stream;

SubprocessOptions Shell(const std::string& script) { return {.argv = {"/bin/sh", "-c", script}}; }

/// Each test must leave no child and no additional descriptor.
class SubprocessTest : public ::testing::Test {
 protected:
  void TearDown() override {
    EXPECT_TRUE(Children().empty());
    io.reset();
    EXPECT_EQ(OpenDescriptors(), descriptors_before_);
  }

  std::unique_ptr<Subprocess> Start(const std::string& script) {
    auto started = Subprocess::Start(io->get_executor(), Shell(script));
    if (!started) throw std::runtime_error(started.error().message);
    return std::move(*started);
  }
  Result<CompletedProcess> Run(SubprocessOptions options, std::string input = "",
                               Deadline deadline = Generous(), size_t max_output = 16U << 20U) {
    return Await(*io, RunProcess(std::move(options), std::move(input), deadline, max_output));
  }
  std::string ReadLine(Subprocess& process) {
    std::string line;
    while (line.empty() || line.back() != '\n') {
      const std::string bytes = Await(*io, process.Read(Stream::kOut));
      if (bytes.empty()) break;
      line += bytes;
    }
    return line;
  }

  const size_t descriptors_before_ = OpenDescriptors();
  std::unique_ptr<boost::asio::io_context> io = std::make_unique<boost::asio::io_context>();
};

TEST_F(SubprocessTest, ReturnsOutputErrorsAndExitCode) {
  const auto done = Run(Shell("cat; echo oops >&2; exit 3"), "input");
  ASSERT_TRUE(done);
  EXPECT_EQ(done->out, "input");
  EXPECT_EQ(done->err, "oops\n");
  EXPECT_EQ(done->status.code, 3);
  EXPECT_EQ(done->status.signal, 0);
  EXPECT_FALSE(done->status.ok());
  EXPECT_EQ(done->status.ToString(), "exit code 3");
}

TEST_F(SubprocessTest, SignalsAreDistinguishedFromExitCodes) {
  const auto done = Run(Shell("kill -TERM $$"));
  ASSERT_TRUE(done);
  EXPECT_EQ(done->status.signal, SIGTERM);
  EXPECT_FALSE(done->status.ok());
  EXPECT_EQ(done->status.ToString(), "killed by signal Terminated");
}

TEST_F(SubprocessTest, SuccessIsOk) {
  const auto done = Run(Shell("true"));
  ASSERT_TRUE(done);
  EXPECT_TRUE(done->status.ok());
}

TEST_F(SubprocessTest, EnvironmentIsAddedToTheParentsAndOverridesIt) {
  ::setenv("ZERMELO_TEST_OURS", "ours", 1);
  ::setenv("ZERMELO_TEST_BOTH", "ours", 1);
  auto options = Shell("echo $ZERMELO_TEST_OURS $ZERMELO_TEST_BOTH $ZERMELO_TEST_ADDED");
  options.environment = {{"ZERMELO_TEST_BOTH", "theirs"}, {"ZERMELO_TEST_ADDED", "a=b"}};
  const auto done = Run(options);
  ::unsetenv("ZERMELO_TEST_OURS");
  ::unsetenv("ZERMELO_TEST_BOTH");
  ASSERT_TRUE(done);
  EXPECT_EQ(done->out, "ours theirs a=b\n");
}

TEST_F(SubprocessTest, RunsInItsWorkingDirectory) {
  auto options = Shell("pwd");
  options.working_directory = "/proc";
  const auto done = Run(options);
  ASSERT_TRUE(done);
  EXPECT_EQ(done->out, "/proc\n");
}

TEST_F(SubprocessTest, AMissingProgramIsAnEnvironmentErrorThatNamesIt) {
  const auto done = Run({.argv = {"/no/such/program"}});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::kEnvironment);
  EXPECT_EQ(done.error().message, "cannot start /no/such/program: exec: No such file or directory");
}

TEST_F(SubprocessTest, AFileThatIsNotExecutableIsAnEnvironmentError) {
  const auto done = Run({.argv = {"/etc/passwd"}});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::kEnvironment);
}

TEST_F(SubprocessTest, AMissingWorkingDirectoryIsAnEnvironmentError) {
  auto options = Shell("true");
  options.working_directory = "/no/such/folder";
  const auto done = Run(options);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::kEnvironment);
}

TEST_F(SubprocessTest, OutputPastTheLimitIsDroppedAndTheProgramStillEnds) {
  const auto done = Run(Shell("yes | head -c 3000000; echo end >&2"), "", Generous(), 1000);
  ASSERT_TRUE(done);
  EXPECT_TRUE(done->status.ok());
  EXPECT_EQ(done->out.size(), 1000u);
  EXPECT_EQ(done->err, "end\n");
}

TEST_F(SubprocessTest, MuchInputAndOutputAtOnceDoNotBlockEachOther) {
  std::string input;
  for (int i = 0; input.size() < 2'000'000; ++i) input += std::to_string(i) + "\n";
  const auto done = Run({.argv = {"/bin/cat"}}, input);
  ASSERT_TRUE(done);
  EXPECT_EQ(done->out, input);
}

TEST_F(SubprocessTest, AProgramThatDoesNotReadItsInputIsNoError) {
  const auto done = Run(Shell("exec <&-; echo hello"), std::string(1'000'000, 'x'));
  ASSERT_TRUE(done);
  EXPECT_TRUE(done->status.ok());
  EXPECT_EQ(done->out, "hello\n");
}

TEST_F(SubprocessTest, TheDeadlineKillsAndIsATimeout) {
  const auto done = Run(Shell("trap '' TERM; while :; do sleep 1; done"), "", Soon());
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::kTimeout);
}

TEST_F(SubprocessTest, TheDeadlineCountsWhileInputIsWritten) {
  const auto done = Run(Shell("sleep 1000"), std::string(10'000'000, 'x'), Soon());
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::kTimeout);
}

TEST_F(SubprocessTest, TheDeadlineHoldsEvenWhenADaemonKeepsThePipes) {
  const Deadline daemon_ends = Deadline::After(seconds(30));
  const auto done =
      Run(Shell("setsid sleep 30 & exec sleep 1000"), "", Deadline::After(milliseconds(300)));
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::kTimeout);
  EXPECT_FALSE(daemon_ends.Passed());
}

TEST_F(SubprocessTest, KillAlsoKillsGrandchildren) {
  auto process = Start("sleep 1000 & echo $!; wait");
  const pid_t grandchild = std::stoi(ReadLine(*process));
  ASSERT_TRUE(Runs(grandchild));
  process->Kill();
  const auto status = Await(*io, process->Wait(Generous()));
  ASSERT_TRUE(status);
  EXPECT_EQ(status->signal, SIGKILL);
  RunUntil(*io, [&] { return !Runs(grandchild); });
}

TEST_F(SubprocessTest, GrandchildrenDieWhenTheChildEndsByItself) {
  auto process = Start("sleep 1000 & echo $!");
  const pid_t grandchild = std::stoi(ReadLine(*process));
  ASSERT_TRUE(Await(*io, process->Wait(Generous())));
  RunUntil(*io, [&] { return !Runs(grandchild); });
}

TEST_F(SubprocessTest, TheDestructorKillsAndReaps) {
  auto process = Start("sleep 1000 & echo $!; wait");
  const pid_t grandchild = std::stoi(ReadLine(*process));
  const pid_t child = process->pid();
  process.reset();
  EXPECT_FALSE(testing::DescribeProcess(child)) << "not even a zombie";
  RunUntil(*io, [&] { return !Runs(grandchild); });
}

/// A process that traces `pid` keeps it from being reaped here, as does one that hangs in a file
/// system.
class Tracer {
 public:
  explicit Tracer(pid_t pid) : pid_(::fork()) {
    if (pid_ != 0) return;
    if (::ptrace(PTRACE_SEIZE, pid, nullptr, nullptr) == 0) ::raise(SIGSTOP);
    ::_exit(0);
  }
  /// Waits until it traces, or is not allowed to.
  bool Works() const {
    int status = 0;
    return ::waitpid(pid_, &status, WUNTRACED) == pid_ && WIFSTOPPED(status);
  }
  ~Tracer() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }

 private:
  const pid_t pid_;
};

TEST_F(SubprocessTest, AProcessThatCannotBeReapedIsReapedLater) {
  auto child = Start("exec sleep 1000");
  const pid_t pid = child->pid();
  {
    const Tracer tracer(pid);
    if (!tracer.Works()) GTEST_SKIP() << "a process may not trace another one here";
    child.reset();
    EXPECT_TRUE(testing::DescribeProcess(pid)) << "it was reaped in spite of its tracer";
  }
  RunUntil(*io, [this, pid] {
    Start("true");
    return !testing::DescribeProcess(pid);
  });
}

TEST_F(SubprocessTest, NobodyWaitsForAKilledProcessThatDoesNotEnd) {
  auto child = Start("exec sleep 1000");
  const Tracer tracer(child->pid());
  if (!tracer.Works()) GTEST_SKIP() << "a process may not trace another one here";
  const DeadlineGuard kill(io->get_executor(), Soon(), [&] { child->Kill(); });  // while it waits
  const auto status = Await(*io, child->Wait(Deadline()));
  ASSERT_TRUE(status);
  EXPECT_EQ(status->signal, SIGKILL);
  EXPECT_TRUE(testing::DescribeProcess(child->pid())) << "it was reaped in spite of its tracer";
}

TEST_F(SubprocessTest, ThePidIsAGroupOfItsOwn) {
  auto process = Start("cat");
  EXPECT_EQ(::getpgid(process->pid()), process->pid());
}

TEST_F(SubprocessTest, WaitAtItsDeadlineLeavesTheProcessRunning) {
  auto process = Start("read line; exit 4");
  const auto early = Await(*io, process->Wait(Soon()));
  ASSERT_FALSE(early);
  EXPECT_EQ(early.error().code, ErrorCode::kTimeout);
  EXPECT_TRUE(Await(*io, process->Write("go\n", Generous())));
  const auto status = Await(*io, process->Wait(Generous()));
  ASSERT_TRUE(status);
  EXPECT_EQ(status->code, 4);
}

TEST_F(SubprocessTest, WaitMayBeCalledAgain) {
  auto process = Start("exit 4");
  ASSERT_TRUE(Await(*io, process->Wait(Generous())));
  EXPECT_EQ(Await(*io, process->Wait(Deadline()))->code, 4);
}

TEST_F(SubprocessTest, WriteToAProcessThatClosedItsInputIsFalse) {
  auto process = Start("exec <&-; echo closed; sleep 1000");
  ReadLine(*process);
  EXPECT_FALSE(Await(*io, process->Write("x", Generous())));
}

TEST_F(SubprocessTest, WriteEndsAtItsDeadline) {
  auto process = Start("sleep 1000");
  EXPECT_FALSE(Await(*io, process->Write(std::string(10'000'000, 'x'), Soon())));
}

TEST_F(SubprocessTest, AProcessThatStandsStillIsReported) {
  auto process = Start("sleep 1000");
  const auto begun = Clock::now();
  bool still = false;
  const StandstillGuard guard(io->get_executor(), *process, milliseconds(200),
                              [&] { still = true; });
  testing::RunUntil(*io, [&] { return still; });
  EXPECT_GE(Clock::now() - begun, milliseconds(200));
}

TEST_F(SubprocessTest, AProcessThatWorksDoesNotStandStill) {
  auto process = Start("while :; do :; done");
  bool still = false;
  const StandstillGuard guard(io->get_executor(), *process, milliseconds(200),
                              [&] { still = true; });
  EXPECT_FALSE(Await(*io, process->Wait(Deadline::After(milliseconds(900)))));
  EXPECT_FALSE(still);
}

TEST_F(SubprocessTest, UnscheduledTimeDoesNotCount) {
  cpu_set_t allowed;
  ASSERT_EQ(::sched_getaffinity(0, sizeof allowed, &allowed), 0);
  int first = 0;
  while (!CPU_ISSET(first, &allowed)) ++first;
  const auto spin = [&] {
    return Start(fmt::format("taskset -p -c {} $$ >&2; while :; do :; done", first));
  };
  std::vector<std::unique_ptr<Subprocess>> on_one_processor;
  for (int i = 0; i < 4; ++i) on_one_processor.push_back(spin());
  ScheduledTime had(*on_one_processor[0]);
  EXPECT_FALSE(had.Exceeds(seconds(1000)));
  const auto begun = Clock::now();
  const auto waited = [&] {
    double most = 0;
    for (const auto& [thread, s] : on_one_processor[0]->SecondsKeptWaiting())
      most = std::max(most, s);
    return most;
  };
  const double before = waited();
  testing::RunUntil(*io, [&] { return waited() > before + 0.4; });
  const Duration clock = Clock::now() - begun;
  EXPECT_FALSE(had.Exceeds(clock * 3 / 4)) << "each of four busy processes gets a quarter";
  EXPECT_TRUE(had.Exceeds(clock / 10)) << "at least a fifth of wall time counts";
  had.Restart();
  EXPECT_FALSE(had.Exceeds(seconds(1)));
}

TEST_F(SubprocessTest, TheTimeOfAnIdleProcessCounts) {
  auto process = Start("sleep 1000");
  ScheduledTime had(*process);
  EXPECT_FALSE(had.Exceeds(milliseconds(300)));
  testing::RunUntil(*io, [&] { return had.Exceeds(milliseconds(300)); });
}

TEST_F(SubprocessTest, WriteAfterCloseInputIsFalse) {
  auto process = Start("cat");
  process->CloseInput();
  EXPECT_FALSE(Await(*io, process->Write("x", Generous())));
  EXPECT_TRUE(Await(*io, process->Wait(Generous()))->ok());
}

TEST_F(SubprocessTest, ReadAtTheEndIsEmpty) {
  auto process = Start("printf abc");
  std::string out;
  Await(*io, process->ReadAll(Stream::kOut, out, 100));
  EXPECT_EQ(out, "abc");
  EXPECT_EQ(Await(*io, process->Read(Stream::kOut)), "");
}

TEST_F(SubprocessTest, KillEndsAPendingRead) {
  auto process = Start("sleep 1000");
  testing::Started<std::string> read(*io, process->Read(Stream::kOut));
  io->poll();
  EXPECT_FALSE(read.done());
  process->Kill();
  EXPECT_EQ(read.Get(), "");
}

TEST_F(SubprocessTest, ReadsAtMostTheRequestedSize) {
  auto process = Start("printf abc; sleep 1000");
  EXPECT_EQ(Await(*io, process->Read(Stream::kOut, 2)), "ab");
  EXPECT_EQ(Await(*io, process->Read(Stream::kOut, 2)), "c");
}

TEST_F(SubprocessTest, ReportsItsMemory) {
  auto process = Start("echo up; cat");
  ReadLine(*process);
  EXPECT_GT(process->ResidentBytes(), 10'000u);
  process->Kill();
  ASSERT_TRUE(Await(*io, process->Wait(Generous())));
  EXPECT_EQ(process->ResidentBytes(), 0u);
}

TEST_F(SubprocessTest, TheChildInheritsNoneOfOurDescriptors) {
  const int careless = ::open("/dev/null", O_RDONLY);  // without O_CLOEXEC, as libraries do
  const int far_away = ::fcntl(careless, F_DUPFD, 900);
  auto other = Start("cat");
  const auto done = Run(Shell("ls /proc/self/fd | wc -l"));
  ::close(careless);
  ::close(far_away);
  ASSERT_TRUE(done);
  EXPECT_EQ(std::stoi(done->out), 4) << "0, 1, 2 and the folder that ls reads";
}

TEST_F(SubprocessTest, InputArrivesEvenWhenOurOwnStandardInputIsClosed) {
  const int saved = ::fcntl(0, F_DUPFD_CLOEXEC, 100);
  ::close(0);
  const auto done = Run({.argv = {"/bin/cat"}}, "input");
  if (saved >= 0) {
    ::dup2(saved, 0);
    ::close(saved);
  }
  ASSERT_TRUE(done);
  EXPECT_EQ(done->out, "input");
}

TEST_F(SubprocessTest, ManyProcessesLeaveNothingBehind) {
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(Run(Shell("exit 0")));
}

}  // namespace
}  // namespace zermelo::core
