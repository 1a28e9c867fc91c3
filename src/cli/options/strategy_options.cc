#include "cli/options/strategy_options.h"

#include <fmt/format.h>

#include "cli/options/model_options.h"

namespace zermelo::cli {

using core::ErrorCode;
using core::Fail;
using core::Result;

void StrategyOptions::AddTo(CLI::App& app) {
  const std::string group = "Strategy";
  app.add_option("--strategy", name,
                 "Search strategy, see docs/strategies.md (default: that of [strategy] in "
                 "zermelo.toml, else auto)")
      ->type_name("NAME")
      ->group(group);
  app.add_option("--set", set,
                 "Strategy parameter, as in [strategy] of zermelo.toml, e.g. rmaxts.workers=16 "
                 "(repeatable)")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false)
      ->group(group);
  app.add_flag("--all", all,
               "Continue after the first proof until the budget is spent; count proofs")
      ->group(group);
  app.add_flag("--no-builtin", no_builtin, "Use only the models' tactics, not the built-in ones")
      ->group(group);
  app.add_flag("--no-premises", no_premises, "Do not search the library for premises")
      ->group(group);
}

Result<strategy::StrategyParameters> StrategyOptions::Make(const std::string& config,
                                                           const std::filesystem::path& near,
                                                           std::optional<uint64_t> seed) const {
  strategy::StrategyParameters parameters;
  const auto found = FindConfig(config, near);
  if (!found) return Fail(found.error());
  for (const core::StrategySetting& setting : strategy::PresetsFirst(found->strategy)) {
    const std::string parameter = setting.name == "name" ? "strategy" : setting.name;
    if (auto done = strategy::SetFromText(parameters, parameter, setting.value); !done) {
      return Fail(done.error().code,
                  fmt::format("zermelo.toml, line {}: {}", setting.line, done.error().message),
                  done.error().hint);
    }
  }
  if (!name.empty()) {
    if (auto done = strategy::SetFromText(parameters, "strategy", name); !done) {
      return Fail(ErrorCode::kUsage, fmt::format("there is no strategy '{}'", name),
                  "available: " + strategy::NamesOfStrategies());
    }
  }
  std::vector<core::StrategySetting> given;
  for (const std::string& assignment : set) {
    const size_t equals = assignment.find('=');
    if (equals == std::string::npos) {
      return Fail(ErrorCode::kUsage, fmt::format("--set takes NAME=VALUE, not '{}'", assignment),
                  "example: --set rmaxts.workers=16");
    }
    given.push_back({.name = assignment.substr(0, equals), .value = assignment.substr(equals + 1)});
  }
  for (const auto& setting : strategy::PresetsFirst(std::move(given))) {
    auto done = strategy::SetFromText(parameters, setting.name, setting.value);
    if (!done) return Fail(done.error());
  }
  if (all) parameters.all = true;
  if (seed) strategy::SetSeed(*seed, parameters);
  return parameters;
}

engine::ModelsRequest StrategyOptions::ForModels(
    const strategy::StrategyParameters& parameters) const {
  engine::ModelsRequest request;
  request.builtin = !no_builtin;
  request.without = parameters.without;
  const strategy::Strategy& chosen = strategy::ChosenStrategy(parameters);
  request.roles = chosen.needs().AsksByRole();
  request.samples_per_state = chosen.SamplesPerState(parameters);
  return request;
}

void LearningOptions::AddTo(CLI::App& app, const std::string& group) {
  app.add_flag("--no-learning", off,
               "Neither use nor keep what earlier proofs of the project teach (docs/learning.md)")
      ->group(group);
}

Result<bool> LearningOptions::AreOn(const std::string& config,
                                    const std::filesystem::path& near) const {
  const auto found = FindConfig(config, near);
  if (!found) return Fail(found.error());
  return !off && found->learning.enabled;
}

core::Result<std::unique_ptr<engine::PremiseSource>> PremisesOf(const StrategyOptions& options,
                                                                const std::string& config,
                                                                const lean::Toolchain& toolchain,
                                                                const core::Executor& executor,
                                                                const std::filesystem::path& near) {
  if (options.no_premises) return nullptr;
  auto found = FindConfig(config, near);
  if (!found) return core::Fail(found.error());
  engine::PremiseSourceOptions source;
  source.search_path = toolchain.search_path;
  source.config = std::move(*found);
  return std::make_unique<engine::PremiseSource>(executor, std::move(source));
}

}  // namespace zermelo::cli
