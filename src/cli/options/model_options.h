// Options of verbs that use language models.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/terminal/progress.h"
#include "core/async.h"
#include "core/cancellation.h"
#include "core/config.h"
#include "core/error.h"
#include "engine/models/models.h"

namespace zermelo::cli {

/// Reads the file `named` by --config or, if empty, the nearest zermelo.toml at or above `near`;
/// defaults if there is none.
core::Result<core::Config> FindConfig(const std::string& named, const std::filesystem::path& near);

/// Adds to the configuration each of these names that is a model itself, under its path: the folder
/// of a small model (as `zermelo train` writes them), with the default format of `zermelo export`;
/// a GGUF file, with the prompt format that its name contains (`Kimina-Prover….gguf`), else `chat`.
void AddModelFiles(std::vector<std::string>& names, core::Config& config);

/// Waits for the servers of GGUF files, and shows it. `models` may be null. kCancelled: Ctrl-C.
core::Task<core::Status> LoadModels(engine::Models* models, Progress& progress,
                                    core::Cancellation& cancellation);

/// --record, --replay and --cache: recorded requests to models and their replies.
struct RecordOptions {
  std::string record, replay;
  bool cache = false;

  void AddTo(CLI::App& app, const std::string& group);
  bool IsSet() const { return RecordsOrReplays() || cache; }
  bool RecordsOrReplays() const { return !record.empty() || !replay.empty(); }
  void ApplyTo(engine::ModelsRequest& request) const;
};

struct ModelOptions {
  std::vector<std::string> models;  // --model; empty: none
  std::string config;               // --config
  core::BudgetConfig budget;        // --samples, --tokens, --dollars
  RecordOptions recording;
  std::optional<uint64_t> seed;

  void AddTo(CLI::App& app);
  /// The models to use; null if none is named, neither by --model nor, if `request` uses roles, by
  /// [roles] of the configuration. `request` has the settings from other options. Also kUsage if a
  /// budget or a recording is given without a model.
  core::Result<std::unique_ptr<engine::Models>> Make(const core::Executor& executor,
                                                     const std::filesystem::path& near,
                                                     engine::ModelsRequest request = {}) const;

 private:
  core::Result<std::unique_ptr<engine::Models>> WithoutModels() const;
};

}  // namespace zermelo::cli
