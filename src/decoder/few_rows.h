// Products of a matrix with few vectors, which read each weight once, as it is in memory. For one
// to eight of them OpenBLAS's sgemm is two to four times slower, and it cannot read bfloat16.
#pragma once

#include <cstddef>
#include <cstdint>

namespace zermelo::decoder {

constexpr size_t kFewRows = 8;             // from here on, sgemm is faster,
constexpr size_t kFewRowsOfBfloat16 = 16;  // and here even if the weights are widened for it

/// The 32-bit floats with these upper halves.
void Widen(const uint16_t* halves, size_t count, float* out);

/// The processor's vector instructions.
enum class Vectors { kSse2, kAvx2, kAvx512 };
/// The widest that this processor has.
Vectors BestVectors();

/// out[count][rows] += x[count][columns] * weights[rows][columns]ᵀ, on the calling thread. A result
/// does not depend on `count`. The weights of the second are bfloat16.
void AddFewRows(const float* weights, size_t rows, size_t columns, const float* x, size_t count,
                float* out, Vectors vectors = BestVectors());
void AddFewRows(const uint16_t* weights, size_t rows, size_t columns, const float* x, size_t count,
                float* out, Vectors vectors = BestVectors());

}  // namespace zermelo::decoder
