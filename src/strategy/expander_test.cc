#include "strategy/expander.h"

#include "strategy/game_test.h"

namespace zermelo::strategy {
namespace {

using core::testing::Await;
using core::testing::Started;

class ExpanderTest : public testing::GameTest {};

TEST_F(ExpanderTest, LeanIsAskedOnceToConfirmAProofThatSeveralLanesFind) {
  const Environment environment = EnvironmentWith(nullptr, nullptr);
  const Problem problem = ProblemOf(1);
  Expander expander(environment, problem, limits, io.get_executor());
  Started<bool> first(io, expander.Confirm("dec\nzero"));
  Started<bool> second(io, expander.Confirm("dec\n\nzero"));
  Started<bool> wrong(io, expander.Confirm("zero"));
  EXPECT_TRUE(first.Get());
  EXPECT_TRUE(second.Get());
  EXPECT_FALSE(wrong.Get());
  const auto checks = pool->checks();
  EXPECT_TRUE(Await(io, expander.Confirm("dec\nzero"))) << "it is known";
  EXPECT_FALSE(Await(io, expander.Confirm("zero")));
  EXPECT_EQ(pool->checks(), checks);
}

}  // namespace
}  // namespace zermelo::strategy
