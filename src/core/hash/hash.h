// 64-bit FNV-1a (draft-eastlake-fnv): identifies content; no protection against forgery. Databases
// store the values.
#pragma once

#include <cstdint>
#include <fmt/format.h>
#include <string>
#include <string_view>

namespace zermelo::core {

/// `seed`: the hash of what precedes the text, so that Hash64(b, Hash64(a)) == Hash64(a + b).
constexpr uint64_t Hash64(std::string_view text, uint64_t seed = 0xCBF29CE484222325U) {
  for (const char c : text) {
    seed ^= static_cast<unsigned char>(c);
    seed *= 0x100000001B3U;
  }
  return seed;
}

/// Hash64 as 16 hexadecimal digits.
inline std::string HexHash64(std::string_view text) { return fmt::format("{:016x}", Hash64(text)); }

}  // namespace zermelo::core
