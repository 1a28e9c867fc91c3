// SHA-256, for saying exactly which text was proved.
#pragma once

#include <string>
#include <string_view>

namespace zermelo::eval {

/// The digest (FIPS 180-4) as 64 lower-case hexadecimal digits.
std::string Sha256Hex(std::string_view bytes);
/// The digest in base64, as a Content-Security-Policy names a script.
std::string Sha256Base64(std::string_view bytes);

}  // namespace zermelo::eval
