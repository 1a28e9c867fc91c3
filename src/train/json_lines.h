// Files with a JSON value on each line.
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/error.h"

namespace zermelo::train {

/// Passes the value of each line that is not blank to `use`. kInput if the file cannot be read;
/// with file and line: a line is not JSON, `use` throws a nlohmann::json::exception (the hint is
/// then `expected`), or fails.
core::Status ReadJsonLines(const std::filesystem::path& path, const std::string& expected,
                           const std::function<core::Status(const nlohmann::json&)>& use);

}  // namespace zermelo::train
