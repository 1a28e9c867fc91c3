// The options of `zermelo prove`, and their JSON form stored with the run.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/context.h"
#include "cli/options/model_options.h"
#include "cli/options/run_options.h"
#include "cli/options/states_options.h"
#include "cli/options/strategy_options.h"
#include "cli/options/trust_options.h"
#include "syntax/file_constants.h"

namespace zermelo::cli {

struct ProveOptions {
  LeanOptions lean;
  ModelOptions models;
  RunOptions runs;
  StrategyOptions strategy;
  TrustOptions trust;
  std::optional<strategy::StrategyParameters> parameters;  // resolved from `strategy`
  std::string file;
  std::vector<std::string> theorems;
  std::string out;
  std::string receipt;  // --receipt
  bool in_place = false;
  double seconds = 60;
  size_t workers = 2;
  size_t readers = 1;  // ProveRequest::readers; no option
  // What the file imports of its project, for the built-in policy (engine/project_imports.h).
  std::vector<syntax::FileConstant> imported;
  StatesOptions states;
  LearningOptions learning;
  bool shorten = false;
  bool as_json = false;
  bool quiet = false;

  /// Where the file with the proofs goes.
  std::filesystem::path OutPath() const;
  /// Whether the run learns from proofs: the built-in policy is what uses them.
  bool Learns() const { return !learning.off && !strategy.no_builtin; }
  /// Where lemmas proved for theorems that remain open go: FILE.lemmas.lean, in the same folder.
  std::filesystem::path LemmasPath() const;
};

/// Everything that determines the run (`parameters` must be set). Paths are absolute, so that it
/// can be resumed from any folder.
nlohmann::json ToRequest(ProveOptions options);
/// kInput if `request` is not what ToRequest writes.
core::Result<ProveOptions> FromRequest(const nlohmann::json& request);

}  // namespace zermelo::cli
