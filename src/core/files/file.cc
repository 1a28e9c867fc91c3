#include "core/files/file.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/text.h"

namespace zermelo::core {

namespace fs = std::filesystem;

namespace {

std::string Because(const char* verb, const fs::path& path, int error) {
  return std::string("cannot ") + verb + " " + path.string() + ": " + std::strerror(error);
}

struct OpenFile {
  int fd = -1;
  ~OpenFile() {
    if (fd >= 0) ::close(fd);
  }
};

mode_t Umask() {
  const mode_t mask = ::umask(0);  // the mask cannot be read without setting it
  ::umask(mask);
  return mask;
}

/// The file to replace: the target if `path` is a symbolic link.
fs::path Target(const fs::path& path) {
  std::error_code ignored;
  return fs::is_symlink(path, ignored) ? fs::canonical(path, ignored) : path;
}

std::string TemporaryPattern(const fs::path& target) {
  fs::path hidden = ".";
  hidden += target.filename();
  hidden += ".XXXXXX";
  return (target.parent_path() / hidden).string();
}

tl::unexpected<Error> CannotWrite(const fs::path& path, int error) {
  return Fail(ErrorCode::kInput, Because("write", path, error),
              "choose another file with --out FILE");
}

}  // namespace

tl::unexpected<Error> CannotUse(const fs::path& file) {
  return Fail(ErrorCode::kInput,
              fmt::format("cannot use {}: {}", file.string(), std::strerror(errno)));
}

bool WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

Result<std::string> ReadTextFile(const fs::path& path, size_t max_bytes) {
  OpenFile file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.fd < 0) return Fail(ErrorCode::kInput, Because("read", path, errno));
  struct stat info {};
  ::fstat(file.fd, &info);
  if (S_ISDIR(info.st_mode)) {
    return Fail(ErrorCode::kInput, path.string() + " is a directory",
                "name a .lean file inside it");
  }
  if (!S_ISREG(info.st_mode)) {
    return Fail(ErrorCode::kInput, path.string() + " is not a regular file");
  }
  std::string text;
  std::string chunk(1U << 20U, '\0');
  for (;;) {
    const ssize_t n = ::read(file.fd, chunk.data(), chunk.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Fail(ErrorCode::kInput, Because("read", path, errno));
    if (n == 0) break;
    text.append(chunk, 0, static_cast<size_t>(n));
    if (text.size() > max_bytes) {
      return Fail(ErrorCode::kInput,
                  path.string() + " is larger than " + std::to_string(max_bytes >> 20U) + " MiB");
    }
  }
  if (text.find('\0') != std::string::npos || FindInvalidUtf8(text)) {
    return Fail(ErrorCode::kInput, path.string() + " is not a UTF-8 text file",
                "Lean files are UTF-8 text; check that this is the right file");
  }
  return text;
}

Status WriteFileAtomically(const fs::path& path, std::string_view content) {
  const fs::path target = Target(path);
  std::string temporary = TemporaryPattern(target);
  OpenFile file{::mkostemp(temporary.data(), O_CLOEXEC)};
  if (file.fd < 0) return CannotWrite(path, errno);
  struct stat info {};
  if (::stat(target.c_str(), &info) != 0) info.st_mode = 0666 & ~Umask();
  const bool written = WriteAll(file.fd, content) && ::fchmod(file.fd, info.st_mode & 07777) == 0 &&
                       ::fsync(file.fd) == 0 && ::rename(temporary.c_str(), target.c_str()) == 0;
  if (written) return {};
  const int error = errno;
  ::unlink(temporary.c_str());
  return CannotWrite(path, error);
}

Status CheckCreatable(const fs::path& path) {
  std::string temporary = TemporaryPattern(Target(path));
  const OpenFile file{::mkostemp(temporary.data(), O_CLOEXEC)};
  if (file.fd < 0) return CannotWrite(path, errno);
  ::unlink(temporary.c_str());
  return {};
}

std::optional<std::filesystem::path> FindFolderWith(const std::vector<std::string>& names,
                                                    const std::filesystem::path& start) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::path own = fs::absolute(start, ignored).lexically_normal();
  for (fs::path folder = own; !folder.empty(); folder = folder.parent_path()) {
    const fs::perms permissions = fs::status(folder, ignored).permissions();
    const bool is_public = (permissions & fs::perms::others_write) != fs::perms::none;
    if (folder != own && is_public) break;
    for (const std::string& name : names) {
      if (fs::exists(folder / name, ignored)) return folder;
    }
    if (folder == folder.parent_path()) break;
  }
  return std::nullopt;
}

Result<TemporaryFolder> TemporaryFolder::Create(std::string_view prefix) {
  std::string pattern = (fs::temp_directory_path() / (std::string(prefix) + "XXXXXX")).string();
  if (::mkdtemp(pattern.data()) == nullptr) {
    return Fail(ErrorCode::kEnvironment, Because("create", pattern, errno),
                "set TMPDIR to a folder you can write to");
  }
  return TemporaryFolder(pattern);
}

TemporaryFolder::~TemporaryFolder() {
  if (path_.empty()) return;
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

FileIdentity IdentityOf(const struct stat& info) {
  constexpr int64_t kSecond = 1'000'000'000;
  return {info.st_dev, info.st_ino, info.st_size,
          info.st_mtim.tv_sec * kSecond + info.st_mtim.tv_nsec,
          info.st_ctim.tv_sec * kSecond + info.st_ctim.tv_nsec};
}

std::optional<FileIdentity> IdentityOf(const std::filesystem::path& file) {
  struct stat info {};
  if (::stat(file.c_str(), &info) != 0) return std::nullopt;
  return IdentityOf(info);
}

}  // namespace zermelo::core
