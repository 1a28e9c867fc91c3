// JSON shared by all recorded answers.
#pragma once

#include <nlohmann/json.hpp>

#include "core/error.h"

namespace zermelo::record {

/// {"error": {"code", "message", "hint"}}
nlohmann::json ErrorAnswer(const core::Error& error);
/// Reads the object that ErrorAnswer writes under "error"; kInternal if its code is unknown.
core::Error ErrorOf(const nlohmann::json& error);

}  // namespace zermelo::record
