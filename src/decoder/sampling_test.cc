#include "decoder/sampling.h"

#include <array>
#include <cmath>
#include <gtest/gtest.h>

namespace zermelo::decoder {
namespace {

const std::array<float, 4> kLogits{std::log(0.1F), std::log(0.5F), std::log(0.1F), std::log(0.3F)};

std::array<int, 4> Counts(double temperature, double top_p) {
  std::mt19937_64 random(1);
  std::array<int, 4> counts{};
  for (int i = 0; i < 10'000; ++i) {
    ++counts[static_cast<size_t>(Sample(kLogits, temperature, top_p, random).token)];
  }
  return counts;
}

TEST(SamplingTest, FrequenciesAreTheProbabilities) {
  const auto counts = Counts(1, 1);
  EXPECT_NEAR(counts[0], 1000, 150);
  EXPECT_NEAR(counts[1], 5000, 250);
  EXPECT_NEAR(counts[3], 3000, 250);
}

TEST(SamplingTest, TemperatureSharpens) {
  // p ∝ p^2: 0.01, 0.25, 0.01, 0.09 of 0.36
  EXPECT_NEAR(Counts(0.5, 1)[1], 6944, 250);
  EXPECT_EQ(Counts(0, 1)[1], 10'000);
}

TEST(SamplingTest, TopPKeepsTheMostProbable) {
  const auto counts = Counts(1, 0.75);  // 0.5 + 0.3 reach it
  EXPECT_EQ(counts[0] + counts[2], 0);
  EXPECT_NEAR(counts[1], 6250, 250);
  EXPECT_EQ(Counts(1, 0)[1], 10'000) << "at least one is kept";
}

TEST(SamplingTest, LogprobsAreOfTheModel) {
  std::mt19937_64 random(1);
  EXPECT_NEAR(Sample(kLogits, 0, 0.1, random).logprob, std::log(0.5), 1e-6);
  EXPECT_NEAR(Sample(kLogits, 0.5, 0.1, random).logprob, std::log(0.5), 1e-6);
}

}  // namespace
}  // namespace zermelo::decoder
