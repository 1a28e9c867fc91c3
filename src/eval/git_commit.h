// Which commit a file of a dataset belongs to, read from the repository's files.
#pragma once

#include <filesystem>
#include <string>

namespace zermelo::eval {

/// The commit that is checked out in the Git repository at or above `path`: 40 or 64 hexadecimal
/// digits, or empty when there is none or it cannot be read. Changes that are not committed do not
/// show; the hashes of the files do.
std::string CommitAt(const std::filesystem::path& path);

}  // namespace zermelo::eval
