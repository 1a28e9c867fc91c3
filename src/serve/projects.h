// Files of several Lake projects, each with the Lean that its toolchain file selects.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/async.h"
#include "core/error.h"
#include "lean/pool.h"
#include "lean/toolchain.h"

namespace zermelo::serve {

struct Project {
  std::filesystem::path root;  // empty: files outside any project
  std::shared_ptr<const lean::Toolchain> toolchain;
  std::string configuration;  // state of the files that select the Lean, to detect changes
};

/// kAlone: the worker checks nothing else.
enum class WorkerUse : uint8_t { kShared, kAlone };
/// kAlone for a text whose code runs inside Lean (Audit) and may leave changes behind in its
/// process.
WorkerUse WorkerFor(std::string_view text);

/// The text of a request, as it was when the request arrived.
struct Source {
  std::string text;
  std::filesystem::path file;    // absolute; empty if the text itself was sent
  std::filesystem::path folder;  // absolute; of the file, or the folder that the text belongs to
  std::string modified;          // modification time of the file: UTC, ISO 8601
  std::shared_ptr<const Project> project;

  const lean::Toolchain& toolchain() const { return *project->toolchain; }
  /// The setup of a worker that may check this text, with the kernel on.
  lean::WorkerSetup SetupFor(WorkerUse use = WorkerUse::kShared) const;
  /// {"file", "sha256", "bytes", "modified"} for a file, {"sha256", "bytes"} for a sent text.
  nlohmann::json Version() const;
  /// Whether the file still has this text; true for a sent text.
  bool Current() const;
};

struct ProjectsOptions {
  std::filesystem::path base;  // absolute; folder of relative paths and of texts without a project
  std::vector<std::filesystem::path> roots;  // absolute; only files below are read; empty: all
  /// Finds the Lean for files in a folder.
  std::function<core::Task<core::Result<lean::Toolchain>>(std::filesystem::path)> find_lean;
  size_t max_bytes = 8U << 20U;  // maximum size of a text
};

class Projects {
 public:
  explicit Projects(ProjectsOptions options) : options_(std::move(options)) {}

  /// Sets the Lean of a folder's project, so that find_lean is not called for it until the files
  /// that select the Lean change.
  void Adopt(const std::filesystem::path& folder, std::shared_ptr<const lean::Toolchain> toolchain);

  /// Reads a file. Errors: kInput (no such file, not below a root, not text), those of find_lean.
  core::Task<core::Result<Source>> Read(std::string file);
  /// Wraps a text that belongs to a project's folder; an empty folder is the base. Errors as Read.
  core::Task<core::Result<Source>> Take(std::string text, std::string folder);
  /// The project of a folder. find_lean is called the first time, and again when the files that
  /// select the Lean have changed.
  core::Task<core::Result<std::shared_ptr<const Project>>> Of(std::filesystem::path folder);

 private:
  core::Result<std::filesystem::path> Locate(const std::string& named) const;

  const ProjectsOptions options_;
  std::map<std::filesystem::path, std::shared_ptr<const Project>> projects_;  // by root
};

}  // namespace zermelo::serve
