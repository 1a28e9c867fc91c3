// JSON shared by all recorded answers: errors and keys.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "core/error.h"

namespace zermelo::engine {

/// {"error": {"code", "message", "hint"}}
nlohmann::json ErrorAnswer(const core::Error& error);
/// Reads the object that ErrorAnswer writes under "error"; kInternal if its code is unknown.
core::Error ErrorOf(const nlohmann::json& error);

/// 64-bit FNV-1a in hexadecimal: detects changed texts, but is no protection against forgery.
std::string Fingerprint(std::string_view text);

}  // namespace zermelo::engine
