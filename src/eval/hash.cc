#include "eval/hash.h"

#include <array>
#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/sha.h>

namespace zermelo::eval {

namespace {

std::array<unsigned char, SHA256_DIGEST_LENGTH> Digest(std::string_view bytes) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest.data());
  return digest;
}

}  // namespace

std::string Sha256Hex(std::string_view bytes) {
  std::string hex;
  for (const unsigned char byte : Digest(bytes)) hex += fmt::format("{:02x}", byte);
  return hex;
}

std::string Sha256Base64(std::string_view bytes) {
  const auto digest = Digest(bytes);
  std::array<unsigned char, 64> text{};
  const int length = EVP_EncodeBlock(text.data(), digest.data(), static_cast<int>(digest.size()));
  return {text.begin(), text.begin() + length};
}

}  // namespace zermelo::eval
