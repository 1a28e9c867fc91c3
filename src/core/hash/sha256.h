// SHA-256 (FIPS 180-4), to identify contents that must not be replaced unnoticed.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>

struct evp_md_ctx_st;

namespace zermelo::core {

/// The digest of bytes that arrive in pieces.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;

  void Add(std::string_view bytes);
  /// Ends the computation; nothing may be added afterwards.
  std::array<unsigned char, 32> Digest();
  /// Digest as 64 lower-case hexadecimal digits.
  std::string Hex();

 private:
  struct Free {
    void operator()(evp_md_ctx_st* context) const;
  };
  std::unique_ptr<evp_md_ctx_st, Free> context_;
};

/// The digest as 64 lower-case hexadecimal digits.
std::string Sha256Hex(std::string_view bytes);
/// The digest in base64, as a Content-Security-Policy requires for scripts.
std::string Sha256Base64(std::string_view bytes);

}  // namespace zermelo::core
