// SHA-256, to identify the texts that were proved.
#pragma once

#include <string>
#include <string_view>

namespace zermelo::eval {

/// The digest (FIPS 180-4) as 64 lower-case hexadecimal digits.
std::string Sha256Hex(std::string_view bytes);
/// The digest in base64, as a Content-Security-Policy requires for scripts.
std::string Sha256Base64(std::string_view bytes);

}  // namespace zermelo::eval
