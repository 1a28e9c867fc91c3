#include "retrieve/library_modules.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>
#include <system_error>
#include <unordered_set>

#include "core/files/user_cache.h"
#include "core/hash/hash.h"

namespace zermelo::retrieve {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kExtension = ".olean";

std::string ModuleName(const fs::path& relative) {
  std::string name;
  for (const fs::path& part : relative) {
    if (!name.empty()) name += '.';
    name += part.string();
  }
  name.resize(name.size() - kExtension.size());
  return name;
}

/// Sizes and modification times of the file and its other parts.
std::string Stamp(const fs::path& file, uint64_t* bytes) {
  std::string stamp;
  for (const char* part : {"", ".server", ".private"}) {
    const fs::path path = file.string() + part;
    std::error_code failed;
    const auto size = fs::file_size(path, failed);
    if (failed) continue;
    const auto time = fs::last_write_time(path, failed);
    if (failed) continue;
    *bytes += size;
    stamp += fmt::format("{}@{};", size, time.time_since_epoch().count());
  }
  return stamp;
}

void AddFolder(const fs::path& folder, std::unordered_set<std::string>* known,
               std::vector<LibraryModule>* modules) {
  std::error_code failed;
  auto at = fs::recursive_directory_iterator(folder, fs::directory_options::skip_permission_denied,
                                             failed);
  for (; !failed && at != fs::recursive_directory_iterator(); at.increment(failed)) {
    const fs::path& path = at->path();
    if (path.extension() != kExtension) continue;
    LibraryModule module;
    module.name = ModuleName(path.lexically_relative(folder));
    if (!known->insert(module.name).second) continue;
    module.file = path;
    module.stamp = Stamp(path, &module.bytes);
    if (!module.stamp.empty()) modules->push_back(std::move(module));
  }
}

}  // namespace

std::vector<LibraryModule> FindModules(const std::vector<fs::path>& search_path) {
  std::vector<LibraryModule> modules;
  std::unordered_set<std::string> known;
  for (const fs::path& folder : search_path) AddFolder(folder, &known, &modules);
  std::sort(modules.begin(), modules.end(),
            [](const LibraryModule& a, const LibraryModule& b) { return a.name < b.name; });
  return modules;
}

fs::path DefaultIndexFile(const std::vector<fs::path>& search_path) {
  uint64_t hash = core::Hash64("");
  for (const fs::path& path : search_path) {
    std::error_code failed;
    const fs::path canonical = fs::weakly_canonical(path, failed);
    hash = core::Hash64((failed ? path : canonical).string() + "\n", hash);
  }
  return core::UserCache() / fmt::format("premises-{:016x}.db", hash);
}

}  // namespace zermelo::retrieve
