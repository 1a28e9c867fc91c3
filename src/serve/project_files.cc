#include "serve/project_files.h"

#include <algorithm>

namespace zermelo::serve {

namespace fs = std::filesystem;

namespace {

bool HasNoSources(const fs::path& folder) {
  const std::string name = folder.filename().string();
  return name.starts_with(".") || name == "build" || name == "lake-packages" ||
         name == "node_modules";
}

}  // namespace

ProjectFiles LeanFilesBelow(const fs::path& project, size_t most, size_t most_entries) {
  ProjectFiles found;
  std::error_code error;
  auto at = fs::recursive_directory_iterator(project, fs::directory_options::skip_permission_denied,
                                             error);
  const bool readable = !error;
  for (size_t seen = 0; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    found.more = found.files.size() >= most || ++seen > most_entries;
    if (found.more) break;
    std::error_code unknown;
    const fs::file_type type = at->symlink_status(unknown).type();
    const bool is_file = type == fs::file_type::regular && at->path().extension() == ".lean";
    if (is_file) found.files.push_back(at->path().lexically_relative(project).string());
    if (type == fs::file_type::directory && HasNoSources(at->path())) {
      at.disable_recursion_pending();
    }
  }
  found.more = found.more || (readable && error);  // a folder was removed meanwhile
  std::ranges::sort(found.files);
  return found;
}

}  // namespace zermelo::serve
