// For verbs that read compiled modules: finds these modules and the folders of their imports.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/context.h"
#include "core/async.h"
#include "core/error.h"
#include "kernel/files/check_file.h"

namespace zermelo::cli {

/// Adds --path.
void AddSearchPathTo(CLI::App& verb, std::vector<std::string>& folders);

/// The folders of --path (`given`), else the search path of the Lean that the project around `near`
/// uses.
core::Task<core::Result<std::vector<std::filesystem::path>>> SearchPath(
    const std::vector<std::string>& given, const LeanOptions& lean, std::filesystem::path near);

/// The compiled modules of a Lake project. kEnvironment if there are none.
core::Result<kernel::ModuleFiles> ProjectModules(const std::filesystem::path& project);

}  // namespace zermelo::cli
