// The compiled modules that a Lean finds.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace zermelo::retrieve {

struct LibraryModule {
  std::string name;  // "Init.Data.Nat.Basic"
  std::filesystem::path file;
  std::string stamp;  // of size and time of its files: changes when they do
  uint64_t bytes = 0;
};

/// All modules below the folders of a search path (LEAN_PATH), by name; of two with one name the
/// first counts. What cannot be read is left out. About 10 ms for 2,000 modules.
std::vector<LibraryModule> FindModules(const std::vector<std::filesystem::path>& search_path);

/// Where the premise index of a search path is kept: $ZERMELO_CACHE, else zermelo/ in
/// $XDG_CACHE_HOME, else ~/.cache/zermelo; there `premises-<hash of the search path>.db`. In the
/// user's cache, since neither a toolchain nor a project may be written to unasked.
std::filesystem::path DefaultIndexFile(const std::vector<std::filesystem::path>& search_path);

}  // namespace zermelo::retrieve
