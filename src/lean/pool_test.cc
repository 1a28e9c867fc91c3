#include "lean/pool.h"

#include <csignal>
#include <gtest/gtest.h>
#include <random>
#include <set>

#include "core/files/file.h"
#include "core/testing/sanitizers.h"
#include "core/testing/testing.h"
#include "lean/testing/fake_lean.h"
#include "lean/testing/pool_fixture.h"

namespace zermelo::lean {
namespace {

using core::Deadline;
using core::ErrorCode;
using core::Result;
using core::testing::Await;
using core::testing::Generous;
using core::testing::RunOut;
using core::testing::RunUntil;
using core::testing::Started;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::Fake;

using testing::PoolTest;
using testing::Running;

TEST_F(PoolTest, StartsNoWorkerBeforeItIsNeeded) {
  Open({.workers = 4});
  EXPECT_EQ(pool->size(), 4u);
  EXPECT_TRUE(pool->pids().empty());
  EXPECT_TRUE(Check("text\n"));
  EXPECT_EQ(pool->pids().size(), 1u);
}

TEST_F(PoolTest, ChecksRunAtOnceOnDifferentWorkers) {
  Open({.workers = 2});
  Running first = Start(Fake("pid") + Fake("slow 200"));
  Running second = Start(Fake("pid") + Fake("slow 200"));
  EXPECT_NE(Message(first.Get()), Message(second.Get()));
  EXPECT_EQ(pool->stats().started, 2u);
  EXPECT_EQ(pool->stats().checks, 2u);
}

TEST_F(PoolTest, AStartedWorkerIsPreferredToAFreshOne) {
  Open({.workers = 2});
  const std::string first = Message(Check(Fake("pid")));
  EXPECT_EQ(Message(Check(Fake("pid") + "something else\n")), first);
  EXPECT_EQ(pool->stats().started, 1u);
}

TEST_F(PoolTest, TheWorkerWithTheLongerSharedPrefixIsPreferred) {
  Open({.workers = 2});
  const std::string a = Fake("pid") + "theorem a\n";
  const std::string b = Fake("pid") + "theorem b\n";
  Running on_a = Start(a);
  Running on_b = Start(b);
  const std::string pid_a = Message(on_a.Get());
  const std::string pid_b = Message(on_b.Get());
  ASSERT_NE(pid_a, pid_b);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(Message(Check(b + "more" + std::to_string(i))), pid_b);
    EXPECT_EQ(Message(Check(a + "more" + std::to_string(i))), pid_a);
  }
}

TEST_F(PoolTest, AFreedWorkerTakesTheWaiterThatSharesMost) {
  Open({.workers = 1, .fairness = seconds(1000)});
  Running busy = Start(Fake("slow 300") + "theorem a\n");
  Running unlike = Start("theorem b\n");
  Running alike = Start(Fake("slow 300") + "theorem a\n  more\n");
  ASSERT_TRUE(alike.Get());
  EXPECT_FALSE(unlike.done());
  EXPECT_TRUE(unlike.Get());
}

TEST_F(PoolTest, AfterTheFairnessTimeTheOldestWaiterGoesFirst) {
  Open({.workers = 1, .fairness = milliseconds(0), .max_hold = milliseconds(0)});
  Running busy = Start(Fake("slow 300") + "theorem a\n");
  Running unlike = Start(Fake("slow 300") + "theorem b\n");
  Running alike = Start(Fake("slow 300") + "theorem a\n  more\n");
  ASSERT_TRUE(unlike.Get());
  EXPECT_FALSE(alike.done());
  EXPECT_TRUE(alike.Get());
}

TEST_F(PoolTest, WhenAllWaitLongRequestsThatShareStillFollowEachOther) {
  Open({.workers = 1, .fairness = milliseconds(0), .max_hold = seconds(1000)});
  Running busy = Start("a\n" + Fake("slow 300"));
  Running b = Start("b\n" + Fake("slow 100"));
  Running c = Start("c\n");
  Running more_b = Start("b\n" + Fake("slow 100") + "  more\n");
  ASSERT_TRUE(more_b.Get());
  EXPECT_TRUE(b.done()) << "the oldest";
  EXPECT_FALSE(c.done()) << "older than the next one, which suits the worker better";
  EXPECT_TRUE(c.Get());
}

TEST_F(PoolTest, NoRequestStarvesBehindThoseThatShareMore) {
  Open({.workers = 1, .fairness = milliseconds(300), .max_hold = milliseconds(300)});
  const std::string alike = Fake("slow 20") + "theorem a\n";
  ASSERT_TRUE(Check(alike));
  std::vector<Running> crowd;  // at least three are always waiting
  const auto come = [&] {
    crowd.push_back(Start(alike + "  more" + std::to_string(crowd.size()) + "\n"));
  };
  for (int i = 0; i < 4; ++i) come();
  Running unlike = Start("theorem b\n");
  size_t ended = 0;
  const auto began = core::Clock::now();
  RunUntil(*io, [&] {
    for (; ended < crowd.size() && crowd[ended].done(); ++ended) come();
    return unlike.done();
  });
  EXPECT_TRUE(unlike.Get());
  EXPECT_GE(core::Clock::now() - began, milliseconds(300)) << "requests that share more went first";
  EXPECT_LT(core::Clock::now() - began, seconds(5));
  for (Running& one : crowd) EXPECT_TRUE(one.Get());
}

TEST_F(PoolTest, ACheckWhoseWorkerCrashedIsRetriedOnce) {
  Open({.workers = 1});
  const auto result = Check(Fake("crash-once " + File("crashed")) + Fake("error 0 verdict"));
  EXPECT_EQ(Message(result), "verdict");
  EXPECT_EQ(pool->stats().crashes, 1u);
  EXPECT_EQ(pool->stats().started, 2u);
  EXPECT_EQ(pool->stats().checks, 1u);
}

TEST_F(PoolTest, WhenAllWorkersWereKilledARetryGetsAFreshOne) {
  Open({.workers = 2});
  Running first = Start(Fake("slow 200") + "theorem a\n");
  Running second = Start(Fake("slow 200") + "theorem b\n");
  ASSERT_TRUE(first.Get());
  ASSERT_TRUE(second.Get());
  for (const int pid : pool->pids()) ::kill(pid, SIGKILL);
  EXPECT_EQ(Message(Check(Fake("error 0 verdict"))), "verdict");
}

TEST_F(PoolTest, ATextThatKillsLeanTwiceIsCrashed) {
  Open({.workers = 2});
  const auto result = Check(Fake("crash stack overflow"));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kCrashed);
  EXPECT_NE(result.error().message.find("stack overflow"), std::string::npos);
  EXPECT_EQ(pool->stats().crashes, 2u);
  EXPECT_EQ(Message(Check(Fake("error 0 next"))), "next");
}

TEST_F(PoolTest, WaitingInTheQueueRespectsTheDeadline) {
  Open({.workers = 1});
  Running busy = Occupy("up");
  const auto waited = Check("text\n", Deadline::After(milliseconds(100)));
  ASSERT_FALSE(waited);
  EXPECT_EQ(waited.error().code, ErrorCode::kTimeout);
  EXPECT_FALSE(busy.done());
  pool->Close();
  EXPECT_FALSE(busy.Get());
}

TEST_F(PoolTest, ATimeoutIsCountedAndNotRetried) {
  Open({.workers = 1, .worker = {.cancel_grace = seconds(30)}});
  const auto result = Check("def a := 1\n" + Fake("hang"), Deadline::After(milliseconds(700)));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kTimeout);
  EXPECT_EQ(pool->stats().timeouts, 1u);
  EXPECT_TRUE(Check("next\n"));
  EXPECT_EQ(pool->stats().started, 1u) << "it stopped in time, so it was kept";
}

TEST_F(PoolTest, ADeadlineWhileLeanLoadsItsImportsLeavesItLoading) {
  Open({.workers = 1, .worker = {.cancel_grace = milliseconds(1)}});
  const std::string text = Fake("slow 500") + "import Init\n";
  const auto result = Check(text + "def a := 1\n", Deadline::After(milliseconds(50)));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kTimeout);
  EXPECT_EQ(pool->busy(), 1u);
  EXPECT_TRUE(Check(text + "def a := 1\n"));
  EXPECT_EQ(pool->stats().started, 1u);
}

TEST_F(PoolTest, AnAbandonedLoadIsKilledWhenAnotherWorkerIsNeeded) {
  Open({.workers = 1});
  const std::string slow = Fake("slow 3600000") + "import Init\n";
  EXPECT_FALSE(Check(slow, Deadline::After(milliseconds(50))));
  EXPECT_TRUE(Check("import Other\n"));
  EXPECT_FALSE(Check(slow, Deadline::After(milliseconds(50))));
  EXPECT_TRUE(Await(*io, pool->Reserve(1, Generous(), nullptr)));
}

TEST_F(PoolTest, ARepeatedRequestGetsTheWorkerThatHasLoadedMeanwhile) {
  Open({.workers = 2});
  const std::string text = Fake("slow 500") + "import Init\ndef a := 1\n";
  EXPECT_TRUE(Check("import Other\n"));
  EXPECT_FALSE(Check(text, Deadline::After(milliseconds(50))));
  EXPECT_TRUE(Check(text));
  EXPECT_TRUE(Check("import Other\n"));
  EXPECT_EQ(pool->stats().started, 2u) << "no worker had to be stopped for it";
}

TEST_F(PoolTest, CancellingWhileLeanLoadsItsImportsKeepsTheWorker) {
  Open({.workers = 1});
  core::Cancellation cancellation;
  CheckRequest request;
  request.text = Fake("touch " + File("loads")) + Fake("slow 500") + "import Init\n";
  request.deadline = Generous();
  request.cancellation = &cancellation;
  Running check(*io, pool->Check(request));
  RunUntil(*io, [&] { return std::filesystem::exists(File("loads")); });
  cancellation.Request();
  EXPECT_EQ(check.Get().error().code, ErrorCode::kCancelled);
  EXPECT_EQ(pool->pids().size(), 1u);
}

TEST_F(PoolTest, AnIdleLeanDropsTheRestOfAnAnsweredTextOrIsKilled) {
  for (const bool drops : {true, false}) {
    Open({.workers = 1, .worker = {.abandoned_grace = milliseconds(300)}});
    CheckRequest request;
    request.text = "def a := 1\n1\n" + Fake("error 3 bad") + "3\n" + Fake("unfinished 1-2 5-7") +
                   (drops ? "5\n" : Fake("keeps-the-rest")) + "6\n7\n";
    request.extent = UpToFirstError{LineRange{1, 7}};
    request.deadline = Generous();
    const auto result = Running(*io, pool->Check(request)).Get();
    ASSERT_TRUE(result);
    EXPECT_TRUE(result->stopped_at_error);
    EXPECT_EQ(pool->busy(), 0u) << "the next request need not wait";
    RunUntil(*io, [&] { return pool->busy() == 1; });
    RunUntil(*io, [&] { return pool->busy() == 0; });
    EXPECT_EQ(pool->pids().size(), drops ? 1u : 0u);
    EXPECT_TRUE(Check("next\n"));
    pool.reset();
  }
}

TEST_F(PoolTest, CloseAndEndWhileAWorkerSettles) {
  for (const bool close : {true, false}) {
    Open({.workers = 1});
    EXPECT_TRUE(Check("def a := 1\n"));
    EXPECT_FALSE(Check("def a := 1\n" + Fake("deaf"), Deadline::After(milliseconds(100))));
    EXPECT_EQ(pool->busy(), 1u);
    if (close) pool->Close();
    if (close) RunUntil(*io, [&] { return pool->busy() == 0; });
    pool.reset();
  }
}

TEST_F(PoolTest, ACancelledCheckFreesItsWorker) {
  Open({.workers = 1});
  core::Cancellation cancellation;
  CheckRequest stuck;
  stuck.text = "def a := 1\n" + Fake("touch " + File("at-it")) + Fake("hang");
  stuck.deadline = Generous();
  stuck.cancellation = &cancellation;
  Running first(*io, pool->Check(stuck));
  RunUntil(*io, [&] { return std::filesystem::exists(File("at-it")); });
  Running second = Start("fine\n");
  cancellation.Request();
  EXPECT_EQ(first.Get().error().code, ErrorCode::kCancelled);
  EXPECT_TRUE(second.Get());
  EXPECT_EQ(pool->stats().crashes, 0u);
}

TEST_F(PoolTest, ACancelledWaiterLeavesTheQueueAtOnce) {
  Open({.workers = 1});
  Running running = Occupy("busy", Deadline::After(seconds(2)));
  core::Cancellation cancellation;
  CheckRequest waits;
  waits.text = "a\n";
  waits.deadline = Generous();
  waits.cancellation = &cancellation;
  Running waiting(*io, pool->Check(waits));
  cancellation.Request();
  EXPECT_EQ(waiting.Get().error().code, ErrorCode::kCancelled);
  EXPECT_FALSE(running.done());
  Running too_late(*io, pool->Check(waits));
  EXPECT_EQ(too_late.Get().error().code, ErrorCode::kCancelled);
  running.Get();
}

TEST_F(PoolTest, ABatchIsAnsweredAsItsChecksEnd) {
  Open({.workers = 2});
  std::vector<CheckRequest> requests(3);
  for (size_t i = 0; i < requests.size(); ++i) {
    requests[i].text = Fake("error 0 answer " + std::to_string(i));
    requests[i].deadline = Generous();
  }
  requests[0].text += Fake("slow 500");
  std::vector<std::pair<size_t, std::string>> answers;
  const auto batch = [&]() -> core::Task<Result<CheckResult>> {
    co_await pool->CheckBatch(std::move(requests),
                              [&](size_t i, const Result<CheckResult>& result) {
                                answers.emplace_back(i, Message(result));
                              });
    co_return CheckResult();
  };
  Running(*io, batch()).Get();
  ASSERT_EQ(answers.size(), 3u);
  EXPECT_EQ(answers.back(), std::pair(size_t{0}, std::string("answer 0"))) << "the slowest";
  for (const auto& [i, message] : answers) EXPECT_EQ(message, "answer " + std::to_string(i));
}

TEST_F(PoolTest, AnOldWorkerIsReplaced) {
  Open({.workers = 1, .max_age = milliseconds(1)});
  ASSERT_TRUE(Check(Fake("slow 10")));
  ASSERT_TRUE(Check("b\n"));
  EXPECT_EQ(pool->stats().started, 2u);
}

TEST_F(PoolTest, AHeaderThatIsNotUtf8IsSentAsReplacementCharacters) {
  Open({.workers = 1});
  EXPECT_EQ(Message(Check("-- \xFF\n" + Fake("error 0 fine"))), "fine");
}

TEST_F(PoolTest, CountsReusedBytes) {
  Open({.workers = 1});
  ASSERT_TRUE(Check("abcd\n"));
  ASSERT_TRUE(Check("abxy\n"));
  EXPECT_EQ(pool->stats().text_bytes, 10u);
  EXPECT_EQ(pool->stats().reused_bytes, 2u);
}

TEST_F(PoolTest, CloseCancelsRunningAndWaitingChecks) {
  Open({.workers = 1});
  Running running = Occupy("up");
  Running waiting = Start("text\n");
  io->poll();
  pool->Close();
  EXPECT_EQ(running.Get().error().code, ErrorCode::kCancelled);
  EXPECT_EQ(waiting.Get().error().code, ErrorCode::kCancelled);
  EXPECT_EQ(Check("later\n").error().code, ErrorCode::kCancelled);
  EXPECT_TRUE(pool->pids().empty());
}

TEST_F(PoolTest, ClosingAnUnusedPoolIsHarmless) {
  Open({.workers = 2});
  pool->Close();
  pool->Close();
  EXPECT_EQ(Check("text\n").error().code, ErrorCode::kCancelled);
}

TEST_F(PoolTest, AWorkerIsReplacedAfterMaxChecks) {
  Open({.workers = 1, .max_checks = 2});
  std::vector<std::string> pids;
  for (int i = 0; i < 4; ++i) pids.push_back(Message(Check(Fake("pid"))));
  EXPECT_EQ(pids[0], pids[1]);
  EXPECT_NE(pids[1], pids[2]);
  EXPECT_EQ(pids[2], pids[3]);
}

TEST_F(PoolTest, AWorkerThatHasGrownIsReplaced) {
  Open({.workers = 1, .max_resident_bytes = 1});
  EXPECT_NE(Message(Check(Fake("pid"))), Message(Check(Fake("pid"))));
}

TEST_F(PoolTest, OtherImportsNeedAnotherWorker) {
  Open({.workers = 1});
  const std::string first = Message(Check("import A\n" + Fake("pid")));
  EXPECT_EQ(Message(Check("import A\ndef a := 1\n" + Fake("pid"))), first);
  EXPECT_NE(Message(Check("import B\n" + Fake("pid"))), first);
  EXPECT_EQ(pool->stats().started, 2u);
  EXPECT_EQ(pool->stats().crashes, 0u);
}

TEST_F(PoolTest, AlternatingHeadersKeepAWorkerEach) {
  Open({.workers = 2});
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(Check("import A\ntheorem a" + std::to_string(i) + "\n"));
    ASSERT_TRUE(Check("import B\ntheorem b" + std::to_string(i) + "\n"));
  }
  EXPECT_EQ(pool->stats().started, 2u);
}

TEST_F(PoolTest, ANewHeaderReplacesTheOneIdleLongest) {
  Open({.workers = 2});
  for (const char* header : {"A", "B", "A", "C", "A", "C"}) {
    ASSERT_TRUE(Check(std::string("import ") + header + "\n"));
  }
  EXPECT_EQ(pool->stats().started, 3u) << "C took the place of B";
}

TEST_F(PoolTest, NoLeanIsAnEnvironmentErrorForEveryCheck) {
  Toolchain toolchain = testing::FakeToolchain(folder.path());
  toolchain.lean = "/no/such/lean";
  pool = std::make_unique<Pool>(io->get_executor(), toolchain, PoolOptions{.workers = 1});
  Running first = Start("a\n");
  Running second = Start("b\n");
  EXPECT_EQ(first.Get().error().code, ErrorCode::kEnvironment);
  EXPECT_EQ(second.Get().error().code, ErrorCode::kEnvironment);
}

TEST_F(PoolTest, ALimitDoesNotCountTheWaitForAWorker) {
  Open({.workers = 1});
  Running busy = Start(Fake("slow 600"));
  CheckRequest request;
  request.deadline = Generous();
  request.limit = milliseconds(400);
  request.text = "waits\n";
  CheckRequest slow = request;
  slow.text = "text\n" + Fake("slow 1500");
  Running waits(*io, pool->Check(std::move(request)));
  Running times_out(*io, pool->Check(std::move(slow)));
  EXPECT_TRUE(waits.Get());
  EXPECT_EQ(times_out.Get().error().code, ErrorCode::kTimeout);
  EXPECT_TRUE(busy.Get());
}

/// A check of the stress test and how it must end.
struct StormCheck {
  std::string text;
  std::set<ErrorCode> errors;  // empty: it must succeed
  std::string message;         // then, exactly this diagnostic
};

StormCheck MakeStormCheck(int number, bool faulty, std::mt19937& random,
                          const std::filesystem::path& folder) {
  StormCheck check;
  check.message = "verdict " + std::to_string(number);
  check.text = "theorem t" + std::to_string(number % 7) + " : 1 := by\n  dec\n  zero\n" +
               Fake("error 0 " + check.message);
  if (!faulty) return check;
  const std::string marker = (folder / ("storm" + std::to_string(number))).string();
  static const std::vector<std::string> deadly = {
      "crash",      "crash INTERNAL PANIC: out of memory",
      "truncated",  "invalid-json",
      "huge-frame", "close-stdout",
      "eat 100",    "die 9"};
  static const std::vector<std::string> harmless = {"stale", "unknown-id", "collide",
                                                    "garbage 1000", "stderr 100000"};
  switch (random() % 4) {
    case 0:
      check.text += Fake(deadly[random() % deadly.size()]);
      check.errors = {ErrorCode::kCrashed};
      break;
    case 1:
      check.text += Fake("crash-once " + marker);
      break;
    case 2:
      check.text += Fake(random() % 2 == 0 ? "hang" : "deaf");
      check.errors = {ErrorCode::kTimeout};
      break;
    default:
      check.text += Fake(harmless[random() % harmless.size()]);
  }
  return check;
}

// ---- several Lean toolchains

TEST_F(PoolTest, WorkersOfSeveralToolchainsShareTheSlots) {
  Open({.workers = 1});
  const auto check = [&](const WorkerSetup& setup) {
    CheckRequest request;
    request.text = Fake("pid") + "theorem a\n";
    request.deadline = Generous();
    return Message(Await(*io, pool->CheckWith(setup, std::move(request))));
  };
  const auto lean = [&] {
    return std::make_shared<const Toolchain>(testing::FakeToolchain(folder.path()));
  };
  const WorkerSetup one{.toolchain = lean(), .skip_kernel = false, .imports = "1"};
  const WorkerSetup other{.toolchain = lean(), .skip_kernel = false, .imports = "1"};
  const std::string first = check(one);
  EXPECT_EQ(check(one), first);
  EXPECT_NE(check(other), first);
  EXPECT_EQ(pool->pids().size(), 1u);
  WorkerSetup rebuilt = other;
  rebuilt.imports = "2";
  const std::string before = check(other);
  EXPECT_NE(check(rebuilt), before) << "a worker keeps the imports that it has loaded";
  EXPECT_EQ(pool->stats().started, 3u);
}

TEST_F(PoolTest, RoomTakesSlotsAndGivesThemBack) {
  Open({.workers = 2});
  Running busy = Start(Fake("slow 300") + "theorem a\n");
  ASSERT_TRUE(Check("text\n"));
  auto room = Await(*io, pool->Reserve(7, Generous(), nullptr));
  ASSERT_TRUE(room);
  EXPECT_TRUE(busy.done()) << "running checks are waited for";
  EXPECT_TRUE(busy.Get());
  EXPECT_TRUE(pool->pids().empty());
  const auto refused = Check("text\n", core::testing::Soon());
  EXPECT_EQ(refused.error().code, ErrorCode::kTimeout);
  Running waits = Start("text\n");
  room->reset();
  EXPECT_TRUE(waits.Get());
}

TEST_F(PoolTest, WhatIsLoadedAheadIsReady) {
  Open({.workers = 2});
  ASSERT_TRUE(Check("text\n"));
  const auto load = [&](std::string text) {
    CheckRequest request;
    request.text = std::move(text);
    request.deadline = Generous();
    Await(*io, pool->LoadAhead(std::move(request)));
  };
  load("text\n");
  EXPECT_EQ(pool->stats().started, 2u) << "the idle worker has the imports already";
  EXPECT_EQ(pool->stats().checks, 1u) << "it is no check";
  load("text\n");
  Running first = Start("text\n" + Fake("slow 100"));
  Running second = Start("text\n" + Fake("slow 100"));
  EXPECT_TRUE(first.Get() && second.Get());
  EXPECT_EQ(pool->stats().started, 2u);
}

TEST_F(PoolTest, LoadingAheadTakesNoSlotThatIsReservedAndEndsWithThePool) {
  Open({.workers = 2});
  const auto load = [&](core::Cancellation* cancellation) {
    CheckRequest request;
    request.text = Fake("slow 3600000") + "import Init\n";
    request.deadline = Generous();
    request.cancellation = cancellation;
    return Started<bool>(*io, core::testing::ThenTrue(pool->LoadAhead(std::move(request))));
  };
  auto room = Await(*io, pool->Reserve(2, Generous(), nullptr));
  ASSERT_TRUE(room);
  load(nullptr).Get();
  EXPECT_EQ(pool->stats().started, 0u);
  room->reset();

  core::Cancellation cancellation;
  auto cancelled = load(&cancellation);
  auto closed = load(nullptr);
  RunUntil(*io, [&] { return pool->pids().size() == 2; });
  cancellation.Request();
  cancelled.Get();
  pool->Close();
  closed.Get();
  load(nullptr).Get();
}

TEST_F(PoolTest, TwoRequestsForAllTheRoomAreServedInTurn) {
  Open({.workers = 2});
  using Made = Result<std::unique_ptr<Pool::Reservation>>;
  Started<Made> first(*io, pool->Reserve(2, Generous(), nullptr));
  Started<Made> second(*io, pool->Reserve(2, Generous(), nullptr));
  core::Cancellation cancellation;
  Started<Made> third(*io, pool->Reserve(2, Generous(), &cancellation));
  auto room = first.Get();
  ASSERT_TRUE(room);
  EXPECT_FALSE(second.done());
  cancellation.Request();
  EXPECT_EQ(third.Get().error().code, ErrorCode::kCancelled);
  room->reset();
  EXPECT_TRUE(second.Get());
}

TEST_F(PoolTest, IdleWorkersAreStoppedAboveTheMemoryLimit) {
  Open({.workers = 1});
  ASSERT_TRUE(Check("import A\n"));
  const uint64_t one = pool->ResidentBytes();
  pool.reset();
  Open({.workers = 2, .max_total_bytes = one * 3 / 2});
  EXPECT_TRUE(Check("import A\n"));
  EXPECT_TRUE(Check("import B\n"));
  EXPECT_EQ(pool->pids().size(), 1u);
  EXPECT_EQ(pool->stats().evicted, 1u);
}

TEST_F(PoolTest, TenThousandChecksWithFaultsAreEachAnsweredOnceAndCorrectly) {
  constexpr int kBatches = 200;
  constexpr int kBatch = 50;
  PoolOptions options{.workers = 3};
  options.worker.cancel_grace = milliseconds(200);
  options.worker.max_resident_bytes = 80U << 20U;
  options.max_checks = 1000;
  Open(options);
  std::mt19937 random(4);
  size_t most_descriptors = 0;
  uint64_t early_memory = 0;
  for (int batch = 0; batch < kBatches; ++batch) {
    std::vector<StormCheck> checks;
    std::vector<Running> running;
    for (int i = 0; i < kBatch; ++i) {
      checks.push_back(MakeStormCheck(batch * kBatch + i, i == 5, random, folder.path()));
      const bool hangs = checks.back().errors.contains(ErrorCode::kTimeout);
      running.push_back(
          Start(checks.back().text, hangs ? Deadline::After(milliseconds(400)) : Generous()));
    }
    for (size_t i = 0; i < checks.size(); ++i) {
      const auto result = running[i].Get();
      ASSERT_EQ(running[i].times_ended(), 1);
      if (checks[i].errors.empty()) {
        ASSERT_TRUE(result) << checks[i].text << result.error().message;
        ASSERT_EQ(result->diagnostics.size(), 1u) << checks[i].text;
        ASSERT_EQ(Message(result), checks[i].message);
      } else {
        ASSERT_FALSE(result) << checks[i].text;
        ASSERT_TRUE(checks[i].errors.contains(result.error().code)) << checks[i].text;
      }
    }
    ASSERT_LE(core::testing::Children().size(), 3u);
    most_descriptors = std::max(most_descriptors, core::testing::OpenDescriptors());
    if (batch == kBatches / 10) early_memory = core::testing::ResidentBytes();
  }
  EXPECT_EQ(pool->stats().checks, 10'000u);
  if (!core::testing::kSanitized) {
    EXPECT_LT(core::testing::ResidentBytes(), early_memory + (8U << 20U));
  }
  EXPECT_LE(most_descriptors, descriptors_before_ + 16)
      << "4 of the loop and 4 of each of three workers";
}

}  // namespace
}  // namespace zermelo::lean
