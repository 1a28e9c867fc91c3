// `zermelo prove`, also as the verb `runs` does it again.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>

namespace zermelo::cli {

/// Goes on with a run that was begun with this request. The exit code.
int ResumeProve(const nlohmann::json& request, const std::filesystem::path& database, int64_t id,
                bool as_json, bool quiet);

}  // namespace zermelo::cli
