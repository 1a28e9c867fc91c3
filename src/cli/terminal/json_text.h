// JSON for readers.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace zermelo::cli {

/// The value as indented text, one `name: value` a line, `status` first and the rest by name; texts
/// of several lines, lists and objects begin on the next line. No line break at the end.
std::string ReadableJson(const nlohmann::json& value);

}  // namespace zermelo::cli
