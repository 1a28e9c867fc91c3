#include "strategy/best_first/slow_premises.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace zermelo::strategy {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(PremisesOfGrind, AreWhatItsListsName) {
  EXPECT_THAT(PremisesOfGrind("cases x <;> first | simp [a] | grind [f, _=_ g.h] | grind [b]"),
              ElementsAre("b", "f", "g.h"));
  EXPECT_THAT(PremisesOfGrind("grind (instances := 200) [f]"), ElementsAre("f"));
  EXPECT_THAT(PremisesOfGrind("grind <;> simp [f]"), IsEmpty());
  EXPECT_THAT(PremisesOfGrind("grind [f"), ElementsAre("f"));
}

TEST(SlowPremises, ArePutOffAfterTwoFailuresUntilOneEnds) {
  SlowPremises slow;
  slow.Ran("grind [f, add]", true);
  EXPECT_FALSE(slow.AreIn("grind [add]"));
  slow.Ran("grind [add]", true);
  slow.Ran("grind [f]", false);
  EXPECT_TRUE(slow.AreIn("induction x <;> grind [f, add]"));
  EXPECT_FALSE(slow.AreIn("induction x <;> grind [f]"));
  EXPECT_FALSE(slow.AreIn("simp [add]"));
  slow.Ran("cases x <;> grind [add]", false);
  EXPECT_FALSE(slow.AreIn("grind [add]"));
}

}  // namespace
}  // namespace zermelo::strategy
