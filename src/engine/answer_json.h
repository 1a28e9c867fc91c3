// What recorded answers have in common.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "core/error.h"

namespace zermelo::engine {

/// {"error": {"code", "message", "hint"}}
nlohmann::json ErrorAnswer(const core::Error& error);
/// Of what ErrorAnswer holds under "error"; kInternal when it names no code of ours.
core::Error ErrorOf(const nlohmann::json& error);

/// 64 bits of FNV-1a, in hexadecimal: tells changed texts from equal ones where nobody cheats.
std::string Fingerprint(std::string_view text);

}  // namespace zermelo::engine
