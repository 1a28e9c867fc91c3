// Whole files: reading with a size limit, and atomic writing.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <vector>

#include "core/error.h"

namespace zermelo::core {

/// Reads a UTF-8 text file of at most `max_bytes`. kInput with the reason: missing, a directory,
/// not a regular file, unreadable, too large, or binary (a NUL byte or invalid UTF-8).
Result<std::string> ReadTextFile(const std::filesystem::path& path, size_t max_bytes = 64U << 20U);

/// Writes to a temporary file in the folder of `path`, flushes it to disk and renames it over
/// `path`. Keeps the permissions of an existing file and writes through a symbolic link. kInput on
/// failure, with `path` unchanged.
Status WriteFileAtomically(const std::filesystem::path& path, std::string_view content);

/// kInput: "cannot use FILE: " and the reason in errno.
tl::unexpected<Error> CannotUse(const std::filesystem::path& file);

/// Writes all bytes to an open file; false, with errno set, on failure.
bool WriteAll(int fd, std::string_view bytes);

/// Checks that WriteFileAtomically could write `path` by creating and removing its temporary file:
/// permission bits are not conclusive for root, /proc or a full disk. kInput if it could not.
Status CheckCreatable(const std::filesystem::path& path);

/// The nearest folder, `start` or one of its ancestors, that contains one of `names`. A
/// world-writable ancestor such as /tmp ends the search: its files may belong to any user.
std::optional<std::filesystem::path> FindFolderWith(const std::vector<std::string>& names,
                                                    const std::filesystem::path& start);

/// Changes whenever the bytes of a file do: the system sets `changed`, and only root can change the
/// clock.
struct FileIdentity {
  dev_t device = 0;
  ino_t inode = 0;
  off_t size = 0;
  int64_t modified = 0;  // ns
  int64_t changed = 0;   // ns
  bool operator==(const FileIdentity&) const = default;
};

FileIdentity IdentityOf(const struct stat& info);
/// Nothing if there is no such file.
std::optional<FileIdentity> IdentityOf(const std::filesystem::path& file);

/// A new folder in the system's temporary folder, removed with its contents on destruction.
class TemporaryFolder {
 public:
  /// kEnvironment if the folder cannot be created.
  static Result<TemporaryFolder> Create(std::string_view prefix);
  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::move(other.path_)) {
    other.path_.clear();
  }
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();
  const std::filesystem::path& path() const { return path_; }

 private:
  explicit TemporaryFolder(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

}  // namespace zermelo::core
