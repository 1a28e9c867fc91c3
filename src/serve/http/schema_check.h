// Validates JSON values against the subset of JSON Schema that the tools use.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace zermelo::serve {

/// Returns an empty string if `value` fits the schema, else one sentence that names the place
/// ("proofs[3] must be a string"). `place` is the place of `value` itself.
///
/// Supports these keywords of JSON Schema 2020-12: type (one name), enum, minimum, maximum,
/// minItems, maxItems, items, properties, required. Objects may not have properties that are not
/// listed. null counts as absent. `value` may be anything.
std::string SchemaError(const nlohmann::json& value, const nlohmann::json& schema,
                        const std::string& place = "");

}  // namespace zermelo::serve
