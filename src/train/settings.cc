#include "train/settings.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

#include "core/json.h"
#include "core/names.h"

namespace zermelo::train {

using core::ErrorCode;
using core::Fail;
using core::Result;
using nlohmann::json;

// The macro's functions must be in the namespace of the types.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SftSettings, steps, seed, micro_batch, checkpoint_every, keep,
                                   precision, learning_rate, warmup, schedule, weight_decay, clip,
                                   ema, recompute, batch, context, drop_long)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(GrpoSettings, steps, seed, micro_batch, checkpoint_every, keep,
                                   precision, learning_rate, warmup, schedule, weight_decay, clip,
                                   ema, recompute, prompts, group, mini_batch, max_tokens,
                                   temperature, check_seconds, patience, failure, inner_epochs,
                                   clip_low, clip_high, average, tools, tool_calls, tool_tokens,
                                   tool_seconds, sketches, kl_weight, divide_by_deviation,
                                   drop_equal)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(VapoSettings, steps, seed, micro_batch, checkpoint_every, keep,
                                   precision, learning_rate, warmup, schedule, weight_decay, clip,
                                   ema, recompute, prompts, group, mini_batch, max_tokens,
                                   temperature, check_seconds, patience, failure, inner_epochs,
                                   clip_low, clip_high, average, tools, tool_calls, tool_tokens,
                                   tool_seconds, sketches, value_steps, critic_rate, alpha, lambda,
                                   decoupled, nll_weight)

namespace {

struct Preset {
  json values;
  std::vector<std::string> open;  // what its source does not give
};
using Presets = std::map<std::string, Preset, std::less<>>;  // by "KEY=VALUE"

/// DeepSeek-Prover-V1.5, 3.1.
const Presets kSftPresets = {{"paper=dsv15",
                              {.values = {{"batch", 2048},
                                          {"context", 4096},
                                          {"learning_rate", 1e-4},
                                          {"warmup", 100},
                                          {"schedule", "constant"}},
                               .open = {"steps", "weight_decay", "clip", "ema"}}}};

json With(json values, const json& others) {
  values.update(others);
  return values;
}

/// Seed-Prover 1.5 (eq. 1, the length of its rollouts), with VAPO's ε and learning rate.
const json kSeed = {{"failure", -1},       {"average", "sequence"}, {"clip_low", 0.2},
                    {"clip_high", 0.28},   {"learning_rate", 1e-6}, {"max_tokens", 65536},
                    {"tools", true},       {"sketches", false},     {"tool_calls", 28},
                    {"tool_tokens", 65536}};

/// DeepSeek-Prover-V1.5, 3.2 and B.1 (an evaluation every 100 steps); Seed-Prover 1.5; Dr. GRPO;
/// DAPO.
const Presets kGrpoPresets = {
    {"paper=dsv15",
     {.values = {{"group", 32},
                 {"prompts", 16},
                 {"mini_batch", 0},
                 {"learning_rate", 5e-6},
                 {"warmup", 0},
                 {"schedule", "constant"},
                 {"kl_weight", 0.02},
                 {"max_tokens", 2048},
                 {"steps", 800},
                 {"checkpoint_every", 100},
                 {"keep", 8},
                 {"average", "sequence"},
                 {"divide_by_deviation", true},
                 {"drop_equal", false},
                 {"tools", false},
                 {"sketches", false},
                 {"failure", 0}},
      .open = {"clip_low", "clip_high", "inner_epochs", "temperature", "weight_decay", "clip"}}},
    {"paper=seed15",
     {.values = With(kSeed, {{"kl_weight", 0}}),
      .open = {"prompts", "group", "mini_batch", "steps", "inner_epochs", "temperature",
               "learning_rate", "clip_low", "clip_high"}}},
    {"variant=dr_grpo",
     {.values = {{"average", "constant"}, {"divide_by_deviation", false}}, .open = {}}},
    {"variant=dapo",
     {.values = {{"clip_low", 0.2},
                 {"clip_high", 0.28},
                 {"average", "token"},
                 {"drop_equal", true},
                 {"kl_weight", 0}},
      .open = {}}}};

/// VAPO (arXiv 2504.05118), section 5.1.
const json kVapo = {{"learning_rate", 1e-6}, {"critic_rate", 2}, {"value_steps", 50},
                    {"alpha", 0.05},         {"clip_low", 0.2},  {"clip_high", 0.28},
                    {"nll_weight", 0.1},     {"decoupled", true}};

const Presets kVapoPresets = {
    {"paper=vapo",
     {.values = With(kVapo, {{"prompts", 512},
                             {"group", 16},
                             {"mini_batch", 512},
                             {"average", "token"},
                             {"failure", -1},
                             {"tools", false},
                             {"sketches", false}}),
      .open = {"failure", "steps", "max_tokens", "inner_epochs", "temperature"}}},
    {"paper=seed15",
     {.values = With(kVapo, kSeed),
      .open = {"prompts", "group", "mini_batch", "steps", "inner_epochs", "temperature"}}}};

std::vector<std::string> Keys(const json& settings) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : settings.items()) keys.push_back(key);
  return keys;
}

/// Settings by where they come from.
struct Sources {
  std::set<std::string> open;     // a paper was chosen that does not give them, nor does the user
  std::set<std::string> by_user;  // after the last preset that sets them
};

void Apply(const Preset& preset, json& settings, Sources& sources) {
  settings.update(preset.values);
  for (const auto& [key, value] : preset.values.items()) {
    sources.open.erase(key);
    sources.by_user.erase(key);
  }
  for (const std::string& key : preset.open) {
    if (!sources.by_user.contains(key)) sources.open.insert(key);
  }
}

core::Status Change(const std::string& change, const Presets& presets, json& settings,
                    Sources& sources) {
  if (const auto preset = presets.find(change); preset != presets.end()) {
    Apply(preset->second, settings, sources);
    return {};
  }
  const size_t equals = change.find('=');
  const std::string key = change.substr(0, equals);
  if (equals == std::string::npos) return Fail(ErrorCode::kUsage, change + ": write KEY=VALUE");
  if (key == "paper" || key == "variant") {
    std::vector<std::string> names;
    for (const auto& [name, values] : presets) names.push_back(name);
    return Fail(ErrorCode::kUsage, "there is no " + change, core::DidYouMean(change, names));
  }
  if (!settings.contains(key)) {
    return Fail(ErrorCode::kUsage, "there is no setting " + key,
                core::DidYouMean(key, Keys(settings)));
  }
  const std::string text = change.substr(equals + 1);
  json value = core::JsonOrDiscarded(text);
  if (settings[key].is_string() || value.is_discarded()) value = text;
  const bool fits =
      settings[key].is_number() ? value.is_number() : settings[key].type() == value.type();
  const bool whole = !settings[key].is_number_unsigned() || value.is_number_unsigned();
  if (!fits || !whole) {
    return Fail(ErrorCode::kUsage, fmt::format("{} is not a value of {} (default: {})", text, key,
                                               settings[key].dump()));
  }
  settings[key] = std::move(value);
  sources.open.erase(key);
  sources.by_user.insert(key);
  return {};
}

/// What no setting may be; empty if all is well.
std::string WhyInvalid(const json& settings) {
  for (const char* key : {"steps", "micro_batch", "checkpoint_every", "keep", "batch", "prompts",
                          "group", "max_tokens", "inner_epochs", "tool_calls", "tool_tokens"}) {
    if (settings.contains(key) && settings[key] == 0)
      return std::string(key) + " must be at least 1";
  }
  for (const char* key : {"learning_rate", "weight_decay", "clip", "ema", "temperature",
                          "check_seconds", "patience", "tool_seconds", "kl_weight", "clip_low",
                          "clip_high", "critic_rate", "alpha", "lambda", "nll_weight"}) {
    if (settings.contains(key) && settings[key] < 0)
      return std::string(key) + " must not be negative";
  }
  if (settings["ema"] >= 1) return "ema must be below 1";
  if (settings.value("tools", false) && settings.value("sketches", false)) {
    return "samples are conversations (tools) or sketches, not both";
  }
  const std::map<std::string, std::vector<std::string>> choices = {
      {"precision", {"float32", "bfloat16"}},
      {"schedule", {"constant", "cosine"}},
      {"average", {"sequence", "token", "constant"}}};
  for (const auto& [key, names] : choices) {
    if (!settings.contains(key)) continue;
    if (std::ranges::count(names, settings[key].get<std::string>()) == 0) {
      return fmt::format("{} must be {}", key, fmt::join(names, " or "));
    }
  }
  return "";
}

template <class Settings>
Result<Settings> Read(const std::vector<std::string>& changes, const Presets& presets) {
  json settings = Settings();
  Sources sources;
  for (const std::string& change : changes) {
    if (auto changed = Change(change, presets, settings, sources); !changed)
      return Fail(changed.error());
  }
  if (const std::string why = WhyInvalid(settings); !why.empty())
    return Fail(ErrorCode::kUsage, why);
  auto read = settings.get<Settings>();
  read.ours = {sources.open.begin(), sources.open.end()};
  return read;
}

/// For the record of a run, with `ours` if there are any.
json Recorded(json settings, const std::vector<std::string>& ours) {
  if (!ours.empty()) settings["ours"] = ours;
  return settings;
}

}  // namespace

OptimizerSettings RunSettings::Optimizer() const {
  return {.learning_rate = learning_rate,
          .warmup = warmup,
          .schedule = schedule == "cosine" ? Schedule::kCosine : Schedule::kConstant,
          .weight_decay = weight_decay,
          .clip = clip};
}

Result<SftSettings> ReadSftSettings(const std::vector<std::string>& changes) {
  return Read<SftSettings>(changes, kSftPresets);
}

Result<GrpoSettings> ReadGrpoSettings(const std::vector<std::string>& changes) {
  return Read<GrpoSettings>(changes, kGrpoPresets);
}

Result<VapoSettings> ReadVapoSettings(const std::vector<std::string>& changes) {
  return Read<VapoSettings>(changes, kVapoPresets);
}

namespace {

/// Without tools, sketches and mini-batches, the settings are those of versions that had none,
/// whose runs can go on.
json WithoutUnused(json settings) {
  if (settings.at("sketches") == false) settings.erase("sketches");
  if (settings.at("mini_batch") == 0) settings.erase("mini_batch");
  if (settings.at("tools") == true || settings.contains("sketches")) return settings;
  for (const char* key : {"tools", "tool_calls", "tool_tokens", "tool_seconds"}) {
    settings.erase(key);
  }
  return settings;
}

}  // namespace

json ToJson(const SftSettings& settings) { return Recorded(settings, settings.ours); }
json ToJson(const GrpoSettings& settings) {
  return Recorded(WithoutUnused(settings), settings.ours);
}
json ToJson(const VapoSettings& settings) {
  return Recorded(WithoutUnused(settings), settings.ours);
}

}  // namespace zermelo::train
