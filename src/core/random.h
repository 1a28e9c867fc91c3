// Seeded pseudo-random numbers that are identical on all platforms; those of the standard library's
// distributions are not.
#pragma once

#include <cstdint>

namespace zermelo::core {

/// Scrambles 64 bits; a bijection (the output function of SplitMix64, Steele, Lea, Flood 2014).
constexpr uint64_t Mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111eb;
  return x ^ (x >> 31U);
}
constexpr uint64_t Mix(uint64_t x, uint64_t y) { return Mix(Mix(x) ^ y); }

/// Uniform in [0, n) from 64 random bits, n > 0 (Lemire 2019; the bias is below n / 2^64).
constexpr uint64_t Below(uint64_t bits, uint64_t n) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<uint64_t>((static_cast<Wide>(bits) * n) >> 64U);
}

/// Uniform in [0, 1) from 64 random bits.
constexpr double Unit(uint64_t bits) { return static_cast<double>(bits >> 11U) * 0x1.0p-53; }

/// SplitMix64.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(Mix(seed)) {}
  uint64_t Next() { return Mix(state_++); }
  uint64_t Below(uint64_t n) { return core::Below(Next(), n); }
  double Unit() { return core::Unit(Next()); }

 private:
  uint64_t state_;
};

}  // namespace zermelo::core
