// The options of an evaluation, and the manifest that describes it.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/context.h"
#include "cli/options/model_options.h"
#include "cli/options/states_options.h"
#include "cli/options/strategy_options.h"
#include "core/config.h"
#include "eval/budget.h"
#include "eval/datasets/dataset.h"
#include "eval/record.h"
#include "eval/runner.h"

namespace zermelo::cli {

struct EvalOptions {
  LeanOptions lean;
  std::string dataset, format, split, filter, answers = "given", shard, project, out;
  std::vector<std::string> fields;  // "statement=KEY"
  StatesOptions states;
  StrategyOptions strategy;
  std::string budget = "60s";
  size_t runs = 1;
  size_t jobs = 0;     // 0: as many as memory and cores allow
  size_t workers = 0;  // 0: one per job
  uint64_t seed = 1;
  bool all_attempts = false, or_disprove = false;
  bool record_runs = false, record_tactics = false;
  std::string learn;          // --learn: a file of examples
  bool learn_online = false;  // --learn-online
  std::vector<std::string> models;
  std::string config;
  RecordOptions recording;
  std::string write_problems;  // a file; empty: prove them
  bool dry_run = false, as_json = false, quiet = false;

  void AddTo(CLI::App& verb);
};

/// The parsed EvalOptions.
struct EvalPlan {
  eval::LoadOptions load;
  eval::Selection selection;
  eval::RunnerOptions runner;  // without make_models
  std::filesystem::path out;
};

/// kUsage: an invalid value, or options that cannot be combined.
core::Result<EvalPlan> PlanOf(const EvalOptions& options);
/// If the strategy uses models by role and --model names none: the models in [roles].
core::Status NameModelsOfRoles(EvalOptions& options);

/// Copies the file of --learn into the folder of a new evaluation: it may get more examples before
/// the evaluation is resumed. Returns a note if that has happened; it may be empty. kInput: it
/// cannot be copied.
core::Result<std::string> CopyTaught(const EvalOptions& options, const std::filesystem::path& out);

/// Sets what the evaluation learns from: the copied file, and what is kept in its folder `out`.
/// kInput: a file that cannot be read. Does nothing by default.
core::Status SetLearning(const EvalOptions& options, const std::filesystem::path& out,
                         learn::Knowledge& knowledge, eval::RunnerOptions& runner);

/// The folder from which to look for the problems' Lean project. `dataset`: has no problems yet if
/// Lean generates them.
std::filesystem::path ProjectNear(const EvalOptions& options, const eval::Dataset& dataset);

/// Everything needed to repeat the evaluation. `config` has the models that are used.
eval::Manifest DescribeEvaluation(const EvalOptions& options, const EvalPlan& plan,
                                  const eval::Dataset& dataset, const lean::Toolchain& toolchain,
                                  const core::Config& config);

/// Makes the runner use the configured models, each attempt with its own budget; the servers'
/// limits are divided among the jobs.
void SetModels(const EvalOptions& options, const core::Config& config,
               const core::Executor& executor, eval::RunnerOptions& runner);

}  // namespace zermelo::cli
