// What an evaluation is told, and what it writes down about itself.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/context.h"
#include "cli/model_options.h"
#include "cli/strategy_options.h"
#include "core/config.h"
#include "eval/budget.h"
#include "eval/dataset.h"
#include "eval/record.h"
#include "eval/runner.h"

namespace zermelo::cli {

struct EvalOptions {
  LeanOptions lean;
  std::string dataset, format, split, filter, answers = "given", shard, project, out;
  std::vector<std::string> fields;  // "statement=KEY"
  StrategyOptions strategy;
  std::string budget = "60s";
  size_t runs = 1;
  size_t jobs = 0;     // 0: as many as the machine has room for
  size_t workers = 0;  // likewise
  uint64_t seed = 1;
  bool all_attempts = false;
  std::vector<std::string> models;
  std::string config;
  RecordOptions recording;
  bool dry_run = false, as_json = false, quiet = false;

  void AddTo(CLI::App& verb);
};

/// EvalOptions read into what they mean.
struct EvalPlan {
  eval::LoadOptions load;
  eval::Selection selection;
  eval::RunnerOptions runner;  // without make_models
  std::filesystem::path out;
};

/// kUsage: a value that means nothing, or two that do not go together.
core::Result<EvalPlan> PlanOf(const EvalOptions& options);
/// Where the strategy asks models by role and --model names none: those of [roles].
core::Status NameModelsOfRoles(EvalOptions& options);

/// Where the problems' Lean project is looked for.
std::filesystem::path ProjectNear(const EvalOptions& options, const eval::Dataset& dataset);

/// Everything that it takes to run it again. `config`: with the models that are asked.
eval::Manifest DescribeEvaluation(const EvalOptions& options, const EvalPlan& plan,
                                  const eval::Dataset& dataset, const lean::Toolchain& toolchain,
                                  const core::Config& config);

/// Asks the models of the configuration, each attempt with a budget of its own; servers' limits are
/// shared out among the jobs.
void SetModels(const EvalOptions& options, const core::Config& config,
               const core::Executor& executor, eval::RunnerOptions& runner);

}  // namespace zermelo::cli
