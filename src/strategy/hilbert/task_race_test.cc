#include "strategy/hilbert/task_race.h"

#include <gtest/gtest.h>
#include <stdexcept>

#include "core/testing/testing.h"

namespace zermelo::strategy {
namespace {

using core::Cancellation;
using core::Deadline;
using core::Error;
using core::ErrorCode;
using core::Fail;
using core::Result;
using core::Signal;
using core::Task;
using core::testing::Await;
using core::testing::Started;
using Group = TaskRace<int>;

class TaskRaceTest : public ::testing::Test {
 protected:
  /// A child that ends when `signal` is notified or when it is cancelled.
  Group::Child Waiting(Signal& signal, Result<int> result) {
    return [this, &signal, result = std::move(result)](const Limits& own) {
      return Wait(signal, result, own);
    };
  }
  Task<Result<int>> Wait(Signal& signal, Result<int> result, const Limits& own) {
    const Cancellation::Subscription wake(*own.cancellation, [&] { signal.Notify(); });
    ++running;
    co_await signal.Wait(own.deadline);
    --running;
    if (own.cancellation->requested()) co_return Fail(ErrorCode::kCancelled, "stopped");
    if (own.deadline.Passed()) co_return Fail(ErrorCode::kTimeout, "late");
    co_return result;
  }
  static Group::Child Throwing() {
    return [](const Limits&) -> Task<Result<int>> {
      throw std::runtime_error("bug");
      co_return 0;
    };
  }
  static tl::unexpected<Error> No() { return Fail(ErrorCode::kCrashed, "no"); }

  boost::asio::io_context io;
  Cancellation outer;
  Limits limits{.cancellation = &outer};
  Signal a{io.get_executor()}, b{io.get_executor()}, c{io.get_executor()};
  int running = 0;
};

TEST_F(TaskRaceTest, AllWaitsForEveryChildWhateverTheResults) {
  Group group(io.get_executor(), JoinPolicy::kAll, 3, limits);
  group.Spawn(Waiting(a, 1));
  group.Spawn(Waiting(b, No()));
  group.Spawn(Waiting(c, 3));
  Started<std::vector<Result<int>>> joined(io, group.Join());
  io.poll();
  b.Notify();
  io.poll();
  a.Notify();
  io.poll();
  EXPECT_FALSE(joined.done());
  c.Notify();
  const auto results = joined.Get();
  EXPECT_EQ(results.at(0).value(), 1);
  EXPECT_EQ(results.at(1).error().code, ErrorCode::kCrashed);
  EXPECT_EQ(results.at(2).value(), 3);
  EXPECT_EQ(group.decided_by(), std::nullopt);
}

TEST_F(TaskRaceTest, TheFirstSuccessCancelsTheRestAndJoinsIt) {
  Group group(io.get_executor(), JoinPolicy::kFirstSuccess, 3, limits);
  group.Spawn(Waiting(a, No()));
  group.Spawn(Waiting(b, 2));
  group.Spawn(Waiting(c, 3));
  Started<std::vector<Result<int>>> joined(io, group.Join());
  io.poll();
  a.Notify();
  io.poll();
  EXPECT_EQ(running, 2) << "a failure decides nothing";
  b.Notify();
  const auto results = joined.Get();
  EXPECT_EQ(running, 0);
  EXPECT_EQ(group.decided_by(), 1U);
  EXPECT_EQ(results.at(1).value(), 2);
  EXPECT_EQ(results.at(2).error().code, ErrorCode::kCancelled);
}

TEST_F(TaskRaceTest, TheFirstFailureCancelsTheRestAndJoinsIt) {
  Group group(io.get_executor(), JoinPolicy::kFirstFailure, 3, limits);
  group.Spawn(Waiting(a, 1));
  group.Spawn(Waiting(b, No()));
  group.Spawn(Waiting(c, 3));
  Started<std::vector<Result<int>>> joined(io, group.Join());
  io.poll();
  a.Notify();
  io.poll();
  EXPECT_EQ(running, 2) << "a success decides nothing";
  b.Notify();
  const auto results = joined.Get();
  EXPECT_EQ(running, 0);
  EXPECT_EQ(group.decided_by(), 1U);
  EXPECT_EQ(results.at(0).value(), 1);
  EXPECT_EQ(results.at(2).error().code, ErrorCode::kCancelled);
}

TEST_F(TaskRaceTest, ACancelledChildHasNotFailed) {
  Group group(io.get_executor(), JoinPolicy::kFirstFailure, 3, limits);
  group.Spawn(Waiting(a, Fail(ErrorCode::kCancelled, "not begun")));
  group.Spawn(Waiting(b, 2));
  Started<std::vector<Result<int>>> joined(io, group.Join());
  io.poll();
  a.Notify();
  io.poll();
  EXPECT_EQ(running, 1);
  b.Notify();
  EXPECT_EQ(joined.Get().at(1).value(), 2);
  EXPECT_EQ(group.decided_by(), std::nullopt);
}

TEST_F(TaskRaceTest, ChildrenInheritTheDeadline) {
  limits.deadline = Deadline::After(std::chrono::minutes(1));
  Group group(io.get_executor(), JoinPolicy::kAll, 3, limits);
  Deadline given;
  group.Spawn([&given](const Limits& own) -> Task<Result<int>> {
    given = own.deadline;
    co_return 0;
  });
  Await(io, group.Join());
  EXPECT_EQ(given.at(), limits.deadline.at());
}

TEST_F(TaskRaceTest, AChildWaitsForItsTurnAndIsNotStartedIfTheOutcomeIsDecidedByThen) {
  Group group(io.get_executor(), JoinPolicy::kFirstSuccess, 2, limits);
  group.Spawn(Waiting(a, No()));
  group.Spawn(Waiting(b, 2));
  group.Spawn(Waiting(c, 3));
  group.Spawn(Throwing());
  Started<std::vector<Result<int>>> joined(io, group.Join());
  io.poll();
  EXPECT_EQ(running, 2);
  a.Notify();
  io.poll();
  EXPECT_EQ(running, 2) << "the third has its turn";
  b.Notify();
  const auto results = joined.Get();
  EXPECT_EQ(group.decided_by(), 1U);
  EXPECT_EQ(results.at(3).error().code, ErrorCode::kCancelled);
}

TEST_F(TaskRaceTest, OuterCancellationReachesTheChildrenOfChildren) {
  Group group(io.get_executor(), JoinPolicy::kAll, 3, limits);
  group.Spawn([this](const Limits& own) -> Task<Result<int>> {
    Group inner(io.get_executor(), JoinPolicy::kAll, 3, own);
    inner.Spawn(Waiting(a, 1));
    const auto results = co_await inner.Join();
    co_return results.at(0);
  });
  Started<std::vector<Result<int>>> joined(io, group.Join());
  io.poll();
  EXPECT_EQ(running, 1);
  outer.Request();
  EXPECT_EQ(joined.Get().at(0).error().code, ErrorCode::kCancelled);
  EXPECT_EQ(running, 0);
}

TEST_F(TaskRaceTest, AChildThatIsNoLongerNeededIsNotStarted) {
  Group group(io.get_executor(), JoinPolicy::kFirstSuccess, 3, limits);
  group.Spawn([](const Limits&) -> Task<Result<int>> { co_return 1; });
  io.poll();
  group.Spawn(Waiting(a, 2));
  const auto results = Await(io, group.Join());
  EXPECT_EQ(results.at(0).value(), 1);
  EXPECT_EQ(results.at(1).error().code, ErrorCode::kCancelled);
  EXPECT_EQ(running, 0);
}

TEST_F(TaskRaceTest, AnExceptionCancelsTheOthersAndIsRethrownAfterTheyHaveEnded) {
  Group group(io.get_executor(), JoinPolicy::kAll, 3, limits);
  group.Spawn(Waiting(a, 1));
  group.Spawn(Throwing());
  EXPECT_THROW(Await(io, group.Join()), std::runtime_error);
  EXPECT_EQ(running, 0);
}

}  // namespace
}  // namespace zermelo::strategy
