// The folder of files that can be made again.
#pragma once

#include <filesystem>

namespace zermelo::core {

/// $ZERMELO_CACHE, else zermelo in $XDG_CACHE_HOME, else ~/.cache/zermelo, else a folder of the
/// system's temporary one. It may not exist yet.
std::filesystem::path UserCache();

}  // namespace zermelo::core
