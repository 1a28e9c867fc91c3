#include "core/task_race.h"

#include <gtest/gtest.h>
#include <stdexcept>

#include "core/testing/testing.h"

namespace zermelo::core {
namespace {

using testing::Await;
using testing::Started;
using Group = TaskRace<int>;

class TaskRaceTest : public ::testing::Test {
 protected:
  /// A child that ends when `signal` is notified or when it is cancelled.
  Group::Child Waiting(Signal& signal, Result<int> result) {
    return [this, &signal, result = std::move(result)](ChildContext context) {
      return Wait(signal, result, context);
    };
  }
  Task<Result<int>> Wait(Signal& signal, Result<int> result, ChildContext context) {
    const Cancellation::Subscription wake(*context.cancellation, [&] { signal.Notify(); });
    ++running;
    co_await signal.Wait(context.deadline);
    --running;
    if (context.cancellation->requested()) co_return Fail(ErrorCode::kCancelled, "stopped");
    if (context.deadline.Passed()) co_return Fail(ErrorCode::kTimeout, "late");
    co_return result;
  }
  static Group::Child Throwing() {
    return [](ChildContext) -> Task<Result<int>> {
      throw std::runtime_error("bug");
      co_return 0;
    };
  }
  static tl::unexpected<Error> No() { return Fail(ErrorCode::kCrashed, "no"); }

  boost::asio::io_context io;
  Cancellation outer;
  Signal a{io.get_executor()}, b{io.get_executor()}, c{io.get_executor()};
  int running = 0;
};

TEST_F(TaskRaceTest, AllWaitsForEveryChildWhateverTheResults) {
  Group group(io.get_executor(), JoinPolicy::kAll, Deadline(), &outer);
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
  Group group(io.get_executor(), JoinPolicy::kFirstSuccess, Deadline(), &outer);
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
  Group group(io.get_executor(), JoinPolicy::kFirstFailure, Deadline(), &outer);
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
  Group group(io.get_executor(), JoinPolicy::kFirstFailure, Deadline(), &outer);
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

TEST_F(TaskRaceTest, ChildrenInheritTheDeadlineAndCanOnlyShortenIt) {
  const Deadline late = Deadline::After(std::chrono::hours(1));
  const Deadline early = Deadline::After(std::chrono::minutes(1));
  std::vector<Deadline> given;
  const auto note = [&given](ChildContext context) -> Task<Result<int>> {
    given.push_back(context.deadline);
    co_return 0;
  };
  Group group(io.get_executor(), JoinPolicy::kAll, early, &outer);
  group.Spawn(note);
  group.Spawn(note, late);
  Await(io, group.Join());
  Group inner(io.get_executor(), JoinPolicy::kAll, late, &outer);
  inner.Spawn(note, early);
  Await(io, inner.Join());
  for (const Deadline deadline : given) EXPECT_EQ(deadline.at(), early.at());
}

TEST_F(TaskRaceTest, OuterCancellationReachesTheChildrenOfChildren) {
  Group group(io.get_executor(), JoinPolicy::kAll, Deadline(), &outer);
  group.Spawn([this](ChildContext context) -> Task<Result<int>> {
    Group inner(io.get_executor(), JoinPolicy::kAll, context.deadline, context.cancellation);
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
  Group group(io.get_executor(), JoinPolicy::kFirstSuccess, Deadline(), &outer);
  group.Spawn([](ChildContext) -> Task<Result<int>> { co_return 1; });
  io.poll();
  group.Spawn(Waiting(a, 2));
  const auto results = Await(io, group.Join());
  EXPECT_EQ(results.at(0).value(), 1);
  EXPECT_EQ(results.at(1).error().code, ErrorCode::kCancelled);
  EXPECT_EQ(running, 0);
}

TEST_F(TaskRaceTest, AnExceptionCancelsTheOthersAndIsRethrownAfterTheyHaveEnded) {
  Group group(io.get_executor(), JoinPolicy::kAll, Deadline(), &outer);
  group.Spawn(Waiting(a, 1));
  group.Spawn(Throwing());
  EXPECT_THROW(Await(io, group.Join()), std::runtime_error);
  EXPECT_EQ(running, 0);
}

}  // namespace
}  // namespace zermelo::core
