#include "cli/options/model_options.h"

#include "cli/context.h"
#include "core/files/file.h"

namespace zermelo::cli {

namespace fs = std::filesystem;

core::Result<core::Config> FindConfig(const std::string& named, const fs::path& near) {
  if (!named.empty()) return core::ReadConfig(named);
  if (const auto folder = core::FindFolderWith({"zermelo.toml"}, near)) {
    return core::ReadConfig(*folder / "zermelo.toml");
  }
  return core::Config();
}

void RecordOptions::AddTo(CLI::App& app, const std::string& group) {
  CLI::Option* recorded =
      app.add_option("--record", record, "Record every model request and reply in this database")
          ->type_name("FILE")
          ->group(group);
  app.add_option("--replay", replay, "Take replies from a --record database; contact no server")
      ->excludes(recorded)
      ->type_name("FILE")
      ->group(group);
  app.add_flag("--cache", cache, "Reuse the replies in the --record database (with --seed)")
      ->needs(recorded)
      ->group(group);
}

void RecordOptions::ApplyTo(engine::ModelsRequest& request) const {
  request.record = record;
  request.replay = replay;
  request.cache = cache;
}

void ModelOptions::AddTo(CLI::App& app) {
  const std::string group = "Language models";
  app.add_option(
         "-m,--model", models,
         "Models to use after the built-in tactics: names of [models.NAME] in zermelo.toml, or "
         "folders of small models (docs/training.md)")
      ->delimiter(',')
      ->type_name("NAME[,NAME...]")
      ->allow_extra_args(false)
      ->group(group);
  app.add_option("--config", config, "Configuration file (default: the nearest zermelo.toml)")
      ->envname("ZERMELO_CONFIG")
      ->type_name("FILE")
      ->group(group);
  app.add_option("--samples", budget.samples, "Maximum number of generations for the whole run")
      ->check(Positive())
      ->type_name("N")
      ->group(group);
  app.add_option("--tokens", budget.tokens,
                 "Maximum number of tokens, prompts and completions together")
      ->check(Positive())
      ->type_name("N")
      ->group(group);
  app.add_option("--dollars", budget.dollars, "Maximum cost in dollars, at the configured prices")
      ->check(Positive())
      ->type_name("X")
      ->group(group);
  app.add_option(
         "--seed", seed,
         "Seed of random choices, and of the models' samples where their server supports it")
      ->type_name("N")
      ->group(group);
  recording.AddTo(app, group);
}

core::Result<std::unique_ptr<engine::Models>> ModelOptions::WithoutModels() const {
  const std::pair<bool, const char*> needing[] = {{budget.samples.has_value(), "--samples"},
                                                  {budget.tokens.has_value(), "--tokens"},
                                                  {budget.dollars.has_value(), "--dollars"},
                                                  {!recording.record.empty(), "--record"},
                                                  {!recording.replay.empty(), "--replay"}};
  for (const auto& [said, option] : needing) {
    if (!said) continue;
    return core::Fail(core::ErrorCode::kUsage, std::string(option) + " needs a model",
                      "add --model NAME");
  }
  return nullptr;
}

namespace {

/// `--model FOLDER`: what `zermelo train` writes.
bool IsFolder(const std::string& model) {
  std::error_code ignored;
  return model.find('/') != std::string::npos &&
         fs::exists(fs::path(model) / "config.json", ignored);
}

}  // namespace

void AddModelFolders(std::vector<std::string>& names, core::Config& config) {
  for (std::string& name : names) {
    if (!IsFolder(name)) continue;
    core::ModelConfig model;
    name = model.name = fs::path(name).lexically_normal().string();
    model.path = fs::absolute(name);
    model.formats = {{.format = "deepseek-prover-v1.5"}};
    config.models.emplace(name, model);
  }
}

core::Result<std::unique_ptr<engine::Models>> ModelOptions::Make(
    const core::Executor& executor, const fs::path& near, engine::ModelsRequest request) const {
  if (models.empty() && !request.roles) return WithoutModels();
  auto found = FindConfig(config, near);
  if (!found) return core::Fail(found.error());
  if (models.empty() && found->roles.empty()) return WithoutModels();
  request.config = std::move(*found);
  request.names = models;
  AddModelFolders(request.names, request.config);
  request.budget = budget;
  recording.ApplyTo(request);
  request.seed = seed;
  return engine::Models::Create(executor, request);
}

}  // namespace zermelo::cli
