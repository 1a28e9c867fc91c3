// `zermelo prove`, as `zermelo runs resume` uses it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>

namespace zermelo::cli {

/// Resumes run `id` of `database`, which was started with this request. Returns the exit code.
int ResumeProve(const nlohmann::json& request, const std::filesystem::path& database, int64_t id,
                bool as_json, bool quiet);

}  // namespace zermelo::cli
