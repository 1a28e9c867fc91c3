// 64-bit FNV-1a, for identifying content; not cryptographic.
#pragma once

#include <cstdint>
#include <string_view>

namespace zermelo::retrieve {

inline uint64_t Hash(std::string_view text, uint64_t seed = 0xCBF29CE484222325U) {
  for (const char c : text) {
    seed ^= static_cast<unsigned char>(c);
    seed *= 0x100000001B3U;
  }
  return seed;
}

}  // namespace zermelo::retrieve
