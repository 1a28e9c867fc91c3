// Options of verbs that run a strategy.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "engine/models/models.h"
#include "engine/premise_source.h"
#include "lean/toolchain.h"
#include "strategy/registry.h"

namespace zermelo::cli {

struct StrategyOptions {
  std::string name;              // --strategy; empty: as configured, else auto
  std::vector<std::string> set;  // --set NAME=VALUE
  bool all = false;              // --all
  bool no_builtin = false;       // --no-builtin
  bool no_premises = false;      // --no-premises

  void AddTo(CLI::App& app);
  /// The defaults, overridden by [strategy] of the configuration, then by the options. `config` and
  /// `near` as for FindConfig; `seed` is the run's. kUsage: an unknown name or an invalid value,
  /// with its place.
  core::Result<strategy::StrategyParameters> Make(const std::string& config,
                                                  const std::filesystem::path& near,
                                                  std::optional<uint64_t> seed) const;
  /// The settings of a request for models that depend on the strategy.
  engine::ModelsRequest ForModels(const strategy::StrategyParameters& parameters) const;
};

/// --no-learning.
struct LearningOptions {
  bool off = false;

  void AddTo(CLI::App& app, const std::string& group = "Options");
  /// Whether the configuration allows learning, too. `config` and `near` as for FindConfig.
  core::Result<bool> AreOn(const std::string& config, const std::filesystem::path& near) const;
};

/// The library's premises for a job; null with --no-premises. `config` and `near` as for
/// FindConfig.
core::Result<std::unique_ptr<engine::PremiseSource>> PremisesOf(const StrategyOptions& options,
                                                                const std::string& config,
                                                                const lean::Toolchain& toolchain,
                                                                const core::Executor& executor,
                                                                const std::filesystem::path& near);

}  // namespace zermelo::cli
