#include "core/async.h"

#include <atomic>
#include <boost/asio/post.hpp>
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "core/cancellation.h"
#include "core/testing/testing.h"

namespace zermelo::core {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using testing::Await;
using testing::Generous;
using testing::RunOut;
using testing::RunUntil;
using testing::Soon;
using testing::Started;

class AsyncTest : public ::testing::Test {
 protected:
  boost::asio::io_context io;
  Executor executor = io.get_executor();
};

Task<int> Return(int value) { co_return value; }

Task<int> Throw(std::string what) {
  throw std::runtime_error(what);
  co_return 0;
}

Task<void> Pause(Executor executor, Deadline deadline) {
  Signal never(executor);
  co_await never.Wait(deadline);
}

Task<void> Note(Executor executor, Deadline deadline, std::vector<std::string>& log,
                std::string what) {
  co_await Pause(executor, deadline);
  log.push_back(what);
}

Task<void> FailAfter(Executor executor, Deadline deadline, std::string what) {
  co_await Pause(executor, deadline);
  throw std::runtime_error(what);
}

template <class F>
std::string MessageOf(F throws) {
  try {
    throws();
  } catch (const std::exception& e) {
    return e.what();
  }
  return "nothing was thrown";
}

using RunToEndTest = AsyncTest;

using OnThreadTest = AsyncTest;

TEST_F(OnThreadTest, LeavesTheLoopFree) {
  std::atomic<bool> loop_ran = false;
  boost::asio::post(executor, [&] { loop_ran = true; });
  const auto here = std::this_thread::get_id();
  std::thread::id there = here;
  Await(io, OnThread(executor, [&] {
          there = std::this_thread::get_id();
          while (!loop_ran) std::this_thread::yield();  // for ever if the loop waited
        }));
  EXPECT_NE(there, here);
}

TEST_F(OnThreadTest, AnExceptionReachesTheTask) {
  EXPECT_THROW(Await(io, OnThread(executor, [] { throw std::runtime_error("no"); })),
               std::runtime_error);
}

TEST(OnThread, AnIoContextWaitsForItsThreads) {
  std::atomic<bool> ended = false;
  {
    boost::asio::io_context io;
    Launch(io.get_executor(), OnThread(io.get_executor(), [&] {
             std::this_thread::sleep_for(milliseconds(20));
             ended = true;
           }));
    io.poll();
  }
  EXPECT_TRUE(ended);
}

TEST_F(RunToEndTest, ReturnsTheResult) { EXPECT_EQ(RunToEnd(io, Return(7)), 7); }

TEST_F(RunToEndTest, RethrowsWhatTheTaskThrew) {
  EXPECT_EQ(MessageOf([&] { RunToEnd(io, Throw("broken")); }), "broken");
}

TEST_F(RunToEndTest, RunsAgainOnTheSameContext) {
  RunToEnd(io, Return(1));
  EXPECT_EQ(RunToEnd(io, Return(2)), 2);
}

TEST(Deadline, DefaultIsNever) {
  const Deadline never;
  EXPECT_FALSE(never.Passed());
  EXPECT_GT(never.Left(), hours(1'000'000));
}

TEST(Deadline, AfterAVeryLongTimeDoesNotOverflow) {
  EXPECT_FALSE(Deadline::After(Duration::max()).Passed());
  EXPECT_EQ(Deadline::After(Duration::max()).at(), Deadline().at());
}

TEST(Deadline, HasNoTimeLeftOncePassed) {
  const Deadline passed = Deadline::After(-milliseconds(1));
  EXPECT_TRUE(passed.Passed());
  EXPECT_EQ(passed.Left(), Duration::zero());
}

TEST(Deadline, EarlierOfTwo) {
  const Deadline near = Deadline::After(milliseconds(1));
  EXPECT_EQ(near.Earlier(Deadline()).at(), near.at());
  EXPECT_EQ(Deadline().Earlier(near).at(), near.at());
}

using SignalTest = AsyncTest;

TEST_F(SignalTest, NotifyWakesEveryWaiter) {
  Signal signal(executor);
  Started<bool> first(io, testing::ThenTrue(signal.Wait(Deadline())));
  Started<bool> second(io, testing::ThenTrue(signal.Wait(Generous())));
  io.poll();
  EXPECT_FALSE(first.done() || second.done());
  signal.Notify();
  EXPECT_TRUE(first.Get());
  EXPECT_TRUE(second.Get());
}

TEST_F(SignalTest, NotifyIsNotRemembered) {
  Signal signal(executor);
  signal.Notify();
  Started<bool> late(io, testing::ThenTrue(signal.Wait(Deadline())));
  io.poll();
  EXPECT_FALSE(late.done());
  signal.Notify();
  EXPECT_TRUE(late.Get());
}

TEST_F(SignalTest, WaitEndsAtItsDeadline) {
  Signal signal(executor);
  const Deadline deadline = Soon();
  Await(io, signal.Wait(deadline));
  EXPECT_TRUE(deadline.Passed());
}

TEST_F(SignalTest, APassedDeadlineDoesNotWait) {
  Signal signal(executor);
  Await(io, signal.Wait(Deadline::After(-milliseconds(1))));
}

using OneShotTest = AsyncTest;

TEST_F(OneShotTest, WaiterGetsWhatIsSetLater) {
  OneShot<int> answer(executor);
  Started<std::optional<int>> waiter(io, answer.Wait(Generous()));
  io.poll();
  EXPECT_FALSE(waiter.done());
  answer.Set(3);
  EXPECT_EQ(waiter.Get(), 3);
}

TEST_F(OneShotTest, AnAnswerSetBeforeIsReturnedEvenPastTheDeadline) {
  OneShot<int> answer(executor);
  answer.Set(3);
  EXPECT_EQ(Await(io, answer.Wait(Deadline::After(-milliseconds(1)))), 3);
}

TEST_F(OneShotTest, TheFirstSetWins) {
  OneShot<int> answer(executor);
  answer.Set(1);
  answer.Set(2);
  EXPECT_EQ(Await(io, answer.Wait(Generous())), 1);
}

TEST_F(OneShotTest, AfterATimeoutTheAnswerCanStillBeAwaited) {
  OneShot<int> answer(executor);
  EXPECT_EQ(Await(io, answer.Wait(Soon())), std::nullopt);
  EXPECT_FALSE(answer.ready());
  answer.Set(5);
  EXPECT_EQ(Await(io, answer.Wait(Soon())), 5);
}

TEST_F(OneShotTest, AWaiterWithANearDeadlineDoesNotEndTheOthers) {
  OneShot<int> answer(executor);
  Started<std::optional<int>> patient(io, answer.Wait(Generous()));
  EXPECT_EQ(Await(io, answer.Wait(Soon())), std::nullopt);
  EXPECT_FALSE(patient.done());
  answer.Set(8);
  EXPECT_EQ(patient.Get(), 8);
}

using DeadlineGuardTest = AsyncTest;

TEST_F(DeadlineGuardTest, CallsOnceWhenTheDeadlinePasses) {
  int calls = 0;
  const DeadlineGuard guard(executor, Soon(), [&] { ++calls; });
  EXPECT_FALSE(guard.expired());
  RunOut(io);
  EXPECT_TRUE(guard.expired());
  EXPECT_EQ(calls, 1);
}

TEST_F(DeadlineGuardTest, DestroyedBeforeTheDeadlineItNeverCalls) {
  int calls = 0;
  {
    const DeadlineGuard guard(executor, Soon(), [&] { ++calls; });
  }
  Await(io, Pause(executor, Deadline::After(milliseconds(150))));
  EXPECT_EQ(calls, 0);
}

TEST_F(DeadlineGuardTest, DestroyedAfterTheDeadlineButBeforeTheCallItNeverCalls) {
  int calls = 0;
  auto guard =
      std::make_unique<DeadlineGuard>(executor, Deadline::After(milliseconds(0)), [&] { ++calls; });
  boost::asio::post(io, [&] { guard.reset(); });
  RunOut(io);
  EXPECT_EQ(calls, 0);
}

TEST_F(DeadlineGuardTest, ItsActionMayDestroyIt) {
  std::unique_ptr<DeadlineGuard> guard;
  guard = std::make_unique<DeadlineGuard>(executor, Soon(), [&] { guard.reset(); });
  RunOut(io);
  EXPECT_EQ(guard, nullptr);
}

TEST_F(DeadlineGuardTest, NeverKeepsTheContextBusy) {
  const DeadlineGuard guard(executor, Deadline(), [] {});
  RunOut(io);
  EXPECT_FALSE(guard.expired());
}

using TaskGroupTest = AsyncTest;

TEST_F(TaskGroupTest, JoinReturnsAfterTheLastChild) {
  std::vector<std::string> log;
  TaskGroup group(executor);
  group.Spawn(Note(executor, Deadline::After(milliseconds(60)), log, "slow"));
  group.Spawn(Note(executor, Deadline::After(milliseconds(1)), log, "fast"));
  EXPECT_EQ(group.running(), 2u);
  Await(io, group.Join());
  EXPECT_EQ(group.running(), 0u);
  EXPECT_EQ(log, (std::vector<std::string>{"fast", "slow"}));
}

TEST_F(TaskGroupTest, JoinOfAnEmptyGroupReturns) {
  TaskGroup group(executor);
  Await(io, group.Join());
}

TEST_F(TaskGroupTest, JoinRethrowsTheFirstFailureAfterAllHaveEnded) {
  std::vector<std::string> log;
  TaskGroup group(executor);
  group.Spawn(FailAfter(executor, Deadline::After(milliseconds(40)), "second"));
  group.Spawn(FailAfter(executor, Deadline::After(milliseconds(1)), "first"));
  group.Spawn(Note(executor, Deadline::After(milliseconds(80)), log, "sibling"));
  EXPECT_EQ(MessageOf([&] { Await(io, group.Join()); }), "first");
  EXPECT_EQ(log, std::vector<std::string>{"sibling"});
}

TEST_F(TaskGroupTest, ChildrenMaySpawnSiblings) {
  std::vector<std::string> log;
  TaskGroup group(executor);
  const auto parent = [&]() -> Task<void> {
    group.Spawn(Note(executor, Deadline::After(milliseconds(30)), log, "child"));
    co_return;
  };
  group.Spawn(parent());
  Await(io, group.Join());
  EXPECT_EQ(log, std::vector<std::string>{"child"});
}

using LaunchTest = AsyncTest;

TEST_F(LaunchTest, AnExceptionLeavesTheLoop) {
  Launch(executor, FailAfter(executor, Deadline::After(milliseconds(1)), "lost"));
  EXPECT_EQ(MessageOf([&] { RunOut(io); }), "lost");
}

TEST(Cancellation, CallsItsActionsOnce) {
  Cancellation cancellation;
  int calls = 0;
  const Cancellation::Subscription subscription(cancellation, [&] { ++calls; });
  cancellation.Request();
  cancellation.Request();
  EXPECT_TRUE(cancellation.requested());
  EXPECT_EQ(calls, 1);
}

TEST(Cancellation, ASubscriptionAfterTheRequestIsCalledAtOnce) {
  Cancellation cancellation;
  cancellation.Request();
  int calls = 0;
  const Cancellation::Subscription late(cancellation, [&] { ++calls; });
  EXPECT_EQ(calls, 1);
  const Cancellation::Subscription without_owner(nullptr, [&] { ++calls; });
  EXPECT_EQ(calls, 1);
}

TEST(Cancellation, AnEndedSubscriptionIsNotCalled) {
  Cancellation cancellation;
  int ended = 0;
  int kept = 0;
  const Cancellation::Subscription keeps(cancellation, [&] { ++kept; });
  {
    const Cancellation::Subscription ends(cancellation, [&] { ++ended; });
  }
  cancellation.Request();
  EXPECT_EQ(ended, 0);
  EXPECT_EQ(kept, 1);
}

}  // namespace
}  // namespace zermelo::core
