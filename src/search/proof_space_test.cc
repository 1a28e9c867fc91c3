#include "search/testing/proof_space.h"

#include <cmath>
#include <gtest/gtest.h>
#include <set>

namespace zermelo::search {
namespace {

TEST(ProofSpaceTest, SameSeedGivesTheSameTheorem) {
  const ProofSpace one({}, 5);
  const ProofSpace same({}, 5);
  core::Random random(1);
  core::Random same_random(1);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(one.Generate(one.root(), random), same.Generate(same.root(), same_random));
  }
  EXPECT_NE(ProofSpace({}, 6).ProofProbability(), one.ProofProbability());
}

TEST(ProofSpaceTest, SuccessRateMatchesTheComputedProbability) {
  // Short proofs in narrow layers, so that enough of them are found for statistics.
  const ProofSpace space({.min_depth = 3, .max_depth = 3, .width = 10}, 1);
  const double probability = space.ProofProbability();
  core::Random random(2);
  constexpr int kGenerations = 200'000;
  int proofs = 0;
  for (int i = 0; i < kGenerations; ++i) {
    const auto states = space.Generate(space.root(), random);
    proofs += !states.empty() && states.back() == space.goal() ? 1 : 0;
  }
  EXPECT_GT(proofs, 500);
  const double deviation = std::sqrt(kGenerations * probability * (1 - probability));
  EXPECT_NEAR(proofs, kGenerations * probability, 4 * deviation);
}

TEST(ProofSpaceTest, ManyTacticsLeadToFewStates) {
  const ProofSpace space({}, 3);
  core::Random random(4);
  std::set<StateKey> next;
  for (int i = 0; i < 10'000; ++i) {
    const auto states = space.Generate(space.root(), random);
    if (!states.empty()) next.insert(states.front());
  }
  EXPECT_GE(next.size(), 1U);
  EXPECT_LE(next.size(), 6U);
}

TEST(ProofSpaceTest, EveryTheoremHasAProofAndADepthInRange) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const ProofSpace space({}, seed);
    EXPECT_GT(space.ProofProbability(), 0);
    EXPECT_GE(space.depth(), 4U);
    EXPECT_LE(space.depth(), 12U);
  }
}

}  // namespace
}  // namespace zermelo::search
