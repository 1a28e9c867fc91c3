#include "search/stopper.h"

#include <gtest/gtest.h>

namespace zermelo::search {
namespace {

TEST(StopperTest, EachLooksAtItsOwnCounter) {
  EXPECT_EQ(AtSamples(5)({.samples = 5}), "samples");
  EXPECT_EQ(AtTokens(5)({.tokens = 5}), "tokens");
  EXPECT_EQ(AtMoney(0.5)({.money = 0.5}), "money");
  EXPECT_EQ(AtSeconds(5)({.seconds = 5.1}), "time");
  EXPECT_EQ(AtNodes(5)({.nodes = 6}), "nodes");
  EXPECT_EQ(AtProofs()({.proofs = 1}), "proof");
  const Progress others = {.tokens = 9, .money = 9, .seconds = 9, .nodes = 9, .proofs = 9};
  EXPECT_EQ(AtSamples(5)(others), std::nullopt);
}

TEST(StopperTest, GoesOnBelowTheLimit) {
  EXPECT_EQ(AtSamples(5)({.samples = 4}), std::nullopt);
  EXPECT_EQ(AtMoney(0.5)({.money = 0.49}), std::nullopt);
  EXPECT_EQ(AtProofs(2)({.proofs = 1}), std::nullopt);
}

TEST(StopperTest, ALimitOfZeroIsReachedAtOnce) { EXPECT_EQ(AtSamples(0)({}), "samples"); }

TEST(StopperTest, AnyOfGivesTheFirstReason) {
  const Stopper stopper = AnyOf({AtProofs(), AtSamples(10), AtTokens(100)});
  EXPECT_EQ(stopper({.samples = 9, .tokens = 99}), std::nullopt);
  EXPECT_EQ(stopper({.samples = 9, .tokens = 100}), "tokens");
  EXPECT_EQ(stopper({.samples = 10, .tokens = 100}), "samples");
  EXPECT_EQ(stopper({.samples = 10, .proofs = 1}), "proof");
}

TEST(StopperTest, AllOfWaitsForTheLast) {
  const Stopper stopper = AllOf({AtSamples(10), AtTokens(100)});
  EXPECT_EQ(stopper({.samples = 10, .tokens = 99}), std::nullopt);
  EXPECT_EQ(stopper({.samples = 10, .tokens = 100}), "samples and tokens");
}

TEST(StopperTest, TheyNest) {
  // Stop at the money; or at the first proof, but not before a checkpoint of 128 samples.
  const Stopper stopper = AnyOf({AtMoney(2), AllOf({AtProofs(), AtSamples(128)})});
  EXPECT_EQ(stopper({.samples = 100, .proofs = 1}), std::nullopt);
  EXPECT_EQ(stopper({.samples = 128, .proofs = 1}), "proof and samples");
  EXPECT_EQ(stopper({.samples = 100, .money = 2, .proofs = 1}), "money");
}

TEST(StopperTest, OfNoneNever) {
  const Progress everything = {1, 1, 1, 1, 1, 1};
  EXPECT_EQ(AnyOf({})(everything), std::nullopt);
  EXPECT_EQ(AllOf({})(everything), std::nullopt);
}

}  // namespace
}  // namespace zermelo::search
