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

TEST_F(ExpanderTest, AProofThatIsBeingConfirmedOutlivesItsPartOfTheTime) {
  const Environment environment = EnvironmentWith(nullptr, nullptr);
  const Problem problem = ProblemOf(1);
  const auto confirm_until = [&](core::Cancellation& end, const Limits& given) {
    core::testing::RunUntil(io, [&] { return pool->busy() == 0; });
    Expander expander(environment, problem, given, io.get_executor());
    Started<bool> confirmed(io, expander.Confirm("dec\nzero"));
    core::testing::RunUntil(io, [&] { return pool->busy() > 0; });
    end.Request();
    return confirmed.Get();
  };
  core::Cancellation all_time, time, part_of_it;
  limits.cancellation = &all_time;
  Limits part = limits;
  part.cancellation = &time;
  EXPECT_FALSE(confirm_until(time, part));
  part.cancellation = &part_of_it;
  part.whole = &limits;
  EXPECT_TRUE(confirm_until(part_of_it, part));
  part.cancellation = nullptr;
  EXPECT_FALSE(confirm_until(all_time, part));
}

}  // namespace
}  // namespace zermelo::strategy
