// Finds programs as a shell does.
#pragma once

#include <filesystem>
#include <string_view>

namespace zermelo::core {

/// Whether a file can be executed by this process.
bool IsExecutable(const std::filesystem::path& path);

/// The first executable of this name in the folders of PATH; empty: there is none.
std::filesystem::path FindOnPath(std::string_view program);

}  // namespace zermelo::core
