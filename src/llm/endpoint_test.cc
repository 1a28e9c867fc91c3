#include "llm/endpoint.h"

#include <gtest/gtest.h>

#include "core/testing/testing.h"

namespace zermelo::llm {
namespace {

using core::Clock;
using core::Deadline;
using core::ErrorCode;
using core::Result;
using core::testing::Await;
using core::testing::Generous;
using core::testing::Soon;
using core::testing::Started;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;
/// co_spawn needs values with a default constructor.
using Lease = std::shared_ptr<EndpointSet::Lease>;

const Clock::time_point kStart = Clock::time_point() + hours(1);

TEST(RateWindow, OpensWhenTheOldestSpendingLeavesTheWindow) {
  RateWindow window(3);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(window.Opens(1, kStart + seconds(i)), kStart + seconds(i));
    window.Spend(1, kStart + seconds(i));
  }
  EXPECT_EQ(window.Opens(1, kStart + seconds(5)), kStart + seconds(60));
  EXPECT_EQ(window.Opens(2, kStart + seconds(5)), kStart + seconds(61));
  EXPECT_EQ(window.Opens(1, kStart + seconds(60)), kStart + seconds(60));
}

TEST(RateWindow, NeverMoreThanTheLimitInAnyMinute) {
  RateWindow window(10);
  std::vector<Clock::time_point> spent;
  for (auto now = kStart; spent.size() < 100;) {
    now = window.Opens(1, now);
    window.Spend(1, now);
    spent.push_back(now);
    now += milliseconds(spent.size() % 7 * 900);
  }
  for (size_t i = 10; i < spent.size(); ++i) EXPECT_GE(spent[i] - spent[i - 10], seconds(60));
}

TEST(RateWindow, AnAmountAboveTheLimitWaitsForAnEmptyWindow) {
  RateWindow window(100);
  EXPECT_EQ(window.Opens(5000, kStart), kStart);
  window.Spend(1, kStart);
  EXPECT_EQ(window.Opens(5000, kStart + seconds(1)), kStart + seconds(60));
}

TEST(RateWindow, TheActualAmountReplacesTheAnnouncedOne) {
  RateWindow window(100);
  window.Spend(50, kStart);
  const auto ticket = window.Spend(50, kStart + seconds(1));
  EXPECT_GT(window.Opens(30, kStart + seconds(2)), kStart + seconds(2));
  window.Correct(ticket, 20);
  EXPECT_EQ(window.Opens(30, kStart + seconds(2)), kStart + seconds(2));
  window.Spend(1, kStart + seconds(200));
  window.Correct(ticket, 1000);  // has left the window
  EXPECT_EQ(window.Opens(99, kStart + seconds(200)), kStart + seconds(200));
}

TEST(RateWindow, ZeroIsNoLimit) {
  RateWindow window(0);
  window.Spend(1'000'000, kStart);
  EXPECT_EQ(window.Opens(1'000'000, kStart), kStart);
}

core::Task<Result<Lease>> Acquire(EndpointSet& set, int64_t tokens, std::optional<size_t> avoid,
                                  Deadline deadline, core::Cancellation& cancellation) {
  auto lease = co_await set.Acquire(tokens, avoid, deadline, cancellation);
  if (!lease) co_return core::Fail(lease.error());
  co_return std::make_shared<EndpointSet::Lease>(std::move(*lease));
}

class EndpointSetTest : public ::testing::Test {
 protected:
  Started<Result<Lease>> Ask(EndpointSet& set, Deadline deadline = Generous()) {
    return {io, Acquire(set, 10, std::nullopt, deadline, cancellation)};
  }
  Lease Take(EndpointSet& set, std::optional<size_t> avoid = std::nullopt) {
    return Await(io, Acquire(set, 10, avoid, Generous(), cancellation)).value();
  }
  EndpointSet Make(const std::vector<EndpointLimits>& limits) {
    return {io.get_executor(), limits};
  }

  boost::asio::io_context io;
  core::Cancellation cancellation;
};

TEST_F(EndpointSetTest, ConcurrencyIsLimitedFirstComeFirstServed) {
  auto set = Make({{.concurrency = 1}});
  Lease lease = Take(set);
  auto second = Ask(set);
  auto third = Ask(set);
  io.poll();
  EXPECT_FALSE(second.done() || third.done());
  lease.reset();
  io.restart();
  io.poll();
  EXPECT_TRUE(second.done());
  EXPECT_FALSE(third.done());
  { const auto done = second.Get(); }
  EXPECT_TRUE(third.Get());
}

TEST_F(EndpointSetTest, TheEndpointWithTheLowestLoadIsChosen) {
  auto set = Make({{.concurrency = 2}, {.concurrency = 4}});
  const auto a = Take(set);
  const auto b = Take(set);
  const auto c = Take(set);
  EXPECT_EQ(a->endpoint() + b->endpoint(), 1u) << "one each";
  EXPECT_EQ(c->endpoint(), 1u) << "1 of 4 is a lower load than 1 of 2";
}

TEST_F(EndpointSetTest, ADeadlineEndsTheWaitAndUnblocksOthers) {
  auto set = Make({{.concurrency = 1}});
  Lease lease = Take(set);
  EXPECT_EQ(Ask(set, Soon()).Get().error().code, ErrorCode::kTimeout);
  auto next = Ask(set);
  lease.reset();
  EXPECT_TRUE(next.Get());
}

TEST_F(EndpointSetTest, CancellationEndsTheWait) {
  auto set = Make({{.concurrency = 1}});
  const auto lease = Take(set);
  auto waiting = Ask(set);
  io.poll();
  cancellation.Request();
  EXPECT_EQ(waiting.Get().error().code, ErrorCode::kCancelled);
  EXPECT_EQ(Ask(set).Get().error().code, ErrorCode::kCancelled);
}

TEST_F(EndpointSetTest, RequestsAndTokensPerMinuteAreLimited) {
  auto set = Make({{.requests_per_minute = 2}});
  Take(set);
  Take(set);
  EXPECT_EQ(Ask(set, Soon()).Get().error().code, ErrorCode::kTimeout);
  auto tokens = Make({{.tokens_per_minute = 25}});
  Take(tokens);
  auto lease = Take(tokens);
  EXPECT_EQ(Ask(tokens, Soon()).Get().error().code, ErrorCode::kTimeout);
  lease->SetTokens(1);
  EXPECT_TRUE(Ask(tokens).Get());
}

TEST_F(EndpointSetTest, APauseAppliesToAllRequests) {
  auto set = Make({{}});
  set.Pause(0, milliseconds(200));
  const auto begin = Clock::now();
  Take(set);
  EXPECT_GE(Clock::now() - begin, milliseconds(200));
}

TEST_F(EndpointSetTest, WhileOneEndpointPausesTheOtherWorks) {
  auto set = Make({{}, {}});
  set.Pause(0, hours(1));
  for (int i = 0; i < 5; ++i) EXPECT_EQ(Take(set)->endpoint(), 1u);
}

TEST_F(EndpointSetTest, AnEndpointThatFailedIsAvoidedUntilItWorks) {
  auto set = Make({{.concurrency = 2}, {.concurrency = 2}});
  set.NoteFailure(1);
  const auto first = Take(set);
  const auto second = Take(set);
  EXPECT_EQ(first->endpoint() + second->endpoint(), 0u);
  EXPECT_EQ(Ask(set, Soon()).Get().error().code, ErrorCode::kTimeout)
      << "waits for the other one instead";
  set.NoteSuccess(1);
  EXPECT_EQ(Take(set)->endpoint(), 1u);
}

TEST_F(EndpointSetTest, WhenAllHaveFailedOneIsTriedAnyway) {
  auto set = Make({{}, {}});
  set.NoteFailure(0);
  set.NoteFailure(1);
  EXPECT_TRUE(Ask(set).Get());
}

TEST_F(EndpointSetTest, ARetryGoesElsewhere) {
  auto set = Make({{}, {}});
  EXPECT_EQ(Take(set, 0)->endpoint(), 1u);
  EXPECT_EQ(Take(set, 1)->endpoint(), 0u);
  auto alone = Make({{}});
  EXPECT_EQ(Take(alone, 0)->endpoint(), 0u) << "there is no other endpoint";
}

}  // namespace
}  // namespace zermelo::llm
