#include "decoder/matrix.h"

#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <random>

#include "decoder/few_rows.h"

namespace zermelo::decoder {
namespace {

std::vector<float> RandomValues(size_t count, uint32_t mask, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<float> values;
  for (size_t i = 0; i < count; ++i) {
    const float value = static_cast<float>(random() % 2001) / 1000 - 1;
    values.push_back(std::bit_cast<float>(std::bit_cast<uint32_t>(value) & mask));
  }
  return values;
}

constexpr uint32_t kBfloat16 = 0xFFFF0000U, kFloat32 = 0xFFFFFFFFU;
constexpr size_t kRows = 37, kColumns = 53;  // no multiples of a vector's width

class MatrixTest : public ::testing::TestWithParam<uint32_t> {
 protected:
  const std::vector<float> weights_ = RandomValues(kRows * kColumns, GetParam(), 1);
  const std::vector<float> bias_ = RandomValues(kRows, kFloat32, 2);
  const Matrix matrix_{weights_, kColumns};
};

TEST_P(MatrixTest, ProductsAreThoseOfDoublesForFewRowsAndForMany) {
  for (const size_t count : {1, 2, 3, 4, 7, 8, 9, 16, 17, 40}) {
    const auto x = RandomValues(count * kColumns, kFloat32, count);
    const auto out = matrix_.Times(x, bias_);
    ASSERT_EQ(out.size(), count * kRows);
    for (size_t i = 0; i < out.size(); ++i) {
      double expected = bias_[i % kRows];
      for (size_t k = 0; k < kColumns; ++k) {
        expected += static_cast<double>(x[i / kRows * kColumns + k]) *
                    static_cast<double>(weights_[i % kRows * kColumns + k]);
      }
      ASSERT_NEAR(out[i], expected, 1e-5) << count << " rows, " << i;
    }
  }
}

TEST_P(MatrixTest, AFewRowsGiveWhatEachGivesAlone) {
  const auto x = RandomValues(kFewRows * kColumns, kFloat32, 3);
  const auto together = matrix_.Times(x);
  for (size_t row = 0; row < kFewRows; ++row) {
    const auto begin = x.begin() + static_cast<std::ptrdiff_t>(row * kColumns);
    const auto alone = matrix_.Times({begin, begin + kColumns});
    for (size_t i = 0; i < kRows; ++i) ASSERT_EQ(alone[i], together[row * kRows + i]);
  }
}

TEST_P(MatrixTest, ARowIsWhatItWasMadeOf) {
  std::vector<float> row{7};
  matrix_.AppendRow(5, row);
  ASSERT_EQ(row.size(), 1 + kColumns);
  for (size_t i = 0; i < kColumns; ++i) EXPECT_EQ(row[1 + i], weights_[5 * kColumns + i]);
}

INSTANTIATE_TEST_SUITE_P(Types, MatrixTest, ::testing::Values(kBfloat16, kFloat32));

TEST(FewRowsTest, EveryKindOfVectorsGivesTheSame) {
  const auto weights = RandomValues(kRows * kColumns, kBfloat16, 1);
  const auto x = RandomValues(kFewRows * kColumns, kFloat32, 2);
  std::vector<uint16_t> halves;
  for (const float weight : weights) {
    halves.push_back(static_cast<uint16_t>(std::bit_cast<uint32_t>(weight) >> 16U));
  }
  const auto product = [&](const auto& values, size_t count, Vectors vectors) {
    std::vector<float> out(count * kRows);
    AddFewRows(values.data(), kRows, kColumns, x.data(), count, out.data(), vectors);
    return out;
  };
  for (const Vectors vectors : {Vectors::kAvx2, Vectors::kAvx512}) {
    if (vectors > BestVectors()) GTEST_SKIP() << "this processor does not have them";
    for (size_t count = 1; count <= kFewRows; ++count) {
      const auto expected = product(weights, count, Vectors::kSse2);
      const auto of_floats = product(weights, count, vectors);
      const auto of_halves = product(halves, count, vectors);
      for (size_t i = 0; i < expected.size(); ++i) {
        ASSERT_NEAR(of_floats[i], expected[i], 1e-5);
        ASSERT_NEAR(of_halves[i], expected[i], 1e-5);
      }
    }
  }
}

TEST(MatrixBytesTest, ValuesThatAreBfloat16TakeHalfTheMemory) {
  std::vector<float> values = RandomValues(kRows * kColumns, kBfloat16, 1);
  EXPECT_EQ(Matrix(values, kColumns).bytes(), 2 * kRows * kColumns);
  values.back() = 1.0001F;
  EXPECT_EQ(Matrix(values, kColumns).bytes(), 4 * kRows * kColumns);
}

}  // namespace
}  // namespace zermelo::decoder
