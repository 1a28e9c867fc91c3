// How a worker handles a Lean that sends strange messages or dies.
#include "lean/lsp/lsp_connection.h"

#include <signal.h>

#include "lean/testing/worker_fixture.h"

namespace zermelo::lean {
namespace {

using core::Deadline;
using core::ErrorCode;
using core::Result;
using core::testing::Generous;
using core::testing::RunOut;
using core::testing::RunUntil;
using core::testing::Started;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::Fake;
using testing::WorkerTest;

// ---- messages that must not be trusted

TEST_F(WorkerTest, StaleDiagnosticsAreNotUsed) {
  EXPECT_EQ(Messages(Fake("stale") + Fake("error 0 right")), std::vector<std::string>{"right"});
  EXPECT_EQ(Messages(Fake("stale")), std::vector<std::string>{});
}

TEST_F(WorkerTest, ResponsesToUnknownRequestsAreIgnored) {
  EXPECT_EQ(Messages(Fake("unknown-id") + Fake("error 0 x")), std::vector<std::string>{"x"});
}

TEST_F(WorkerTest, LeansOwnRequestsAreAnsweredAndNotMistakenForAnswers) {
  // The fake answers only once all of its four requests have been answered.
  EXPECT_EQ(Messages(Fake("collide") + Fake("error 0 x")), std::vector<std::string>{"x"});
  EXPECT_EQ(Messages(Fake("collide") + Fake("error 0 y")), std::vector<std::string>{"y"});
}

TEST_F(WorkerTest, ARefusedRequestIsAnErrorAndTheWorkerContinues) {
  const auto result = Check(Fake("refuse"));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kInternal);
  EXPECT_NE(result.error().message.find("content modified"), std::string::npos);
  EXPECT_TRUE(Messages("next\n").empty());
}

TEST_F(WorkerTest, TextBetweenFramesIsSkipped) {
  EXPECT_EQ(Messages(Fake("garbage 200000") + Fake("error 0 x")), std::vector<std::string>{"x"});
}

TEST_F(WorkerTest, AnUnknownNotificationWithoutParametersIsIgnored) {
  EXPECT_TRUE(Messages(Fake("raw-json {\"jsonrpc\":\"2.0\",\"method\":\"$/new\"}")).empty());
}

// ---- crashes

TEST_F(WorkerTest, ACrashReportsTheEndOfStderr) {
  const core::Error error = CrashOf(Fake("crash INTERNAL PANIC: out of memory"));
  EXPECT_NE(error.message.find("INTERNAL PANIC: out of memory"), std::string::npos)
      << error.message;
}

TEST_F(WorkerTest, ALeanThatCannotStartReportsWhyEveryTime) {
  Toolchain toolchain = testing::FakeToolchain(folder.path());
  toolchain.lean = folder.path() / "lean";
  testing::WriteExecutable(toolchain.lean, "#!/bin/sh\necho cannot load libgmp >&2\nexit 127\n");
  for (int i = 0; i < 30; ++i) {
    worker = std::move(*Worker::Start(io->get_executor(), toolchain, WorkerOptions{}));
    const core::Error error = CrashOf("text\n");
    ASSERT_NE(error.message.find("cannot load libgmp"), std::string::npos) << error.message;
  }
}

TEST_F(WorkerTest, MuchOnStderrDoesNotBlockLean) {
  EXPECT_TRUE(Messages(Fake("stderr 3000000")).empty());
}

TEST_F(WorkerTest, OnlyTheEndOfStderrIsReported) {
  const core::Error error = CrashOf(Fake("stderr 100000") + Fake("crash the end"));
  EXPECT_LT(error.message.size(), 3000u);
  EXPECT_NE(error.message.find("the end"), std::string::npos);
}

TEST_F(WorkerTest, ADeadWorkerAnswersCrashed) {
  CrashOf(Fake("crash"));
  EXPECT_EQ(Check("next\n").error().code, ErrorCode::kCrashed);
}

TEST_F(WorkerTest, ADocumentThatUsesTooMuchMemoryEndsOnlyItsLean) {
  Restart({.max_resident_bytes = 100U << 20U});
  EXPECT_TRUE(Check("small\n"));
  const core::Error error = CrashOf(Fake("eat 300"));
  EXPECT_NE(error.message.find("MiB of memory"), std::string::npos) << error.message;
  RunUntil(*io, [&] { return !core::testing::Runs(worker->pid()); });
}

TEST_F(WorkerTest, TooMuchGarbageIsACrash) { CrashOf(Fake("garbage 3000000")); }
TEST_F(WorkerTest, AHugeFrameIsACrash) { CrashOf(Fake("huge-frame")); }
TEST_F(WorkerTest, ATruncatedFrameIsACrash) { CrashOf(Fake("truncated")); }
TEST_F(WorkerTest, InvalidJsonIsACrash) { CrashOf(Fake("invalid-json")); }
TEST_F(WorkerTest, InvalidUtf8IsACrash) { CrashOf(Fake("invalid-utf8")); }
TEST_F(WorkerTest, AClosedOutputIsACrash) { CrashOf(Fake("close-stdout")); }
TEST_F(WorkerTest, DeathByASignalIsACrash) { CrashOf(Fake("die 11")); }

TEST_F(WorkerTest, JsonOfTheWrongShapeIsACrash) {
  for (const char* body :
       {"5", "null", "[]", "[{}]", "{}", "\"text\"", R"({"id":1,"method":5,"params":[]})",
        R"({"method":"textDocument/publishDiagnostics"})",
        R"({"method":"textDocument/publishDiagnostics","params":5})",
        R"({"method":"textDocument/publishDiagnostics","params":{"version":1,"diagnostics":5}})",
        R"({"method":"textDocument/publishDiagnostics","params":{"version":1,"diagnostics":[5]}})",
        R"({"method":"$/lean/fileProgress","params":{"processing":5}})"}) {
    Restart({});
    CheckRequest request = Request(Fake(std::string("raw-json ") + body), Generous());
    request.extent = InParts{.first_lines = {0}};
    const auto result = Check(std::move(request));
    if (std::string_view(body).starts_with("{\"id\"")) continue;  // a request, only answered
    ASSERT_FALSE(result) << body;
    EXPECT_EQ(result.error().code, ErrorCode::kCrashed) << body;
  }
}

TEST_F(WorkerTest, AMissingLeanIsAnEnvironmentError) {
  Toolchain toolchain = testing::FakeToolchain(folder.path());
  toolchain.lean = "/no/such/lean";
  const auto started = Worker::Start(io->get_executor(), toolchain, WorkerOptions{});
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code, ErrorCode::kEnvironment);
}

/// A check that is certainly running: the fake has reported that it has the text.
class RunningCheckTest : public WorkerTest {
 protected:
  Started<Result<CheckResult>> StartHanging() {
    Started<Result<CheckResult>> check(
        *io, worker->Check(Request(Fake("touch " + File("up")) + Fake("hang"), Generous())));
    RunUntil(*io, [&] { return std::filesystem::exists(File("up")); });
    return check;
  }
};

TEST_F(RunningCheckTest, AKillFromOutsideIsACrash) {
  auto check = StartHanging();
  ::kill(worker->pid(), SIGKILL);
  EXPECT_EQ(check.Get().error().code, ErrorCode::kCrashed);
  EXPECT_FALSE(worker->alive());
}

TEST_F(RunningCheckTest, AKillBeforeTheFirstMessageIsACrash) {
  ::kill(worker->pid(), SIGKILL);
  CrashOf("text\n");
}

TEST_F(RunningCheckTest, AKillWhileTheTextIsBeingWrittenIsACrash) {
  ASSERT_EQ(::kill(worker->pid(), SIGSTOP), 0);
  Started<Result<CheckResult>> check(
      *io, worker->Check(Request(std::string(3'000'000, 'x'), Generous())));
  io->poll();
  EXPECT_FALSE(check.done());
  ::kill(worker->pid(), SIGKILL);
  EXPECT_EQ(check.Get().error().code, ErrorCode::kCrashed);
}

TEST_F(RunningCheckTest, AKillWhileGoalsAreRequestedIsACrash) {
  CheckRequest request = Request(Fake("touch " + File("up")) + Fake("goal-hang"), Generous());
  request.goals_at = {{0, 0}};
  Started<Result<CheckResult>> check(*io, worker->Check(std::move(request)));
  RunUntil(*io, [&] { return std::filesystem::exists(File("up")); });
  ::kill(worker->pid(), SIGKILL);
  EXPECT_EQ(check.Get().error().code, ErrorCode::kCrashed);
}

TEST_F(RunningCheckTest, AKillDuringCancellationLeavesATimeoutAndADeadWorker) {
  Restart({.cancel_grace = seconds(30)});
  Started<Result<CheckResult>> check(
      *io, worker->Check(
               Request(Fake("touch " + File("up")) + Fake("deaf"), Deadline::After(seconds(1)))));
  RunUntil(*io, [&] { return std::filesystem::exists(File("up")); });
  EXPECT_EQ(check.Get().error().code, ErrorCode::kTimeout);
  Started<bool> settling(*io, core::testing::ThenTrue(worker->CancelAndDrain()));
  const auto past_the_deadline = core::Clock::now() + milliseconds(300);
  RunUntil(*io, [&] { return core::Clock::now() > past_the_deadline; });
  EXPECT_FALSE(settling.done());
  ::kill(worker->pid(), SIGKILL);
  RunUntil(*io, [&] { return settling.done(); });
  EXPECT_FALSE(worker->alive());
}

TEST_F(RunningCheckTest, AKillBetweenChecksIsACrashOfTheNext) {
  EXPECT_TRUE(Messages("fine\n").empty());
  ::kill(worker->pid(), SIGKILL);
  CrashOf("next\n");
}

TEST_F(RunningCheckTest, KillEndsTheCheck) {
  auto check = StartHanging();
  worker->Kill();
  EXPECT_EQ(check.Get().error().code, ErrorCode::kCrashed);
}

TEST_F(RunningCheckTest, DestroyingTheWorkerEndsTheCheck) {
  auto check = StartHanging();
  worker.reset();
  EXPECT_EQ(check.Get().error().code, ErrorCode::kCrashed);
}

TEST_F(RunningCheckTest, ADaemonThatKeepsThePipesOpenDelaysNothing) {
  const Deadline daemon_ends = Deadline::After(seconds(30));
  Started<Result<CheckResult>> check(
      *io, worker->Check(Request(Fake("daemon 30") + Fake("touch " + File("up")) + Fake("hang"),
                                 Generous())));
  RunUntil(*io, [&] { return std::filesystem::exists(File("up")); });
  worker.reset();
  EXPECT_EQ(check.Get().error().code, ErrorCode::kCrashed);
  RunOut(*io);
  EXPECT_FALSE(daemon_ends.Passed());
}

TEST_F(WorkerTest, StoppedBeforeItsFirstCheckItLeavesNothingBehind) { worker.reset(); }

}  // namespace
}  // namespace zermelo::lean
