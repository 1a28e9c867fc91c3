#include "core/files/user_cache.h"

#include <cstdlib>

namespace zermelo::core {

namespace fs = std::filesystem;

fs::path UserCache() {
  const auto variable = [](const char* name) {
    const char* const value = std::getenv(name);
    return fs::path(value == nullptr ? "" : value);
  };
  if (fs::path own = variable("ZERMELO_CACHE"); !own.empty()) return own;
  if (const fs::path all = variable("XDG_CACHE_HOME"); !all.empty()) return all / "zermelo";
  if (const fs::path home = variable("HOME"); !home.empty()) return home / ".cache" / "zermelo";
  return fs::temp_directory_path() / "zermelo";
}

}  // namespace zermelo::core
