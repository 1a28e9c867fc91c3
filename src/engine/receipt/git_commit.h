// The commit of the repository that contains a file, read from the repository's files: Git may not
// be installed, and refuses a repository that belongs to another user, as in many containers.
#pragma once

#include <filesystem>
#include <string>

namespace zermelo::engine {

/// The commit checked out in the Git repository at or above `path`: 40 or 64 hexadecimal digits, or
/// empty if there is none or it cannot be read. Ignores uncommitted changes, which only the hashes
/// of the files reveal.
std::string CommitAt(const std::filesystem::path& path);

}  // namespace zermelo::engine
