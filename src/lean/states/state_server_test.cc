#include <csignal>
#include <fstream>
#include <gtest/gtest.h>

#include "core/testing/testing.h"
#include "lean/states/late_state_server.h"
#include "lean/testing/fake_lean.h"
#include "syntax/declarations.h"

namespace zermelo::lean {
namespace {

using core::ErrorCode;
using core::Result;
using core::testing::Await;
using std::chrono::milliseconds;

class StateServerTest : public ::testing::Test {
 protected:
  void TearDown() override {
    server.reset();
    core::testing::RunOut(*io);
    EXPECT_TRUE(core::testing::Children().empty());
    io.reset();
    EXPECT_EQ(core::testing::OpenDescriptors(), descriptors_before_);
  }
  Result<std::unique_ptr<StateServer>> Start(StateServerOptions options = {}) {
    return Await(*io, StateServer::Start(io->get_executor(), Fake(), std::move(options)));
  }
  Toolchain Fake() const {
    Toolchain toolchain = testing::FakeToolchain(folder.path());
    toolchain.lean = testing::FakeLeanPath().parent_path() / "fake_states.py";
    return toolchain;
  }
  void Begin(StateServerOptions options = {}) {
    auto started = Start(std::move(options));
    ASSERT_TRUE(started) << started.error().message;
    server = std::move(*started);
  }
  static StateQuery Query(int number, const std::vector<std::string>& tactics) {
    StateQuery query;
    query.hole.text = "theorem game : " + std::to_string(number) + " := by\n  sorry\n";
    query.hole.byte = query.hole.text.find("sorry");
    for (const auto& tactic : tactics) query.tactics += "  " + tactic + "\n";
    query.deadline = core::testing::Generous();
    query.limit = std::chrono::seconds(20);
    return query;
  }
  Result<StateRun> Run(int number, const std::vector<std::string>& tactics) {
    return Await(*io, server->Run(Query(number, tactics)));
  }
  std::string File(const std::string& name) const { return (folder.path() / name).string(); }

  const size_t descriptors_before_ = core::testing::OpenDescriptors();
  const core::TemporaryFolder folder = std::move(*core::TemporaryFolder::Create("zermelo-test-"));
  std::unique_ptr<boost::asio::io_context> io = std::make_unique<boost::asio::io_context>();
  std::unique_ptr<StateServer> server;
};

TEST_F(StateServerTest, RunsTacticsFromAHole) {
  Begin();
  const auto goals = Await(*io, server->Goals(Query(2, {})));
  ASSERT_TRUE(goals) << goals.error().message;
  EXPECT_EQ(*goals, std::vector<std::string>{"2"});
  const auto run = Run(2, {"dec", "dec", "zero"});
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_TRUE(run->Closed());
  EXPECT_EQ(run->steps.at(1).goals, std::vector<std::string>{"0"});
  const auto failed = Run(2, {"dec", "zero"});
  EXPECT_EQ(failed->FirstError()->begin.line, 1U);
  EXPECT_EQ(failed->goals, std::vector<std::string>{"1"});
}

TEST_F(StateServerTest, CountsWhatWasElaborated) {
  Begin();
  const auto before = server->stats();
  Run(2, {"dec", "dec"});
  Run(2, {"dec", "dec", "zero"});
  EXPECT_EQ(server->stats().runs, before.runs + 2);
  EXPECT_EQ(server->stats().tactics, before.tactics + 5);
  EXPECT_EQ(server->stats().elaborated, before.elaborated + 3);
}

TEST_F(StateServerTest, ALeanThatAnswersTheSelfTestOtherwiseIsNotUsed) {
  std::ofstream(File("wrong")) << "";
  const auto started = Start();
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code, ErrorCode::kEnvironment);
  EXPECT_NE(started.error().message.find("self-test"), std::string::npos)
      << started.error().message;
}

TEST_F(StateServerTest, ALeanThatCannotRunTheProgramIsNotUsed) {
  Toolchain toolchain = testing::FakeToolchain(folder.path());
  toolchain.lean = "/bin/false";
  const auto started = Await(*io, StateServer::Start(io->get_executor(), std::move(toolchain), {}));
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code, ErrorCode::kEnvironment);
}

TEST_F(StateServerTest, AHoleThatLeanDoesNotReachIsAnInputError) {
  Begin();
  StateQuery query = Query(1, {"dec"});
  ++query.hole.byte;
  const auto run = Await(*io, server->Run(query));
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, ErrorCode::kInput);
  EXPECT_NE(run.error().message.find("no hole there"), std::string::npos);
  EXPECT_TRUE(Run(1, {"dec"}));
}

TEST_F(StateServerTest, ARunWhoseProcessDiesIsRepeatedInANewOne) {
  Begin();
  for (const std::string fault : {"die", "garbage", "nonsense"}) {
    const auto started = server->stats().started;
    const auto run = Run(1, {"dec", "once " + File(fault) + " " + fault});
    ASSERT_TRUE(run) << fault << ": " << run.error().message;
    EXPECT_EQ(run->steps.size(), 2U);
    EXPECT_EQ(server->stats().started, started + 1) << fault;
  }
}

TEST_F(StateServerTest, ARunThatKillsTwoProcessesHasCrashed) {
  Begin();
  const auto run = Run(1, {"die"});
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, ErrorCode::kCrashed);
  EXPECT_NE(run.error().message.find("last words"), std::string::npos) << run.error().message;
  EXPECT_TRUE(Run(1, {"dec"})) << "the next run has a process again";
}

TEST_F(StateServerTest, AProcessThatHangsIsReplaced) {
  StateServerOptions options;
  options.grace = milliseconds(200);
  Begin(options);
  StateQuery query = Query(1, {"once " + File("hung") + " hang"});
  query.limit = milliseconds(100);
  const auto run = Await(*io, server->Run(query));
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(server->stats().started, 2U);
}

TEST_F(StateServerTest, AProcessThatUsesTooMuchMemoryIsReplaced) {
  StateServerOptions options;
  options.max_resident_bytes = 200U << 20U;
  Begin(options);
  const auto run = Run(1, {"once " + File("grew") + " grow"});
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(server->stats().started, 2U);
}

TEST_F(StateServerTest, WhatTacticsPrintIsSkipped) {
  Begin();
  const auto run = Run(1, {"chatter"});
  EXPECT_TRUE(run) << run.error().message;
  EXPECT_EQ(server->stats().started, 1U);
}

TEST_F(StateServerTest, ARunThatWaitsInVainEndsAtItsDeadlineOrOnRequest) {
  StateServerOptions options;
  options.grace = milliseconds(500);
  Begin(options);
  StateQuery stuck = Query(1, {"once " + File("stuck") + " hang"});
  stuck.limit = milliseconds(500);
  core::testing::Started<Result<StateRun>> running(*io, server->Run(stuck));
  core::testing::RunUntil(*io, [&] { return std::filesystem::exists(File("stuck")); });
  StateQuery late = Query(1, {"dec"});
  late.deadline = core::testing::Soon();
  EXPECT_EQ(Await(*io, server->Run(late)).error().code, ErrorCode::kTimeout);
  core::Cancellation cancellation;
  StateQuery cancelled = Query(1, {"dec"});
  cancelled.cancellation = &cancellation;
  core::testing::Started<Result<StateRun>> waiting(*io, server->Run(cancelled));
  cancellation.Request();
  EXPECT_EQ(waiting.Get().error().code, ErrorCode::kCancelled);
  EXPECT_TRUE(running.Get());
}

// ---- trials

using Outcome = ProbeResult::Outcome;
using Tried = std::optional<std::vector<ProbeResult>>;

class TrialsTest : public StateServerTest {
 protected:
  Result<Tried> Try(std::string before, std::vector<std::string> candidates,
                    core::Cancellation* cancellation = nullptr) {
    return Await(*io, TryLater(std::move(before), std::move(candidates), cancellation));
  }
  core::Task<Result<Tried>> TryLater(std::string before, std::vector<std::string> candidates,
                                     core::Cancellation* cancellation) {
    ProbeLimits limits;
    limits.deadline = core::testing::Generous();
    limits.cancellation = cancellation;
    const auto site = testing::GameSite(2);
    co_return co_await Probe(*server, site, std::move(before), std::move(candidates), limits);
  }
  static std::vector<Outcome> Outcomes(const Result<Tried>& tried) {
    std::vector<Outcome> outcomes;
    EXPECT_TRUE(tried && *tried);
    if (!tried || !*tried) return outcomes;
    for (const ProbeResult& result : **tried) outcomes.push_back(result.outcome);
    return outcomes;
  }
};

TEST_F(TrialsTest, AreRunFromTheStateAfterOtherTactics) {
  Begin();
  const auto tried = Try("dec\ndec", {"dec", "zero", "skip", "slow"});
  EXPECT_EQ(Outcomes(tried),
            (std::vector{Outcome::kClosed, Outcome::kClosed, Outcome::kFailed, Outcome::kSlow}));
  EXPECT_EQ((*tried)->at(2).message, "wrong");
  const auto open = Try("", {"dec", "dec\ndec\nzero"});
  EXPECT_EQ(Outcomes(open), (std::vector{Outcome::kOpen, Outcome::kClosed}));
  EXPECT_EQ((*open)->at(0).goals, std::vector<std::string>{"1"});
}

TEST_F(TrialsTest, AfterTacticsThatFailOrCloseTheGoalNothingIsKnown) {
  Begin();
  const std::vector unknown(2, Outcome::kUnknown);
  EXPECT_EQ(Outcomes(Try("zero", {"dec", "dec"})), unknown);
  EXPECT_EQ(Outcomes(Try("dec\ndec\nzero", {"dec", "dec"})), unknown);
}

TEST_F(TrialsTest, AreRepeatedInANewProcess) {
  Begin();
  EXPECT_EQ(Outcomes(Try("", {"dec", "once " + File("died") + " die"})),
            (std::vector{Outcome::kOpen, Outcome::kFailed}));
  EXPECT_EQ(server->stats().started, 2U);
  EXPECT_EQ(Try("", {"die"}).error().code, ErrorCode::kCrashed);
}

TEST_F(TrialsTest, AreCancelledWhileTheyRun) {
  Begin();
  core::Cancellation cancellation;
  core::testing::Started<Result<Tried>> running(*io, TryLater("", {"wait", "dec"}, &cancellation));
  core::testing::RunUntil(*io, [&] { return std::filesystem::exists(File("waiting")); });
  cancellation.Request();
  EXPECT_EQ(running.Get().error().code, ErrorCode::kCancelled);
  EXPECT_EQ(Outcomes(Try("", {"dec"})), std::vector{Outcome::kOpen});
  EXPECT_EQ(server->stats().started, 1U);
}

TEST_F(StateServerTest, TheHoleThatWasUsedLeastRecentlyIsFreed) {
  StateServerOptions options;
  options.max_holes = 2;
  Begin(options);
  for (const int hole : {1, 2, 1, 3}) Run(hole, {"dec"});
  const auto before = server->stats().elaborated;
  Run(1, {"dec"});
  Run(3, {"dec"});
  EXPECT_EQ(server->stats().elaborated, before) << "they are known";
  Run(2, {"dec"});
  EXPECT_EQ(server->stats().elaborated, before + 1);
}

TEST_F(TrialsTest, GoToAnyProcessThatIsFreeAndDoNotWait) {
  StateServerOptions options;
  options.processes = 2;
  options.shares_holes = true;
  Begin(options);
  Await(*io, server->StartAll());
  core::Cancellation cancellation;
  core::testing::Started<Result<Tried>> first(*io, TryLater("", {"wait"}, &cancellation));
  core::testing::RunUntil(*io, [&] { return std::filesystem::exists(File("waiting")); });
  std::filesystem::remove(File("waiting"));
  EXPECT_EQ(Outcomes(Try("", {"dec"})), std::vector{Outcome::kOpen});
  core::testing::Started<Result<Tried>> second(*io, TryLater("", {"wait"}, &cancellation));
  core::testing::RunUntil(*io, [&] { return std::filesystem::exists(File("waiting")); });
  const auto third = Try("", {"dec"});
  ASSERT_TRUE(third);
  EXPECT_FALSE(*third) << "all processes are busy";
  cancellation.Request();
  EXPECT_EQ(first.Get().error().code, ErrorCode::kCancelled);
  EXPECT_EQ(second.Get().error().code, ErrorCode::kCancelled);
}

// ---- two threads in one process

class TwoThreadsTest : public TrialsTest {
 protected:
  using Running = core::testing::Started<Result<StateRun>>;

  void SetUp() override { Begin(TwoThreads()); }
  static StateServerOptions TwoThreads() {
    StateServerOptions options;
    options.threads = 2;
    options.grace = milliseconds(200);
    return options;
  }
  /// Starts a run that ends when it is cancelled, and returns when Lean has begun it.
  std::unique_ptr<Running> Waiting(core::Cancellation& cancellation) {
    std::filesystem::remove(File("waiting"));
    StateQuery query = Query(2, {"dec", "wait"});
    query.cancellation = &cancellation;
    return Begun(std::move(query), "waiting");
  }
  /// Starts a run that waits, and fails at once when it is repeated.
  std::unique_ptr<Running> WaitingOnce() {
    return Begun(Query(2, {"dec", "once " + File("waits") + " wait"}), "waits");
  }
  std::unique_ptr<Running> Begun(StateQuery query, const std::string& file) {
    auto run = std::make_unique<Running>(*io, server->Run(std::move(query)));
    core::testing::RunUntil(*io, [&] { return std::filesystem::exists(File(file)); });
    return run;
  }
  static void ExpectRepeated(Running& run) {
    const auto& answer = run.Get();
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->steps.size(), 2U);
    EXPECT_EQ(answer->goals, std::vector<std::string>{"1"});
  }
};

TEST_F(TwoThreadsTest, ARunIsAnsweredWhileAnEarlierOneGoesOn) {
  core::Cancellation cancellation;
  const auto first = Waiting(cancellation);
  const auto second = Run(2, {"dec", "dec", "zero"});
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_TRUE(second->Closed());
  EXPECT_TRUE(Run(3, {"dec"})) << "a hole is opened meanwhile";
  cancellation.Request();
  EXPECT_EQ(first->Get().error().code, ErrorCode::kCancelled);
  EXPECT_EQ(server->stats().started, 1U);
}

TEST_F(TwoThreadsTest, OnlyTheRunThatIsCancelledEnds) {
  core::Cancellation one, other;
  const auto first = Waiting(one);
  const auto second = Waiting(other);
  other.Request();
  EXPECT_EQ(second->Get().error().code, ErrorCode::kCancelled);
  EXPECT_TRUE(Run(2, {"dec"})) << "its thread is free again";
  one.Request();
  EXPECT_EQ(first->Get().error().code, ErrorCode::kCancelled);
  EXPECT_EQ(server->stats().started, 1U);
}

TEST_F(TwoThreadsTest, AThirdRunWaitsForAThread) {
  core::Cancellation one, other;
  const auto first = Waiting(one);
  const auto second = Waiting(other);
  StateQuery late = Query(2, {"dec"});
  late.deadline = core::testing::Soon();
  EXPECT_EQ(Await(*io, server->Run(late)).error().code, ErrorCode::kTimeout);
  Running third(*io, server->Run(Query(2, {"dec"})));
  one.Request();
  EXPECT_TRUE(third.Get());
  other.Request();
  second->Get();
}

TEST_F(TwoThreadsTest, BothRunsOfAProcessThatDiesAreRepeated) {
  for (const std::string fault : {"die", "garbage", "nonsense"}) {
    std::filesystem::remove(File("waits"));
    const auto first = WaitingOnce();
    const auto second = Run(2, {"dec", "once " + File(fault) + " " + fault});
    ASSERT_TRUE(second) << fault << ": " << second.error().message;
    EXPECT_EQ(second->steps.size(), 2U);
    ExpectRepeated(*first);
  }
}

TEST_F(TwoThreadsTest, ARunBesideOneThatKillsTwoProcessesIsAnswered) {
  const auto first = WaitingOnce();
  EXPECT_EQ(Run(2, {"die"}).error().code, ErrorCode::kCrashed);
  ExpectRepeated(*first);
  EXPECT_TRUE(Run(2, {"dec"}));
}

TEST_F(TwoThreadsTest, ARunBesideOneThatHangsIsRepeated) {
  const auto first = WaitingOnce();
  StateQuery hangs = Query(2, {"dec", "once " + File("hung") + " hang"});
  hangs.limit = milliseconds(100);
  const auto second = Await(*io, server->Run(hangs));
  ASSERT_TRUE(second) << second.error().message;
  ExpectRepeated(*first);
}

TEST_F(TwoThreadsTest, ARunBesideOneThatUsesTooMuchMemoryIsRepeated) {
  StateServerOptions options = TwoThreads();
  options.max_resident_bytes = 200U << 20U;
  Begin(options);
  const auto first = WaitingOnce();
  const auto second = Run(2, {"dec", "once " + File("grew") + " grow"});
  ASSERT_TRUE(second) << second.error().message;
  ExpectRepeated(*first);
}

TEST_F(TwoThreadsTest, AHoleIsFreedWhenItsRunsHaveEnded) {
  core::Cancellation cancellation;
  const auto first = Waiting(cancellation);
  bool freed = false;
  core::testing::Started<bool> freeing(*io, [](auto& states, bool& done) -> core::Task<bool> {
    co_await states.Free(Query(2, {}).hole);
    co_return done = true;
  }(*server, freed));
  const auto before = server->stats().elaborated;
  EXPECT_TRUE(Run(2, {"dec"}));
  EXPECT_EQ(server->stats().elaborated, before + 1) << "the hole is opened again";
  EXPECT_FALSE(freed);
  cancellation.Request();
  EXPECT_EQ(first->Get().error().code, ErrorCode::kCancelled);
  EXPECT_TRUE(freeing.Get());
}

TEST_F(TwoThreadsTest, AHoleThatIsInUseIsNotFreedForAnother) {
  StateServerOptions options = TwoThreads();
  options.max_holes = 1;
  Begin(options);
  core::Cancellation cancellation;
  const auto first = Waiting(cancellation);
  EXPECT_TRUE(Run(3, {"dec"}));
  const auto before = server->stats().elaborated;
  EXPECT_TRUE(Run(2, {"dec"}));
  EXPECT_EQ(server->stats().elaborated, before) << "the first hole's states are there";
  cancellation.Request();
  first->Get();
}

TEST_F(TwoThreadsTest, TrialsThatDoNotWaitUseBoth) {
  Begin(ForSearch(2));
  Await(*io, server->StartAll());
  EXPECT_EQ(server->pids().size(), 1U);
  core::Cancellation cancellation;
  core::testing::Started<Result<Tried>> first(*io, TryLater("", {"wait"}, &cancellation));
  core::testing::RunUntil(*io, [&] { return std::filesystem::exists(File("waiting")); });
  EXPECT_EQ(Outcomes(Try("", {"dec"})), std::vector{Outcome::kOpen});
  std::filesystem::remove(File("waiting"));
  core::testing::Started<Result<Tried>> second(*io, TryLater("", {"wait"}, &cancellation));
  core::testing::RunUntil(*io, [&] { return std::filesystem::exists(File("waiting")); });
  EXPECT_FALSE(*Try("", {"dec"})) << "both threads are busy";
  cancellation.Request();
  EXPECT_EQ(first.Get().error().code, ErrorCode::kCancelled);
  EXPECT_EQ(second.Get().error().code, ErrorCode::kCancelled);
}

TEST(ForSearchTest, TwoRunsShareAProcess) {
  const auto shape = [](size_t runs) {
    const StateServerOptions options = ForSearch(runs);
    return std::pair(options.processes, options.threads);
  };
  EXPECT_EQ(shape(1), std::pair(1UL, 1UL));
  EXPECT_EQ(shape(2), std::pair(1UL, 2UL));
  EXPECT_EQ(shape(3), std::pair(2UL, 3UL));
  EXPECT_EQ(shape(8), std::pair(4UL, 8UL));
}

// ---- elsewhere

class StatesElsewhereTest : public TrialsTest {
 protected:
  void SetUp() override {
    place->name = "a";
    place->launch = {(testing::FakeLeanPath().parent_path() / "fake_host.py").string(), File("a")};
    place->fingerprint = [](auto, auto) -> core::Task<std::string> { co_return "same"; };
    std::filesystem::create_directories(folder.path() / "a");
  }
  void TearDown() override {
    server->Close();
    if (here) here->Get();
    Await(*io, server->Join());
    TrialsTest::TearDown();
  }
  /// One process here, which is busy, and one at the place, which is then started.
  void BeginElsewhere() {
    PoolOptions pool;
    pool.places = {place};
    Begin(ForSearch(1, pool));
    Await(*io, server->StartAll());
    EXPECT_FALSE(std::filesystem::exists(File("a/started"))) << "not before it is needed";
    here.emplace(*io, TryLater("", {"wait"}, nullptr));
    core::testing::RunUntil(*io, [&] { return std::filesystem::exists(File("waiting")); });
    const auto early = Try("", {"dec"});
    ASSERT_TRUE(early) << early.error().message;
    EXPECT_FALSE(*early) << "nothing waits for its start";
  }
  void RunUntilItIsThere() {
    core::testing::RunUntil(*io, [&] {
      const auto tried = Try("", {"dec"});
      return tried && tried->has_value();
    });
  }
  std::vector<int> Started() const {
    std::ifstream log(File("a/started"));
    std::vector<int> pids;
    for (int pid = 0; log >> pid;) pids.push_back(pid);
    return pids;
  }

  const std::shared_ptr<remote::Place> place = std::make_shared<remote::Place>();
  std::optional<core::testing::Started<Result<Tried>>> here;
};

TEST_F(StatesElsewhereTest, OneElsewhereAnswersLikeOneHere) {
  BeginElsewhere();
  RunUntilItIsThere();
  EXPECT_EQ(Outcomes(Try("dec\ndec", {"dec", "zero", "skip"})),
            (std::vector{Outcome::kClosed, Outcome::kClosed, Outcome::kFailed}));
  EXPECT_EQ(Started().size(), 1U);
  std::ifstream file(File("a/order.json"));
  const auto order = nlohmann::json::parse(file).get<remote::Order>();
  EXPECT_TRUE(order.states);
  EXPECT_EQ(order.imports, syntax::ImportedModules(testing::GameSite(2).ForSearch("").text));
}

TEST_F(StatesElsewhereTest, TrialsOfANodeThatDiesAreLeftToWorkers) {
  BeginElsewhere();
  RunUntilItIsThere();
  core::testing::Started<Result<Tried>> there(*io, TryLater("", {"wait"}, nullptr));
  core::testing::RunUntil(*io, [&] { return std::filesystem::exists(File("a/waiting")); });
  ASSERT_EQ(::kill(Started().front(), SIGKILL), 0);
  const auto lost = there.Get();
  ASSERT_TRUE(lost) << lost.error().message;
  EXPECT_FALSE(*lost);
  EXPECT_FALSE(*Try("", {"dec"})) << "the place is left alone for a second";
  EXPECT_EQ(Started().size(), 1U);
  RunUntilItIsThere();
  EXPECT_EQ(Started().size(), 2U);
}

TEST_F(StatesElsewhereTest, ALeanThatDiesThereIsReplaced) {
  BeginElsewhere();
  RunUntilItIsThere();
  const auto died = Try("", {"die"});
  ASSERT_TRUE(died) << died.error().message;
  EXPECT_FALSE(*died);
  RunUntilItIsThere();
  EXPECT_EQ(Started().size(), 2U);
}

TEST_F(StatesElsewhereTest, ItsImportsMustBeThoseHere) {
  std::ofstream(File("a/imports")) << "others";
  BeginElsewhere();
  core::testing::RunUntil(*io, [&] { return Started().size() == 1 && server->pids().size() == 1; });
  EXPECT_FALSE(*Try("", {"dec"}));
}

TEST_F(TrialsTest, AProcessThatHasEndedIsReplacedInTheBackground) {
  Begin(ForSearch(1));
  Await(*io, server->StartAll());
  EXPECT_EQ(Try("", {"die"}).error().code, ErrorCode::kCrashed);
  EXPECT_EQ(server->pids().size(), 0U);
  EXPECT_FALSE(*Try("", {"dec"}));
  core::testing::RunUntil(*io, [&] { return Try("", {"dec"})->has_value(); });
  server->Close();
  Await(*io, server->Join());
}

TEST_F(StateServerTest, AClosedServerEndsItsRunsAndStartsNoMore) {
  Begin();
  core::testing::Started<Result<StateRun>> running(*io, server->Run(Query(1, {"wait"})));
  core::testing::RunUntil(*io, [&] { return std::filesystem::exists(File("waiting")); });
  server->Close();
  EXPECT_FALSE(running.Get());
  EXPECT_FALSE(Run(1, {"dec"}));
  EXPECT_EQ(server->stats().started, 1U);
}

// ---- a server that starts in the background

class LateStateServerTest : public StateServerTest {
 protected:
  static Trials OneTrial() {
    Trials trials;
    trials.hole = Query(1, {}).hole;
    trials.candidates = {"  dec\n"};
    trials.limits.deadline = core::testing::Generous();
    return trials;
  }
};

TEST_F(LateStateServerTest, NobodyWaitsForItsStart) {
  LateStateServer late(io->get_executor(), Fake(), {});
  const auto early = Await(*io, late.Try(OneTrial()));
  ASSERT_TRUE(early) << early.error().message;
  EXPECT_FALSE(*early);
  core::testing::RunUntil(*io, [&] { return Await(*io, late.Try(OneTrial()))->has_value(); });
  late.Close();
  EXPECT_EQ(Await(*io, late.Try(OneTrial())).error().code, ErrorCode::kEnvironment);
  Await(*io, late.Join());
}

TEST_F(LateStateServerTest, SaysWhyItCannotBeStarted) {
  std::ofstream(File("wrong")) << "";
  LateStateServer late(io->get_executor(), Fake(), {});
  core::testing::RunUntil(*io, [&] { return !Await(*io, late.Try(OneTrial())); });
  const auto tried = Await(*io, late.Try(OneTrial()));
  EXPECT_NE(tried.error().message.find("self-test"), std::string::npos) << tried.error().message;
  late.Close();
  Await(*io, late.Join());
}

TEST_F(LateStateServerTest, CanBeClosedAtAnyTime) {
  LateStateServer never(io->get_executor(), Fake(), {}), starting(io->get_executor(), Fake(), {});
  never.Close();
  starting.Begin();
  starting.Close();
  Await(*io, never.Join());
  Await(*io, starting.Join());
}

TEST_F(LateStateServerTest, FreesWhatASearchDrops) {
  LateStateServer late(io->get_executor(), Fake(), ForSearch(1));
  late.Begin();
  core::testing::RunUntil(*io,
                          [&] { return late.ready() != nullptr && !late.ready()->pids().empty(); });
  const auto run = [&] { return Await(*io, late.RunNow(Query(1, {"dec"}))); };
  core::testing::RunUntil(*io, [&] { return run()->has_value(); });
  const auto before = late.ready()->stats().elaborated;
  EXPECT_TRUE(run()->has_value());
  EXPECT_EQ(late.ready()->stats().elaborated, before);
  late.Drop(Query(1, {}).hole);
  core::testing::RunUntil(*io, [&] { return run()->has_value(); });
  EXPECT_EQ(late.ready()->stats().elaborated, before + 1);
  late.Close();
  Await(*io, late.Join());
}

TEST_F(StateServerTest, HolesAreSpreadOverTheProcesses) {
  StateServerOptions options;
  options.processes = 2;
  Begin(options);
  Run(1, {"dec"});
  Run(2, {"dec"});
  Run(1, {"dec"});
  EXPECT_EQ(server->pids().size(), 2U);
}

TEST_F(StateServerTest, AFreedHoleIsOpenedAgain) {
  Begin();
  Run(1, {"dec"});
  Await(*io, server->Free(Query(1, {}).hole));
  const auto before = server->stats().elaborated;
  EXPECT_TRUE(Run(1, {"dec"}));
  EXPECT_EQ(server->stats().elaborated, before + 1);
}

}  // namespace
}  // namespace zermelo::lean
