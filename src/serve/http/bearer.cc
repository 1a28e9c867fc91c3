#include "serve/http/bearer.h"

namespace zermelo::serve {

bool HasKey(const std::string& authorization, std::string_view key) {
  constexpr std::string_view kScheme = "Bearer ";
  if (key.empty()) return true;
  if (!authorization.starts_with(kScheme)) return false;
  const std::string_view given = std::string_view(authorization).substr(kScheme.size());
  unsigned difference = given.size() == key.size() ? 0 : 1;
  for (size_t i = 0; i < given.size(); ++i) {
    difference |=
        static_cast<unsigned char>(given[i]) ^ static_cast<unsigned char>(key[i % key.size()]);
  }
  return difference == 0;
}

HttpResponse Unauthorized(const std::string& authorization) {
  return ErrorResponse(401, authorization.empty() ? "Missing API key" : "Invalid API key");
}

}  // namespace zermelo::serve
