// Finds the compiled modules on a Lean search path.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace zermelo::retrieve {

struct LibraryModule {
  std::string name;  // "Init.Data.Nat.Basic"
  std::filesystem::path file;
  std::string stamp;   // sizes and modification times of its files
  uint64_t bytes = 0;  // total size of its files
};

/// Returns all modules below the folders of a search path (LEAN_PATH), sorted by name; the first
/// of several modules with one name wins. Unreadable files are skipped. About 10 ms for 2,000
/// modules.
std::vector<LibraryModule> FindModules(const std::vector<std::filesystem::path>& search_path);

/// The default premise index of a search path: `premises-<hash of the search path>.db` in
/// core::UserCache, because toolchains and projects must not be written to unasked.
std::filesystem::path DefaultIndexFile(const std::vector<std::filesystem::path>& search_path);

}  // namespace zermelo::retrieve
