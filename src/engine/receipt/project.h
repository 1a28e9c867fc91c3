// Which sources a proof was judged with: the commits of a Lake project and of its packages.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>

namespace zermelo::engine {

/// {"commit", "toolchain", "manifest_sha256", "packages": [{"name", "url", "rev"}, …]}; null if
/// `project` is empty. What is not known is null: `commit` outside a Git repository, `toolchain`
/// without a lean-toolchain file, `manifest_sha256` without a lake-manifest.json.
nlohmann::json DescribeProject(const std::filesystem::path& project);

}  // namespace zermelo::engine
