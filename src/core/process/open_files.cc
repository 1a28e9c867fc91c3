#include "core/process/open_files.h"

#include <sys/resource.h>

namespace zermelo::core {

namespace {

rlimit limit_before{};  // all zeros: unchanged

}  // namespace

void RaiseOpenFileLimit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return;
  const rlimit before = limit;
  limit.rlim_cur = limit.rlim_max;
  if (::setrlimit(RLIMIT_NOFILE, &limit) == 0) limit_before = before;
}

void RestoreOpenFileLimit() {
  if (limit_before.rlim_max != 0) ::setrlimit(RLIMIT_NOFILE, &limit_before);
}

}  // namespace zermelo::core
