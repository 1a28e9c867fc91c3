// The Lean files of a project, for the form in which one of them is chosen.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace zermelo::serve {

struct ProjectFiles {
  std::vector<std::string> files;  // relative to the project, in order
  bool more = false;               // there may be others
};

/// At most `most` .lean files below the folder, among the first `most_entries` entries of its
/// folders. Links are neither listed nor followed; folders that cannot be read, those of builds and
/// those whose names begin with a dot are left out. Blocks while it reads the folders.
ProjectFiles LeanFilesBelow(const std::filesystem::path& project, size_t most = 5000,
                            size_t most_entries = 50'000);

}  // namespace zermelo::serve
