#include "engine/receipt/git_commit.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "core/files/file.h"

namespace zermelo::engine {

namespace fs = std::filesystem;

namespace {

constexpr size_t kMaxRefBytes = 16U << 20U;  // packed-refs of a large repository

std::string FirstLine(const fs::path& path) {
  const auto text = core::ReadTextFile(path, kMaxRefBytes);
  return text ? text->substr(0, text->find_first_of("\r\n")) : "";
}

bool IsObjectName(const std::string& text) {
  return (text.size() == 40 || text.size() == 64) &&
         text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

/// The folder with HEAD: `.git`, or the target of a `.git` file (in a worktree or submodule).
fs::path GitFolder(const fs::path& root) {
  std::error_code ignored;
  fs::path git = root / ".git";
  if (fs::is_directory(git, ignored)) return git;
  const std::string line = FirstLine(git);
  if (!line.starts_with("gitdir: ")) return {};
  return (root / line.substr(8)).lexically_normal();
}

std::string PackedRef(const fs::path& folder, const std::string& name) {
  const auto text = core::ReadTextFile(folder / "packed-refs", kMaxRefBytes);
  if (!text) return "";
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);) {
    const size_t space = line.find(' ');
    if (space != std::string::npos && line.substr(space + 1) == name) return line.substr(0, space);
  }
  return "";
}

std::string Resolve(const fs::path& git) {
  std::string head = FirstLine(git / "HEAD");
  if (IsObjectName(head)) return head;
  if (!head.starts_with("ref: refs/") || head.find("..") != std::string::npos) return "";
  const std::string name = head.substr(5);
  // A worktree keeps its branches in the main repository.
  const std::string common = FirstLine(git / "commondir");
  const fs::path folder = common.empty() ? git : (git / common).lexically_normal();
  for (const std::string& found : {FirstLine(folder / name), PackedRef(folder, name)}) {
    if (IsObjectName(found)) return found;
  }
  return "";
}

}  // namespace

std::string CommitAt(const fs::path& path) {
  std::error_code ignored;
  fs::path folder = fs::absolute(path, ignored).lexically_normal();
  for (; !folder.empty(); folder = folder.parent_path()) {
    if (fs::exists(folder / ".git", ignored)) return Resolve(GitFolder(folder));
    if (folder == folder.parent_path()) break;
  }
  return "";
}

}  // namespace zermelo::engine
