// Whether a JSON value is what a JSON Schema of ours says.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace zermelo::serve {

/// Empty when `value` fits, else one sentence with its place ("proofs[3] must be a string").
///
/// Of JSON Schema 2020-12: type (one name), enum, minimum, maximum, minItems, maxItems, items,
/// properties, required, and objects have no other properties than those listed. null counts as
/// absent. `value` may be anything.
std::string WhyNotOfSchema(const nlohmann::json& value, const nlohmann::json& schema,
                           const std::string& place = "");

}  // namespace zermelo::serve
