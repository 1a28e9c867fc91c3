#include "cli/options/model_options.h"

#include <cctype>
#include <fmt/format.h>
#include <utility>

#include "cli/context.h"
#include "core/files/file.h"
#include "core/text.h"
#include "engine/models/llama_server.h"
#include "llm/prompt/format.h"

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
         "paths of GGUF files or of folders of small models")
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

/// Whether a word is in a file's name, at its beginning or after what publishers put before it
/// (`AI-MO_Kimina-Prover…`), and not as a part of a longer word.
bool Names(std::string_view file, std::string_view word) {
  for (size_t at = file.find(word); at != file.npos; at = file.find(word, at + 1)) {
    const size_t end = at + word.size();
    const bool begins = at == 0 || file[at - 1] == '_' || file[at - 1] == '.';
    const bool ends =
        end == file.size() || std::isalnum(static_cast<unsigned char>(file[end])) == 0;
    if (begins && ends) return true;
  }
  return false;
}

/// The longest name of a prompt format that is in a file's name; `chat` if there is none.
std::string FormatOf(const fs::path& file) {
  const std::string lower = core::InLowerCase(file.filename().string());
  std::string longest;
  const auto formats = llm::LoadFormats(llm::PromptFolder());
  for (const auto& [format, ignored] : formats ? *formats : llm::Formats()) {
    if (Names(lower, format) && format.size() > longest.size()) longest = format;
  }
  return longest.empty() ? "chat" : longest;
}

std::string Size(uint64_t bytes) {
  constexpr double kGigabyte = 1e9;
  const double size = static_cast<double>(bytes) / kGigabyte;
  return size < 1 ? fmt::format("{:.0f} MB", 1000 * size) : fmt::format("{:.1f} GB", size);
}

}  // namespace

void AddModelFiles(std::vector<std::string>& names, core::Config& config) {
  for (std::string& name : names) {
    const bool is_gguf = engine::IsGguf(name);
    if (!is_gguf && !IsFolder(name)) continue;
    core::ModelConfig model;
    name = model.name = fs::path(name).lexically_normal().string();
    model.path = fs::absolute(name);
    model.formats = {{.format = is_gguf ? FormatOf(model.path) : "deepseek-prover-v1.5"}};
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
  AddModelFiles(request.names, request.config);
  request.budget = budget;
  recording.ApplyTo(request);
  request.seed = seed;
  return engine::Models::Create(executor, request);
}

core::Task<core::Status> LoadModels(engine::Models* models, Progress& progress,
                                    core::Cancellation& cancellation) {
  if (models == nullptr) co_return core::Status();
  const auto begun = core::Clock::now();
  const auto waiting = [&progress, begun, first = true](const engine::LlamaServer& server) mutable {
    const std::string line = fmt::format("loading {} ({}) into llama-server",
                                         server.file().filename().string(), Size(server.bytes()));
    if (std::exchange(first, false)) progress.PrintPlain(line);
    progress.Show(
        fmt::format("{}, {}", line, ShortDuration(core::Seconds(core::Clock::now() - begun))));
  };
  const auto loaded = co_await models->Load(waiting, cancellation);
  progress.Clear();
  co_return loaded;
}

}  // namespace zermelo::cli
