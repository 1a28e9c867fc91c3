// The characters that stand for bytes in tokenizer.json (GPT-2's bytes_to_unicode).
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace zermelo::decoder {

/// The character of a byte, in UTF-8: printable bytes stand for themselves, the others for U+0100
/// and up.
std::string CharacterOfByte(size_t byte);

/// The bytes that a token of tokenizer.json stands for; nullopt if it has a character that stands
/// for no byte.
std::optional<std::string> BytesOf(const std::string& written);

}  // namespace zermelo::decoder
