#include "trust/audit/axiom_sets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace zermelo::trust {
namespace {

using ::testing::ElementsAre;

TEST(AxiomSetsTest, EqualSetsHaveOneNumber) {
  AxiomSets sets;
  const auto both = sets.Union(sets.Of(2), sets.Of(1));
  EXPECT_THAT(sets[both], ElementsAre(1, 2));
  EXPECT_EQ(sets.Union(sets.Of(1), both), both);
  EXPECT_EQ(sets.size(), 4U);
}

TEST(AxiomSetsTest, NoSetIsMadeThatCouldExceedTheMaximum) {
  AxiomSets sets(100);
  AxiomSets::Id all = AxiomSets::kEmpty;
  for (uint32_t axiom = 0; axiom < 50; ++axiom) {
    all = sets.Union(all, sets.Of(axiom));
    EXPECT_LE(sets.size(), 150U);  // the sets of one axiom come from declarations
  }
  EXPECT_TRUE(sets.is_full());
}

}  // namespace
}  // namespace zermelo::trust
