#include <csignal>
#include <fstream>
#include <gtest/gtest.h>

#include "lean/testing/pool_fixture.h"

namespace zermelo::lean {
namespace {

using core::ErrorCode;
using core::testing::RunUntil;
using std::chrono::seconds;
using testing::Fake;
using testing::PoolTest;
using testing::Running;

class PoolMemoryTest : public PoolTest {
 protected:
  void WaitForSpares(size_t count) {
    RunUntil(*io, [&] { return pool->spares() == count; });
  }
};

TEST_F(PoolMemoryTest, ASpareTakesThePlaceOfAWorkerThatDied) {
  Open({.workers = 1, .spares = 1});
  const std::string first = Message(Check(Fake("pid")));
  WaitForSpares(1);
  ASSERT_EQ(::kill(pool->pids().front(), SIGKILL), 0);
  const auto result = Check(Fake("pid") + "more\n");
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_NE(Message(result), first);
  EXPECT_EQ(pool->stats().spares_used, 1u);
  WaitForSpares(1);  // the next one
  EXPECT_EQ(pool->stats().started, 3u);
}

TEST_F(PoolMemoryTest, EachHeaderHasOneSpare) {
  Open({.workers = 2, .spares = 2});
  ASSERT_TRUE(Check("import A\ntext\n"));
  ASSERT_TRUE(Check("import A\nother\n"));
  ASSERT_TRUE(Check("import B\ntext\n"));
  ASSERT_TRUE(Check("import A\nmore\n"));
  WaitForSpares(2);
  EXPECT_EQ(pool->stats().started, 4u);
}

TEST_F(PoolMemoryTest, ANewHeadersSpareReplacesTheOneNotUsedLongest) {
  Open({.workers = 2, .spares = 1});
  ASSERT_TRUE(Check("import A\ntext\n"));
  WaitForSpares(1);
  ASSERT_TRUE(Check("import B\ntext\n"));
  WaitForSpares(1);
  EXPECT_EQ(pool->stats().started, 4u);
  EXPECT_EQ(pool->pids().size(), 2u);
}

TEST_F(PoolMemoryTest, SparesCountAgainstTheLimitForAll) {
  Open({.workers = 1, .max_total_bytes = 1, .spares = 1});
  const auto checked = Check("text\n");
  EXPECT_EQ(pool->spares(), 0u);
  EXPECT_EQ(pool->stats().spares_used, 0u);
}

TEST_F(PoolMemoryTest, ASpareThatIsLoadingCountsAsTheWorkerThatItWillBe) {
  Open({.workers = 1});
  ASSERT_TRUE(Check("text\n"));
  const uint64_t one = pool->ResidentBytes();
  pool.reset();
  Open({.workers = 2, .max_total_bytes = one * 7 / 2, .spares = 2});
  Running a = Start("import A\n" + Fake("slow 300"));
  Running b = Start("import B\n" + Fake("slow 300"));
  ASSERT_TRUE(a.Get());
  ASSERT_TRUE(b.Get());
  EXPECT_EQ(pool->stats().started, 3u);
}

TEST_F(PoolMemoryTest, SparesAreStoppedBeforeIdleWorkers) {
  Open({.workers = 1, .spares = 1});
  ASSERT_TRUE(Check("text\n"));
  WaitForSpares(1);
  const uint64_t both = pool->ResidentBytes();
  pool.reset();
  Open({.workers = 1, .max_total_bytes = both * 4 / 5, .spares = 1});
  ASSERT_TRUE(Check("text\n"));
  RunUntil(*io, [&] { return pool->ResidentBytes() < both * 4 / 5; });
  ASSERT_TRUE(Check("text\nmore\n"));
  EXPECT_EQ(pool->pids().size(), 1u);
}

TEST_F(PoolMemoryTest, TheLargestWorkerIsKilledWhenBusyOnesExceedTheLimit) {
  Open({.workers = 1});
  ASSERT_TRUE(Check("text\n"));
  const uint64_t one = pool->ResidentBytes();
  pool.reset();
  Open({.workers = 1, .max_total_bytes = one / 2});
  const auto killed = Check(Fake("hang"));
  ASSERT_FALSE(killed);
  EXPECT_EQ(killed.error().code, ErrorCode::kCrashed);
  EXPECT_NE(killed.error().message.find("exceeded their memory limit"), std::string::npos)
      << killed.error().message;
  EXPECT_GE(pool->stats().evicted, 1u);
}

}  // namespace
}  // namespace zermelo::lean
