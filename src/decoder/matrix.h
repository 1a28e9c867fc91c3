// A matrix of weights, and products with it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace zermelo::decoder {

/// [rows][columns], constant. Kept in 16 bits (bfloat16) if that loses nothing, which is so for
/// weights that were trained or written in bfloat16, and in 32 bits otherwise. Products are the
/// same up to rounding either way: all arithmetic is in 32-bit floats.
class Matrix {
 public:
  Matrix() = default;
  /// `values`: row by row, a multiple of `columns`.
  Matrix(std::vector<float> values, size_t columns);

  bool empty() const { return rows_ == 0; }
  size_t rows() const { return rows_; }
  size_t bytes() const { return values_.size() * sizeof(float) + halves_.size() * 2; }

  /// Appends a row to `out`.
  void AppendRow(size_t row, std::vector<float>& out) const;

  /// x[count][columns] times the transpose, plus the bias [rows] unless it is empty:
  /// [count][rows]. Safe from several threads.
  std::vector<float> Times(const std::vector<float>& x, const std::vector<float>& bias = {}) const;

 private:
  size_t rows_ = 0, columns_ = 0;
  // One of them is empty.
  std::vector<float> values_;
  std::vector<uint16_t> halves_;  // the upper halves of the values
};

}  // namespace zermelo::decoder
