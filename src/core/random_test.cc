#include "core/random.h"

#include <gtest/gtest.h>

namespace zermelo::core {
namespace {

TEST(RandomTest, TheNumbersAreThoseOfSplitMix64) {
  // The first numbers of the published program with seed 0.
  EXPECT_EQ(Mix(0), 0xe220a8397b1dcdafU);
  EXPECT_EQ(Mix(0x9e3779b97f4a7c15U), 0x6e789e6aa1b965f4U);
}

TEST(RandomTest, NumbersStayInTheirRange) {
  Random random(1);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_LT(random.Below(7), 7U);
    const double unit = random.Unit();
    EXPECT_TRUE(unit >= 0 && unit < 1) << unit;
  }
}

}  // namespace
}  // namespace zermelo::core
