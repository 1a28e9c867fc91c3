#include "core/gate.h"

#include <gtest/gtest.h>

#include "core/testing/testing.h"

namespace zermelo::core {
namespace {

using testing::Await;
using testing::Started;
using Pass = std::unique_ptr<Gate::Pass>;

class GateTest : public ::testing::Test {
 protected:
  boost::asio::io_context io;
  Cancellation cancellation;
  Gate gate{io.get_executor(), 1};
};

TEST_F(GateTest, ATaskWaitsUntilAPlaceIsFree) {
  Pass first = Await(io, gate.Enter(Deadline(), nullptr));
  ASSERT_NE(first, nullptr);
  Started<Pass> second(io, gate.Enter(Deadline(), nullptr));
  io.poll();
  EXPECT_FALSE(second.done());
  first.reset();
  EXPECT_NE(second.Get(), nullptr);
}

TEST_F(GateTest, ACancelledWaitEndsWithoutAPass) {
  const Pass first = Await(io, gate.Enter(Deadline(), nullptr));
  Started<Pass> second(io, gate.Enter(Deadline(), &cancellation));
  io.poll();
  cancellation.Request();
  EXPECT_EQ(second.Get(), nullptr);
}

TEST_F(GateTest, AFreePlaceIsTakenEvenAfterTheDeadline) {
  const Deadline passed = Deadline::After(Duration::zero());
  const Pass first = Await(io, gate.Enter(passed, nullptr));
  EXPECT_NE(first, nullptr);
  EXPECT_EQ(Await(io, gate.Enter(passed, nullptr)), nullptr) << "no place is free";
}

TEST_F(GateTest, NobodyEntersOnceTheWorkIsToStop) {
  EXPECT_EQ(Await(io, gate.Enter(Deadline(), nullptr, [] { return true; })), nullptr);
}

}  // namespace
}  // namespace zermelo::core
