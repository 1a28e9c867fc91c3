#include "core/process/find_program.h"

#include <algorithm>
#include <cstdlib>
#include <unistd.h>

namespace zermelo::core {

namespace fs = std::filesystem;

bool IsExecutable(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
}

fs::path FindOnPath(std::string_view program) {
  const char* path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    const size_t colon = std::min(rest.find(':'), rest.size());
    fs::path candidate = fs::path(rest.substr(0, colon)) / program;
    if (colon > 0 && IsExecutable(candidate)) return candidate;
    rest.remove_prefix(std::min(rest.size(), colon + 1));
  }
  return {};
}

}  // namespace zermelo::core
