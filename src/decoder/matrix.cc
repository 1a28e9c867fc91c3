#include "decoder/matrix.h"

#include <algorithm>
#include <bit>
#include <cblas.h>

#include "decoder/blas_lock.h"
#include "decoder/few_rows.h"

namespace zermelo::decoder {

namespace {

constexpr size_t kBlock = size_t{1} << 18U;  // values that are widened at a time

bool IsBfloat16(float value) { return (std::bit_cast<uint32_t>(value) & 0xFFFFU) == 0; }

/// out[count][stride] += x[count][columns] * weights[rows][columns]ᵀ, for any count.
void AddManyRows(const float* weights, size_t rows, size_t columns, const std::vector<float>& x,
                 float* out, size_t stride) {
  const auto lock = BlasLock();
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, static_cast<int>(x.size() / columns),
              static_cast<int>(rows), static_cast<int>(columns), 1, x.data(),
              static_cast<int>(columns), weights, static_cast<int>(columns), 1, out,
              static_cast<int>(stride));
}

}  // namespace

Matrix::Matrix(std::vector<float> values, size_t columns)
    : rows_(values.size() / columns), columns_(columns), values_(std::move(values)) {
  if (!std::ranges::all_of(values_, IsBfloat16)) return;
  halves_.reserve(values_.size());
  for (const float value : values_) {
    halves_.push_back(static_cast<uint16_t>(std::bit_cast<uint32_t>(value) >> 16U));
  }
  values_ = {};
}

void Matrix::AppendRow(size_t row, std::vector<float>& out) const {
  out.resize(out.size() + columns_);
  float* const to = out.data() + out.size() - columns_;
  if (halves_.empty()) {
    std::copy_n(&values_[row * columns_], columns_, to);
  } else {
    Widen(&halves_[row * columns_], columns_, to);
  }
}

std::vector<float> Matrix::Times(const std::vector<float>& x,
                                 const std::vector<float>& bias) const {
  const size_t count = x.size() / columns_;
  std::vector<float> out;
  out.reserve(count * rows_);
  for (size_t i = 0; i < count && !bias.empty(); ++i) {
    out.insert(out.end(), bias.begin(), bias.end());
  }
  out.resize(count * rows_);
  if (count <= kFewRows && halves_.empty()) {
    AddFewRows(values_.data(), rows_, columns_, x.data(), count, out.data());
  } else if (count <= kFewRowsOfBfloat16 && !halves_.empty()) {
    AddFewRows(halves_.data(), rows_, columns_, x.data(), count, out.data());
  } else if (halves_.empty()) {
    AddManyRows(values_.data(), rows_, columns_, x, out.data(), rows_);
  } else {
    const size_t most = std::max<size_t>(1, kBlock / columns_);
    std::vector<float> block(std::min(most, rows_) * columns_);
    for (size_t row = 0; row < rows_; row += most) {
      const size_t height = std::min(most, rows_ - row);
      Widen(&halves_[row * columns_], height * columns_, block.data());
      AddManyRows(block.data(), height, columns_, x, &out[row], rows_);
    }
  }
  return out;
}

}  // namespace zermelo::decoder
