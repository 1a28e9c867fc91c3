// Numbers in the bytes of a record, in the machine's order.
#pragma once

#include <bit>
#include <cstring>
#include <string>
#include <string_view>

namespace zermelo::learn {

static_assert(std::endian::native == std::endian::little, "the file has the machine's byte order");

template <class T>
void Put(T value, std::string* bytes) {
  bytes->append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// The bytes must reach that far.
template <class T>
T Get(std::string_view bytes, size_t at) {
  T value{};
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

}  // namespace zermelo::learn
