#include <csignal>
#include <fstream>
#include <gtest/gtest.h>

#include "lean/remote/place_health.h"
#include "lean/testing/pool_fixture.h"

namespace zermelo::lean {
namespace {

namespace fs = std::filesystem;
using core::Clock;
using core::ErrorCode;
using core::testing::RunUntil;
using remote::Failure;
using remote::Place;
using remote::PlaceHealth;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::Fake;
using testing::PoolTest;
using testing::Running;

core::Task<std::string> Same(std::shared_ptr<const Toolchain> toolchain,
                             std::vector<std::string> imports) {
  static_cast<void>(toolchain);
  static_cast<void>(imports);
  co_return "same";
}

/// A pool with one worker here and some behind fake_host.py.
class PlacesTest : public PoolTest {
 protected:
  void TearDown() override {
    pool->Close();  // checks that still run end, too
    RunUntil(*io, [&] { return pool->busy() == 0 && pool->waiting() == 0; });
    PoolTest::TearDown();
  }
  /// The launcher is fake_host.py itself.
  std::shared_ptr<Place> FakePlace(const std::string& name) {
    fs::create_directories(folder.path() / name);
    auto place = std::make_shared<Place>();
    place->name = name;
    place->launch = {(testing::FakeLeanPath().parent_path() / "fake_host.py").string(), File(name)};
    place->program = "zermelo";
    place->fingerprint = Same;
    return place;
  }
  void OpenWith(std::vector<std::shared_ptr<const Place>> places, size_t here = 1) {
    PoolOptions options;
    options.workers = here;
    options.places = std::move(places);
    options.on_place = [this](const remote::PlaceEvent& event) { events.push_back(event); };
    Open(options);
  }
  void Touch(const std::string& file, const std::string& text = "") {
    std::ofstream(File(file)) << text;
  }
  /// Process ids of the far sides that a place has had.
  std::vector<int> Started(const std::string& name) {
    std::ifstream log(File(name + "/started"));
    std::vector<int> pids;
    for (int pid = 0; log >> pid;) pids.push_back(pid);
    return pids;
  }
  Running StartCancellable(const std::string& text, core::Cancellation& cancellation) {
    CheckRequest request;
    request.text = text;
    request.deadline = core::testing::Generous();
    request.cancellation = &cancellation;
    return {*io, pool->Check(std::move(request))};
  }
  /// Occupies the worker here.
  Running OccupyHere() { return Occupy("here"); }

  std::vector<remote::PlaceEvent> events;
};

TEST_F(PlacesTest, AWorkerElsewhereAnswersLikeOneHere) {
  OpenWith({FakePlace("a")});
  EXPECT_EQ(pool->size(), 2u);
  Running here = OccupyHere();
  const auto result = Check("theorem t\n" + Fake("error 1 bad") + "x\n");
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->status, CheckStatus::kRejected);
  EXPECT_EQ(Started("a").size(), 1u);
  EXPECT_TRUE(events.empty());
}

TEST_F(PlacesTest, ATextReturnsToTheWorkerElsewhereThatHasItsBeginning) {
  OpenWith({FakePlace("a")});
  Running here = OccupyHere();
  const std::string text = "theorem long enough to be reused\n";
  ASSERT_TRUE(Check(text));
  const auto again = Check(text + "more\n");
  ASSERT_TRUE(again);
  EXPECT_EQ(again->reused_bytes, text.size());
  EXPECT_EQ(Started("a").size(), 1u);
}

TEST_F(PlacesTest, TheOrderNamesTheLeanThatIsExpected) {
  auto place = FakePlace("a");
  place->project = "/far/project";
  place->max_resident_bytes = uint64_t{7} << 30U;
  OpenWith({place});
  Running here = OccupyHere();
  ASSERT_TRUE(Check("import A.B\ntext\n"));
  std::ifstream file(File("a/order.json"));
  const auto order = nlohmann::json::parse(file).get<remote::Order>();
  EXPECT_EQ(order.version, "4.28.0-pre");
  EXPECT_EQ(order.project, "/far/project");
  EXPECT_EQ(order.max_resident_bytes, uint64_t{7} << 30U);
  EXPECT_EQ(order.imports, std::vector<std::string>{"A.B"});
}

TEST_F(PlacesTest, ACheckOfANodeThatDiesGoesElsewhere) {
  OpenWith({FakePlace("a"), FakePlace("b")});
  Running here = OccupyHere();
  Running check = Start("def a := 1\n" + Fake("touch " + File("there")) + Fake("slow 500"));
  RunUntil(*io, [&] { return fs::exists(File("there")); });
  const bool on_a = !Started("a").empty();
  ASSERT_EQ(::kill(Started(on_a ? "a" : "b").front(), SIGKILL), 0);
  const auto result = check.Get();
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(Started(on_a ? "b" : "a").size(), 1u);
  EXPECT_EQ(pool->stats().moved, 1u);
  EXPECT_EQ(pool->stats().crashes, 0u);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].place, on_a ? "a" : "b");
  EXPECT_DOUBLE_EQ(events[0].pause, 1);
}

TEST_F(PlacesTest, ANodeThatSaysNothingMoreIsGivenUp) {
  auto place = FakePlace("a");
  place->silence = milliseconds(700);
  OpenWith({place}, 2);
  Running here = OccupyHere();
  Running also_here = Occupy("too");
  Running check = Start("def a := 1\n" + Fake("touch " + File("there")) + Fake("hang"));
  RunUntil(*io, [&] { return fs::exists(File("there")); });
  RunUntil(*io, [&] { return !events.empty(); });
  EXPECT_NE(events[0].why.find("nothing was heard"), std::string::npos) << events[0].why;
  EXPECT_FALSE(check.done());  // it waits for a worker here
}

TEST_F(PlacesTest, AnUnreachableNodeIsLeftAloneForAWhileAndTriedAgain) {
  auto place = FakePlace("a");
  Touch("a/dead");
  OpenWith({place});
  Running here = OccupyHere();
  Running waiting = Start("text\n");
  RunUntil(*io, [&] { return events.size() == 1; });
  EXPECT_NE(events[0].why.find("no route to the fake host"), std::string::npos) << events[0].why;
  EXPECT_FALSE(waiting.done());
  fs::remove(File("a/dead"));
  const auto result = waiting.Get();  // after the pause, while the worker here is still busy
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_FALSE(here.done());
  EXPECT_EQ(events.back().why, "");
  EXPECT_EQ(Started("a").size(), 2u);
}

TEST_F(PlacesTest, NoCheckWaitsForANodeThatHasFailed) {
  auto place = FakePlace("a");
  const std::string launcher = place->launch.front();
  place->launch = {"sh", "-c",
                   "[ -e '" + File("a/hang") + "' ] && exec sleep 1000; exec '" + launcher + "' '" +
                       File("a") + "' \"$@\"",
                   "sh"};
  Touch("a/dead");
  OpenWith({place});
  core::Cancellation cancellation;
  Running here =
      StartCancellable("def a := 1\n" + Fake("touch " + File("here")) + Fake("hang"), cancellation);
  RunUntil(*io, [&] { return fs::exists(File("here")); });
  Running waiting = Start("text\n");
  RunUntil(*io, [&] { return events.size() == 1; });
  Touch("a/hang");
  fs::remove(File("a/dead"));
  RunUntil(*io, [&] { return pool->busy() == 2; });  // it is tried again
  cancellation.Request();
  const auto result = waiting.Get();
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(pool->busy(), 1u);  // the node has yet to answer
  EXPECT_EQ(events.size(), 1u);
  EXPECT_EQ(Started("a").size(), 1u);
}

TEST_F(PlacesTest, ANodeThatWorksAgainIsUsedByAllItsWorkers) {
  auto place = FakePlace("a");
  place->workers = 2;
  Touch("a/dead");
  OpenWith({place});
  Running here = OccupyHere();
  Running one = Start("text\n"), two = Start("another\n");
  RunUntil(*io, [&] { return !events.empty(); });
  fs::remove(File("a/dead"));
  ASSERT_TRUE(one.Get());
  ASSERT_TRUE(two.Get());
  EXPECT_FALSE(here.done());
  EXPECT_EQ(events.back().why, "");
}

TEST_F(PlacesTest, ARefusalOfOneProjectEndsAlsoIfAnotherHasWorkedMeanwhile) {
  OpenWith({FakePlace("a")});
  Touch("a/refuse");
  Running here = OccupyHere();
  core::Cancellation cancellation;
  Running refused = StartCancellable("text\n", cancellation);
  RunUntil(*io, [&] { return events.size() == 1; });
  cancellation.Request();
  ASSERT_FALSE(refused.Get());
  fs::remove(File("a/refuse"));
  auto other = std::make_shared<Toolchain>(pool->toolchain());
  other->project = folder.path();
  WorkerSetup setup;
  setup.toolchain = other;
  CheckRequest of_other;
  of_other.text = "text\n";
  of_other.deadline = core::testing::Generous();
  ASSERT_TRUE(Running(*io, pool->CheckWith(setup, std::move(of_other))).Get());
  EXPECT_EQ(pool->places()[0]->trouble(), "");
  const std::string own = PlaceHealth::KeyOf(pool->toolchain());
  EXPECT_TRUE(pool->places()[0]->InTrouble(own));
  ASSERT_TRUE(Check("text\n"));
  EXPECT_FALSE(pool->places()[0]->InTrouble(own));
}

TEST_F(PlacesTest, ANodeWithAnotherLeanGetsNoChecks) {
  OpenWith({FakePlace("a")});
  Touch("a/refuse");
  Running here = OccupyHere();
  Running waiting = Start("text\n");
  RunUntil(*io, [&] { return events.size() == 1; });
  EXPECT_FALSE(waiting.done());  // it waits for the worker here
  EXPECT_NE(events[0].why.find("it has another Lean"), std::string::npos);
}

TEST_F(PlacesTest, ACheckThatIsCancelledDoesNotWaitForTheLauncher) {
  auto place = FakePlace("a");
  place->launch = {"sh", "-c", "sleep 1000"};  // it ignores what follows
  OpenWith({place});
  Running here = OccupyHere();
  core::Cancellation cancellation;
  Running check = StartCancellable("text\n", cancellation);
  RunUntil(*io, [&] { return pool->busy() == 2; });
  cancellation.Request();
  const auto result = check.Get();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kCancelled);
}

TEST_F(PlacesTest, ADeadlineBeforeANodeIsReadyIsNotItsFailure) {
  auto place = FakePlace("a");
  place->launch = {"sh", "-c", "sleep 1000"};  // slower than the check may wait
  place->connect = seconds(5);
  OpenWith({place});
  Running here = OccupyHere();
  const auto result = Check("text\n", core::Deadline::After(seconds(3)));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kTimeout);
  EXPECT_TRUE(events.empty()) << events.front().why;
  RunUntil(*io, [&] { return pool->pids().size() == 1; });
  Running next = Start("text\n");
  RunUntil(*io, [&] { return !events.empty(); });
  EXPECT_NE(events[0].why.find("not ready within 5 s"), std::string::npos) << events[0].why;
}

TEST_F(PlacesTest, IdleWorkersOfADeadNodeAreNotTried) {
  auto place = FakePlace("a");
  place->workers = 3;
  OpenWith({place});
  Running here = Start("def a := 1\n" + Fake("slow 1500"));
  RunUntil(*io, [&] { return pool->busy() == 1; });
  const std::string text = "theorem long enough to be reused\n";
  Running one = Start(text), two = Start(text), three = Start(text);
  ASSERT_TRUE(one.Get());
  ASSERT_TRUE(two.Get());
  ASSERT_TRUE(three.Get());
  ASSERT_TRUE(here.Get());
  ASSERT_EQ(Started("a").size(), 3u);
  Touch("a/dead");
  for (const int pid : Started("a")) ::kill(pid, SIGKILL);
  RunUntil(*io, [&] { return pool->pids().size() == 1; });
  ASSERT_TRUE(Check(text + "more\n"));
  EXPECT_EQ(pool->stats().moved, 0u);
}

TEST_F(PlacesTest, AWorkerElsewhereThatHasHadNoTextTakesNoOtherImports) {
  auto place = FakePlace("a");
  const std::string launcher = place->launch.front();
  place->launch = {"sh", "-c",
                   "while [ -e '" + File("a/wait") + "' ]; do sleep 0.05; done; exec '" + launcher +
                       "' '" + File("a") + "' \"$@\"",
                   "sh"};
  OpenWith({place});
  Touch("a/wait");
  Running here = OccupyHere();
  core::Cancellation cancellation;
  Running first = StartCancellable("import A.B\n", cancellation);
  RunUntil(*io, [&] { return pool->busy() == 2; });
  cancellation.Request();
  ASSERT_FALSE(first.Get());
  fs::remove(File("a/wait"));
  ASSERT_TRUE(Check("import C.D\n"));
  std::ifstream file(File("a/order.json"));
  const auto order = nlohmann::json::parse(file).get<remote::Order>();
  EXPECT_EQ(order.imports, std::vector<std::string>{"C.D"});
}

TEST_F(PlacesTest, ACheckThatIsCancelledDoesNotWaitForHashes) {
  bool begun = false;
  core::OneShot<bool> hashed(io->get_executor());
  auto place = FakePlace("a");
  place->fingerprint = [&](auto, auto) -> core::Task<std::string> {
    begun = true;
    static_cast<void>(co_await hashed.Wait(core::Deadline()));
    co_return "same";
  };
  OpenWith({place});
  Running here = OccupyHere();
  core::Cancellation cancellation;
  Running check = StartCancellable("text\n", cancellation);
  RunUntil(*io, [&] { return begun; });
  cancellation.Request();
  const auto result = check.Get();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kCancelled);
  hashed.Set(true);
  ASSERT_TRUE(Check("text\n"));
  EXPECT_EQ(Started("a").size(), 1u);
}

TEST_F(PlacesTest, TheMemoryOfAWorkerElsewhereIsComparedWithItsPlacesLimit) {
  auto place = FakePlace("a");
  place->max_resident_bytes = 1U << 30U;  // it reports 1 MiB
  PoolOptions options;
  options.workers = 1;
  options.places = {place};
  options.max_resident_bytes = 1U << 19U;
  Open(options);
  Running here = OccupyHere();
  ASSERT_TRUE(Check("text\n"));
  ASSERT_TRUE(Check("text\nmore\n"));
  EXPECT_EQ(Started("a").size(), 1u);
}

TEST_F(PlacesTest, NoAnswerIsTakenFromOtherImports) {
  OpenWith({FakePlace("a")});
  Touch("a/imports", "others");
  Running here = Start("def a := 1\n" + Fake("touch " + File("here")) + Fake("slow 1000"));
  RunUntil(*io, [&] { return fs::exists(File("here")); });
  const auto result = Check(Fake("pid"));  // in the end it is done here
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(pool->stats().moved, 1u);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_NE(events[0].why.find("compiled imports differ"), std::string::npos) << events[0].why;
}

TEST_F(PlacesTest, ALeanThatCrashesElsewhereIsTheTextsFault) {
  OpenWith({FakePlace("a")});
  Running here = OccupyHere();
  const auto result = Check("text\n" + Fake("crash no luck"));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kCrashed);
  EXPECT_TRUE(events.empty()) << (events.empty() ? "" : events[0].why);
  EXPECT_EQ(pool->stats().crashes, 2u);
}

TEST_F(PlacesTest, AReservationIsOfThisMachine) {
  OpenWith({FakePlace("a")});
  const auto reserved = core::testing::Await(
      *io, pool->Reserve(5, core::testing::Generous(), /*cancellation=*/nullptr));
  ASSERT_TRUE(reserved);
  const auto result = Check("text\n");  // elsewhere
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(Started("a").size(), 1u);
}

TEST_F(PlacesTest, AMissingLauncherIsAFailureOfThePlace) {
  auto place = FakePlace("a");
  place->launch = {"no-such-launcher"};
  OpenWith({place});
  Running here = Start("def a := 1\n" + Fake("touch " + File("here")) + Fake("slow 500"));
  RunUntil(*io, [&] { return fs::exists(File("here")); });
  ASSERT_TRUE(Check("text\n"));
  ASSERT_EQ(events.size(), 1u);
  EXPECT_NE(events[0].why.find("no-such-launcher"), std::string::npos) << events[0].why;
}

TEST(PlaceHealthTest, PausesDoubleUpToFiveMinutes) {
  PlaceHealth health(std::make_shared<Place>());
  auto now = Clock::now();
  const Failure lost{.refused = false, .why = "gone"};
  for (const auto wanted : {1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300}) {
    EXPECT_EQ(health.Failed(lost, "p", now), seconds(wanted));
    EXPECT_TRUE(health.Paused("q", now));
    now += seconds(wanted);
    EXPECT_FALSE(health.Paused("q", now));
  }
  EXPECT_EQ(health.failures(), 11u);
  health.Works("p", now);
  EXPECT_EQ(health.Failed(lost, "p", now), seconds(1));
}

TEST(PlaceHealthTest, AConnectionFromBeforeAFailureDoesNotEndThePause) {
  PlaceHealth health(std::make_shared<Place>());
  const auto before = Clock::now();
  const auto failed = before + seconds(10);
  health.Failed(Failure{.refused = false, .why = "full"}, "p", failed);
  health.Works("p", before);
  EXPECT_TRUE(health.Paused("p", failed));
  EXPECT_EQ(health.trouble(), "full");
  health.Works("p", failed + milliseconds(1));
  EXPECT_FALSE(health.Paused("p", failed));
  EXPECT_EQ(health.trouble(), "");
}

TEST(PlaceHealthTest, WorkersThatDieTogetherAreOneFailure) {
  PlaceHealth health(std::make_shared<Place>());
  const auto now = Clock::now();
  const Failure lost{.refused = false, .why = "gone"};
  health.Failed(lost, "p", now);
  health.Failed(lost, "p", now + milliseconds(10));
  EXPECT_EQ(health.Failed(lost, "p", now + seconds(1)), seconds(2));
}

TEST(PlaceHealthTest, ARefusalConcernsOneProject) {
  PlaceHealth health(std::make_shared<Place>());
  const auto now = Clock::now();
  health.Failed(Failure{.refused = true, .why = "another Lean"}, "p", now);
  EXPECT_TRUE(health.Paused("p", now));
  EXPECT_FALSE(health.Paused("q", now));
  EXPECT_TRUE(health.InTrouble("p"));
  EXPECT_FALSE(health.InTrouble("q"));
  health.Works("p", now + seconds(2));
  EXPECT_FALSE(health.InTrouble("p"));
}

}  // namespace
}  // namespace zermelo::lean
