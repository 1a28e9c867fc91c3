// JSON for readers.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace zermelo::cli {

/// The value as indented text, with one `name: value` per line, `status` first and the rest sorted
/// by name; multi-line texts, lists and objects begin on the next line. No line break at the end.
std::string ReadableJson(const nlohmann::json& value);

}  // namespace zermelo::cli
