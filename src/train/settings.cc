#include "train/settings.h"

#include <fmt/format.h>
#include <map>

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
                                   ema, recompute, prompts, group, max_tokens, temperature,
                                   check_seconds, patience, failure, inner_epochs, clip_low,
                                   clip_high, average, tools, tool_calls, tool_tokens, tool_seconds,
                                   sketches, kl_weight, divide_by_deviation, drop_equal)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(VapoSettings, steps, seed, micro_batch, checkpoint_every, keep,
                                   precision, learning_rate, warmup, schedule, weight_decay, clip,
                                   ema, recompute, prompts, group, max_tokens, temperature,
                                   check_seconds, patience, failure, inner_epochs, clip_low,
                                   clip_high, average, tools, tool_calls, tool_tokens, tool_seconds,
                                   sketches, value_steps, critic_rate, alpha, lambda, decoupled,
                                   nll_weight)

namespace {

using Presets = std::map<std::string, json, std::less<>>;  // by "KEY=VALUE"

/// DeepSeek-Prover-V1.5, 3.1.
const Presets kSftPresets = {{"paper=dsv15",
                              {{"batch", 2048},
                               {"context", 4096},
                               {"learning_rate", 1e-4},
                               {"warmup", 100},
                               {"schedule", "constant"}}}};

/// DeepSeek-Prover-V1.5, 3.2 (ε, inner epochs and temperature are not given there: ours);
/// Seed-Prover 1.5, eq. 1, with VAPO's ε; Dr. GRPO; DAPO.
const Presets kGrpoPresets = {
    {"paper=dsv15",
     {{"group", 32},
      {"prompts", 16},
      {"learning_rate", 5e-6},
      {"schedule", "constant"},
      {"kl_weight", 0.02},
      {"max_tokens", 2048},
      {"steps", 800},
      {"average", "sequence"},
      {"divide_by_deviation", true},
      {"failure", 0}}},
    {"paper=seed15",
     {{"kl_weight", 0},
      {"clip_low", 0.2},
      {"clip_high", 0.28},
      {"average", "sequence"},
      {"failure", -1},
      {"learning_rate", 1e-6},
      {"max_tokens", 65536},
      {"tools", true},
      {"tool_calls", 28},
      {"tool_tokens", 65536}}},
    {"variant=dr_grpo", {{"average", "constant"}, {"divide_by_deviation", false}}},
    {"variant=dapo",
     {{"clip_low", 0.2},
      {"clip_high", 0.28},
      {"average", "token"},
      {"drop_equal", true},
      {"kl_weight", 0}}}};

/// VAPO (arXiv 2504.05118), section 5.1; Seed-Prover 1.5: rewards, eq. 1's average, and the length
/// of its rollouts.
const Presets kVapoPresets = {{"paper=vapo",
                               {{"prompts", 512},
                                {"group", 16},
                                {"learning_rate", 1e-6},
                                {"critic_rate", 2},
                                {"value_steps", 50},
                                {"alpha", 0.05},
                                {"clip_low", 0.2},
                                {"clip_high", 0.28},
                                {"average", "token"},
                                {"nll_weight", 0.1},
                                {"decoupled", true}}},
                              {"paper=seed15",
                               {{"failure", -1},
                                {"average", "sequence"},
                                {"clip_low", 0.2},
                                {"clip_high", 0.28},
                                {"learning_rate", 1e-6},
                                {"max_tokens", 65536},
                                {"tools", true},
                                {"tool_calls", 28},
                                {"tool_tokens", 65536}}}};

std::vector<std::string> Keys(const json& settings) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : settings.items()) keys.push_back(key);
  return keys;
}

core::Status Change(const std::string& change, const Presets& presets, json& settings) {
  if (const auto preset = presets.find(change); preset != presets.end()) {
    settings.update(preset->second);
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
  for (const std::string& change : changes) {
    if (auto changed = Change(change, presets, settings); !changed) return Fail(changed.error());
  }
  if (const std::string why = WhyInvalid(settings); !why.empty())
    return Fail(ErrorCode::kUsage, why);
  return settings.get<Settings>();
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

/// Without tools and sketches, the settings are those of versions that had none, whose runs can go
/// on.
json WithoutUnused(json settings) {
  if (settings.at("sketches") == false) settings.erase("sketches");
  if (settings.at("tools") == true || settings.contains("sketches")) return settings;
  for (const char* key : {"tools", "tool_calls", "tool_tokens", "tool_seconds"}) {
    settings.erase(key);
  }
  return settings;
}

}  // namespace

json ToJson(const SftSettings& settings) { return settings; }
json ToJson(const GrpoSettings& settings) { return WithoutUnused(settings); }
json ToJson(const VapoSettings& settings) { return WithoutUnused(settings); }

}  // namespace zermelo::train
