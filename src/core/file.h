// Whole files, read with limits and written so that nobody ever sees half of one.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"

namespace zermelo::core {

/// Reads a UTF-8 text file of at most `max_bytes`. kInput errors say what is wrong: missing, a
/// directory, unreadable, too large, binary (a NUL byte or invalid UTF-8).
Result<std::string> ReadTextFile(const std::filesystem::path& path, size_t max_bytes = 64U << 20U);

/// Writes to a temporary file beside `path`, flushes it to disk and renames it over `path`, which
/// keeps its permissions. On failure `path` is as it was.
Status WriteFileAtomically(const std::filesystem::path& path, std::string_view content);

/// Whether WriteFileAtomically could write there, found out by creating its temporary file: what
/// permissions say is not the whole truth for root, /proc or a full disk.
Status CheckCreatable(const std::filesystem::path& path);

/// The nearest folder, `start` or one above it, that holds one of `names`. A folder above `start`
/// in which everybody may create files, as /tmp, ends the search: what it holds may be anybody's.
std::optional<std::filesystem::path> FindFolderWith(const std::vector<std::string>& names,
                                                    const std::filesystem::path& start);

/// A fresh folder under the system's temporary folder, removed with all it holds.
class TemporaryFolder {
 public:
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
