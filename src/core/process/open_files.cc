#include "core/process/open_files.h"

#include <algorithm>
#include <sys/resource.h>

namespace zermelo::core {

namespace {

// Some systems allow a billion. On an old Linux, starting a program takes time for each descriptor
// that there may be (CloseOthersOnExec).
constexpr rlim_t kMostOpenFiles = 65'536;

rlimit limit_before{};  // all zeros: unchanged

}  // namespace

void RaiseOpenFileLimit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  const rlim_t most = std::min(limit.rlim_max, kMostOpenFiles);
  if (limit.rlim_cur >= most) return;
  const rlimit before = limit;
  limit.rlim_cur = most;
  if (::setrlimit(RLIMIT_NOFILE, &limit) == 0) limit_before = before;
}

void RestoreOpenFileLimit() {
  if (limit_before.rlim_max != 0) ::setrlimit(RLIMIT_NOFILE, &limit_before);
}

}  // namespace zermelo::core
