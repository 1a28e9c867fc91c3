#include "decoder/few_rows.h"

#include <bit>
#include <cstring>

namespace zermelo::decoder {

namespace {

// Vectors of the compiler's: 4, 8 and 16 values at once. (GCC 12 knows none that depend on a
// template's parameter.)
struct Sse2 {
  using Floats [[gnu::vector_size(16)]] = float;
  using Words [[gnu::vector_size(16)]] = uint32_t;
  using Halves [[gnu::vector_size(8)]] = uint16_t;
  static constexpr int kColumns = 2;
};
struct Avx2 {
  using Floats [[gnu::vector_size(32)]] = float;
  using Words [[gnu::vector_size(32)]] = uint32_t;
  using Halves [[gnu::vector_size(16)]] = uint16_t;
  static constexpr int kColumns = 2;
};
struct Avx512 {
  using Floats [[gnu::vector_size(64)]] = float;
  using Words [[gnu::vector_size(64)]] = uint32_t;
  using Halves [[gnu::vector_size(32)]] = uint16_t;
  static constexpr int kColumns = 4;
};

#define ZERMELO_INLINE [[gnu::always_inline]] inline

template <class Isa>
ZERMELO_INLINE void LoadLanes(const float* from, typename Isa::Floats& out) {
  std::memcpy(&out, from, sizeof out);
}

template <class Isa>
ZERMELO_INLINE void LoadLanes(const uint16_t* from, typename Isa::Floats& out) {
  typename Isa::Halves halves;
  std::memcpy(&halves, from, sizeof halves);
  const typename Isa::Words words = __builtin_convertvector(halves, typename Isa::Words) << 16U;
  std::memcpy(&out, &words, sizeof out);
}

ZERMELO_INLINE float LoadOne(const float* from) { return *from; }
ZERMELO_INLINE float LoadOne(const uint16_t* from) {
  return std::bit_cast<float>(static_cast<uint32_t>(*from) << 16U);
}

/// The products of `kRows` rows of x with `kColumns` rows of the weights, in registers.
template <class Isa, int kRows, int kColumns, class Weight>
ZERMELO_INLINE void AddTile(const Weight* weights, const float* x, size_t size, float* out,
                            size_t stride) {
  constexpr size_t kLanes = sizeof(typename Isa::Floats) / sizeof(float);
  typename Isa::Floats sums[kRows][kColumns] = {};
  size_t at = 0;
  for (; at + kLanes <= size; at += kLanes) {
    typename Isa::Floats w[kColumns];
#pragma GCC unroll 4
    for (int c = 0; c < kColumns; ++c) LoadLanes<Isa>(weights + c * size + at, w[c]);
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) {
      typename Isa::Floats lanes;
      LoadLanes<Isa>(x + r * size + at, lanes);
#pragma GCC unroll 4
      for (int c = 0; c < kColumns; ++c) sums[r][c] += w[c] * lanes;
    }
  }
  for (int r = 0; r < kRows; ++r) {
    for (int c = 0; c < kColumns; ++c) {
      float sum = 0;
      for (size_t lane = 0; lane < kLanes; ++lane) sum += sums[r][c][lane];
      for (size_t i = at; i < size; ++i) sum += LoadOne(weights + c * size + i) * x[r * size + i];
      out[r * stride + c] += sum;
    }
  }
}

template <class Isa, int kColumns, class Weight>
ZERMELO_INLINE void AddStrip(const Weight* weights, size_t size, const float* x, size_t count,
                             float* out, size_t stride) {
  size_t row = 0;
  for (; row + 4 <= count; row += 4) {
    AddTile<Isa, 4, kColumns>(weights, x + row * size, size, out + row * stride, stride);
  }
  x += row * size;
  out += row * stride;
  if (count - row == 3) AddTile<Isa, 3, kColumns>(weights, x, size, out, stride);
  if (count - row == 2) AddTile<Isa, 2, kColumns>(weights, x, size, out, stride);
  if (count - row == 1) AddTile<Isa, 1, kColumns>(weights, x, size, out, stride);
}

template <class Isa, class Weight>
ZERMELO_INLINE void AddAll(const Weight* weights, size_t rows, size_t size, const float* x,
                           size_t count, float* out) {
  size_t row = 0;
  for (; row + Isa::kColumns <= rows; row += Isa::kColumns) {
    AddStrip<Isa, Isa::kColumns>(weights + row * size, size, x, count, out + row, rows);
  }
  for (; row < rows; ++row) {
    AddStrip<Isa, 1>(weights + row * size, size, x, count, out + row, rows);
  }
}

#ifdef __x86_64__
template <class Weight>
[[gnu::target("avx512f")]] void AddWithAvx512(const Weight* weights, size_t rows, size_t size,
                                              const float* x, size_t count, float* out) {
  AddAll<Avx512>(weights, rows, size, x, count, out);
}

template <class Weight>
[[gnu::target("avx2,fma")]] void AddWithAvx2(const Weight* weights, size_t rows, size_t size,
                                             const float* x, size_t count, float* out) {
  AddAll<Avx2>(weights, rows, size, x, count, out);
}
#endif

template <class Weight>
void AddWith(Vectors vectors, const Weight* weights, size_t rows, size_t size, const float* x,
             size_t count, float* out) {
#ifdef __x86_64__
  if (vectors == Vectors::kAvx512) return AddWithAvx512(weights, rows, size, x, count, out);
  if (vectors == Vectors::kAvx2) return AddWithAvx2(weights, rows, size, x, count, out);
#endif
  AddAll<Sse2>(weights, rows, size, x, count, out);
}

}  // namespace

void Widen(const uint16_t* halves, size_t count, float* out) {
  for (size_t i = 0; i < count; ++i) out[i] = LoadOne(halves + i);
}

Vectors BestVectors() {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512f")) return Vectors::kAvx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return Vectors::kAvx2;
#endif
  return Vectors::kSse2;
}

void AddFewRows(const float* weights, size_t rows, size_t columns, const float* x, size_t count,
                float* out, Vectors vectors) {
  AddWith(vectors, weights, rows, columns, x, count, out);
}

void AddFewRows(const uint16_t* weights, size_t rows, size_t columns, const float* x, size_t count,
                float* out, Vectors vectors) {
  AddWith(vectors, weights, rows, columns, x, count, out);
}

}  // namespace zermelo::decoder
