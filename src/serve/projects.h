// Files of many Lake projects, each with the Lean that it wants.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/async.h"
#include "core/error.h"
#include "lean/pool.h"
#include "lean/toolchain.h"

namespace zermelo::serve {

struct Project {
  std::filesystem::path root;  // empty: of files that belong to none
  std::shared_ptr<const lean::Toolchain> toolchain;
  std::string configuration;  // tells when the files that choose the Lean have changed
};

/// A text that somebody asks about, as it was when they asked.
struct Source {
  std::string text;
  std::filesystem::path file;    // absolute; empty: the text was sent
  std::filesystem::path folder;  // absolute: that the file is in, or the text is to stand in
  std::string modified;          // of the file: UTC, ISO 8601
  std::shared_ptr<const Project> project;

  const lean::Toolchain& toolchain() const { return *project->toolchain; }
  /// What a worker must be like to check it. A text whose code runs inside Lean (`alone`) gets a
  /// worker that nobody else uses, before or after.
  lean::WorkerSetup SetupFor(bool skip_kernel, bool alone = false) const;
  /// {"file", "sha256", "bytes", "modified"}; of a sent text {"sha256", "bytes"}.
  nlohmann::json Version() const;
  /// Whether the file still holds this text.
  bool Current() const;
};

struct ProjectsOptions {
  std::filesystem::path base;  // absolute: what relative paths and texts without a project are in
  std::vector<std::filesystem::path> roots;  // absolute: files below them only; empty: all files
  /// The Lean for files near a place.
  std::function<core::Task<core::Result<lean::Toolchain>>(std::filesystem::path)> find_lean;
  size_t max_bytes = 8U << 20U;  // of a text
};

class Projects {
 public:
  explicit Projects(ProjectsOptions options) : options_(std::move(options)) {}

  /// Says which Lean the project of a folder has, so that nobody looks for it; as long as what
  /// chooses it does not change.
  void Adopt(const std::filesystem::path& folder, std::shared_ptr<const lean::Toolchain> toolchain);

  /// Errors: kInput (no such file, not below a root, no text), and those of find_lean.
  core::Task<core::Result<Source>> Read(std::string file);
  /// A text that stands in a project's folder; empty: the base.
  core::Task<core::Result<Source>> Take(std::string text, std::string folder);
  /// The project of a file or folder; looked for anew when what chooses its Lean has changed.
  core::Task<core::Result<std::shared_ptr<const Project>>> Of(std::filesystem::path folder);

 private:
  core::Result<std::filesystem::path> Locate(const std::string& named) const;

  const ProjectsOptions options_;
  std::map<std::filesystem::path, std::shared_ptr<const Project>> projects_;  // by their roots
};

}  // namespace zermelo::serve
