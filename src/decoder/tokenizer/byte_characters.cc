#include "decoder/tokenizer/byte_characters.h"

#include <array>
#include <unordered_map>

#include "core/text.h"

namespace zermelo::decoder {

namespace {

constexpr size_t kByteValues = 256;

std::array<char32_t, kByteValues> CharactersOfBytes() {
  std::array<char32_t, kByteValues> out{};
  char32_t next = 256;
  for (char32_t byte = 0; byte < kByteValues; ++byte) {
    const bool printable =
        (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
    out[byte] = printable ? byte : next++;
  }
  return out;
}

}  // namespace

std::string CharacterOfByte(size_t byte) {
  static const auto characters = CharactersOfBytes();
  const char32_t character = characters.at(byte);
  if (character < 0x80) return {static_cast<char>(character)};
  return {static_cast<char>(0xC0U | character >> 6U),
          static_cast<char>(0x80U | (character & 0x3FU))};
}

std::optional<std::string> BytesOf(const std::string& written) {
  static const auto by_character = [] {
    std::unordered_map<char32_t, char> out;
    const auto characters = CharactersOfBytes();
    for (size_t byte = 0; byte < kByteValues; ++byte)
      out[characters[byte]] = static_cast<char>(byte);
    return out;
  }();
  std::string bytes;
  for (size_t at = 0; at < written.size();) {
    const core::CodePoint character = core::DecodeUtf8(written, at);
    const auto found = by_character.find(character.value);
    if (found == by_character.end()) return std::nullopt;
    bytes += found->second;
    at += character.length;
  }
  return bytes;
}

}  // namespace zermelo::decoder
