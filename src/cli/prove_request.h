// What `zermelo prove` is asked to do, and as it is kept with the run.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/context.h"
#include "cli/model_options.h"
#include "cli/run_options.h"
#include "cli/strategy_options.h"
#include "cli/trust_options.h"

namespace zermelo::cli {

struct ProveOptions {
  LeanOptions lean;
  ModelOptions models;
  RunOptions runs;
  StrategyOptions strategy;
  TrustOptions trust;
  std::optional<engine::StrategyParameters> parameters;  // what `strategy` came to
  std::string file;
  std::vector<std::string> theorems;
  std::string out;
  bool in_place = false;
  double seconds = 60;
  size_t workers = 2;
  bool as_json = false;
  bool quiet = false;

  std::filesystem::path OutPath() const;
  /// Where lemmas go that were proved for theorems that stayed open: beside it, FILE.lemmas.lean.
  std::filesystem::path LemmasPath() const;
};

/// All that decides what the run does (`parameters` must be there); paths are absolute, so that it
/// can be resumed from elsewhere.
nlohmann::json ToRequest(const ProveOptions& options);
/// kInput when it is not what ToRequest writes.
core::Result<ProveOptions> FromRequest(const nlohmann::json& request);

}  // namespace zermelo::cli
