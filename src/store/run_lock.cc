#include "store/run_lock.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>

namespace zermelo::store {

core::Result<RunLock> RunLock::Take(const std::filesystem::path& database, int64_t run) {
  const std::string path = database.string() + ".lock";
  core::Fd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (fd.get() < 0) {
    return core::Fail(core::ErrorCode::kEnvironment,
                      fmt::format("cannot open {}: {}", path, std::strerror(errno)),
                      "check that you may write to the folder");
  }
  struct flock byte {};
  byte.l_type = F_WRLCK;
  byte.l_whence = SEEK_SET;
  byte.l_start = run;
  byte.l_len = 1;
  if (::fcntl(fd.get(), F_OFD_SETLK, &byte) == 0) return RunLock(std::move(fd));
  if (errno == EAGAIN || errno == EACCES) {
    return core::Fail(
        core::ErrorCode::kInput,
        fmt::format("another process is working on run {} of {}", run, database.string()),
        "wait for it to end, or stop it");
  }
  return core::Fail(core::ErrorCode::kEnvironment,
                    fmt::format("cannot lock {}: {}", path, std::strerror(errno)));
}

}  // namespace zermelo::store
