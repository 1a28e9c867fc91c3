#include "cli/compiled.h"

namespace zermelo::cli {

namespace fs = std::filesystem;
using core::Result;
using core::Task;

void AddSearchPathTo(CLI::App& verb, std::vector<std::string>& folders) {
  verb.add_option(
          "--path", folders,
          "Folder with imported modules (repeatable; default: those of Lean and the project)")
      ->type_name("DIR")
      ->allow_extra_args(false);
}

Task<Result<std::vector<fs::path>>> SearchPath(const std::vector<std::string>& given,
                                               const LeanOptions& lean, fs::path near) {
  if (!given.empty()) co_return std::vector<fs::path>(given.begin(), given.end());
  const auto toolchain = co_await FindLean(lean, fs::absolute(near));
  if (!toolchain) co_return core::Fail(toolchain.error());
  co_return toolchain->search_path;
}

Result<kernel::ModuleFiles> ProjectModules(const fs::path& project) {
  const fs::path folder = kernel::LakeBuildFolder(project);
  auto found = kernel::FindModuleFiles(folder);
  if (found.files.empty() && !found.unreadable.empty())
    return core::Fail(core::ErrorCode::kEnvironment, found.unreadable.front());
  if (found.files.empty()) {
    return core::Fail(core::ErrorCode::kEnvironment,
                      "there are no compiled modules in " + folder.string(),
                      "run `lake build` there first");
  }
  return found;
}

}  // namespace zermelo::cli
