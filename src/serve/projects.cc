#include "serve/projects.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include "core/files/file.h"
#include "core/hash/sha256.h"
#include "core/names.h"
#include "serve/snippet_text.h"
#include "syntax/declarations.h"

namespace zermelo::serve {

namespace fs = std::filesystem;
using core::ErrorCode;
using core::Fail;
using core::Result;
using core::Task;
using nlohmann::json;

namespace {

/// The modification time and size of a file, to detect changes; "-" if it does not exist.
std::string StampOf(const fs::path& path) {
  struct stat file {};
  if (::stat(path.c_str(), &file) != 0) return "-";
  return fmt::format("{}.{}:{}", file.st_mtim.tv_sec, file.st_mtim.tv_nsec, file.st_size);
}

std::string ConfigurationOf(const fs::path& root) {
  static constexpr std::array kFiles = {"lean-toolchain", "lakefile.toml", "lakefile.lean",
                                        "lake-manifest.json"};
  std::string stamp;
  if (root.empty()) return stamp;
  for (const char* name : kFiles) stamp += StampOf(root / name) + " ";
  return stamp;
}

/// The state of the .olean files of a text's direct imports. Lake rewrites an .olean file when one
/// of its own imports is rebuilt, so the first level is enough.
std::string ImportsOf(const lean::Toolchain& toolchain, const std::string& text) {
  std::string stamps;
  for (const std::string& module : syntax::ImportedModules(text)) {
    const std::string path = core::ModulePath(module);
    std::string stamp = "-";
    for (const fs::path& folder : toolchain.search_path) {
      stamp = StampOf(folder / (path + ".olean"));
      if (stamp != "-") break;
    }
    stamps += stamp + " ";
  }
  return stamps;
}

std::string ModifiedAt(const fs::path& path) {
  struct stat file {};
  if (::stat(path.c_str(), &file) != 0) return "";
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(file.st_mtim.tv_sec),
                     file.st_mtim.tv_nsec / 1'000'000);
}

bool IsBelow(const fs::path& path, const fs::path& root) {
  const auto [in_root, in_path] = std::mismatch(root.begin(), root.end(), path.begin(), path.end());
  return in_root == root.end() || in_root->empty();  // "/a/" ends with an empty part
}

uint64_t next_alone = 0;

}  // namespace

WorkerUse WorkerFor(std::string_view text) {
  return Audit(text).findings.empty() ? WorkerUse::kShared : WorkerUse::kAlone;
}

lean::WorkerSetup Source::SetupFor(WorkerUse use) const {
  lean::WorkerSetup setup;
  setup.toolchain = project->toolchain;
  setup.imports = ImportsOf(*project->toolchain, text);
  if (use == WorkerUse::kAlone) setup.imports += fmt::format("alone {}", next_alone++);
  return setup;
}

json Source::Version() const {
  json version;
  if (!file.empty()) version["file"] = file.string();
  if (!file.empty()) version["modified"] = modified;
  version["sha256"] = core::Sha256Hex(text);
  version["bytes"] = text.size();
  return version;
}

bool Source::Current() const {
  if (file.empty()) return true;
  const auto now = core::ReadTextFile(file, text.size() + 1);
  return now && *now == text;
}

void Projects::Adopt(const fs::path& folder, std::shared_ptr<const lean::Toolchain> toolchain) {
  auto project = std::make_shared<Project>();
  project->root = lean::FindProject(folder);
  project->toolchain = std::move(toolchain);
  project->configuration = ConfigurationOf(project->root);
  projects_[project->root] = project;
}

Result<fs::path> Projects::Locate(const std::string& named) const {
  if (named.find('\0') != std::string::npos) {
    return Fail(ErrorCode::kInput, "the path contains a zero byte");
  }
  std::error_code error;
  const fs::path path = fs::weakly_canonical(options_.base / named, error);
  if (error) return Fail(ErrorCode::kInput, named + ": " + error.message());
  const bool allowed =
      options_.roots.empty() || std::ranges::any_of(options_.roots, [&](const fs::path& root) {
        return IsBelow(path, root);
      });
  if (!allowed) {
    return Fail(ErrorCode::kInput, named + " is in none of the folders that this server may read",
                "start the server with a --root that contains it");
  }
  return path;
}

Task<Result<Source>> Projects::Read(std::string file) {
  auto path = Locate(file);
  if (!path) co_return Fail(path.error());
  Source source;
  source.file = *path;
  source.folder = path->parent_path();
  source.modified = ModifiedAt(*path);
  auto text = core::ReadTextFile(*path, options_.max_bytes);
  if (!text) co_return Fail(text.error());
  source.text = std::move(*text);
  auto project = co_await Of(path->parent_path());
  if (!project) co_return Fail(project.error());
  source.project = std::move(*project);
  co_return source;
}

Task<Result<Source>> Projects::Take(std::string text, std::string folder) {
  if (text.size() > options_.max_bytes) {
    co_return Fail(ErrorCode::kInput,
                   fmt::format("the text is larger than {} bytes", options_.max_bytes));
  }
  core::Result<fs::path> path = options_.base;
  if (!folder.empty()) path = Locate(folder);
  if (!path) co_return Fail(path.error());
  std::error_code ignored;
  if (!fs::is_directory(*path, ignored)) {
    co_return Fail(ErrorCode::kInput, folder + " is not a folder");
  }
  auto project = co_await Of(*path);
  if (!project) co_return Fail(project.error());
  Source source;
  source.text = std::move(text);
  source.folder = std::move(*path);
  source.project = std::move(*project);
  co_return source;
}

Task<Result<std::shared_ptr<const Project>>> Projects::Of(fs::path folder) {
  const fs::path root = lean::FindProject(folder);
  const std::string configuration = ConfigurationOf(root);
  const auto known = [&]() -> std::shared_ptr<const Project> {
    const auto found = projects_.find(root);
    const bool same = found != projects_.end() && found->second->configuration == configuration;
    return same ? found->second : nullptr;
  };
  if (auto project = known()) co_return project;
  auto toolchain = co_await options_.find_lean(folder);
  if (!toolchain) co_return Fail(toolchain.error());
  if (auto project = known()) co_return project;  // a concurrent call has found it
  Adopt(folder, std::make_shared<lean::Toolchain>(std::move(*toolchain)));
  co_return projects_.at(root);
}

}  // namespace zermelo::serve
