// Authorization by a bearer token (RFC 6750).
#pragma once

#include <string>
#include <string_view>

#include "serve/http/http_server.h"

namespace zermelo::serve {

/// Whether an Authorization header carries the key; always if the key is empty. The time does not
/// depend on where the strings differ.
bool HasKey(const std::string& authorization, std::string_view key);

/// Refuses a request without the key: a 401.
HttpResponse Unauthorized(const std::string& authorization);

}  // namespace zermelo::serve
