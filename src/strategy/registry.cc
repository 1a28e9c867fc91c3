#include "strategy/registry.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/json.h"
#include "core/names.h"
#include "policy/builtin.h"

namespace zermelo::strategy {

using core::ErrorCode;
using core::Fail;
using core::Result;
using core::Task;
using nlohmann::json;

namespace {

/// The path of a parameter in the JSON: "rmaxts.workers" -> {"rmaxts", "workers"}.
std::vector<std::string> PathOf(std::string_view name) {
  const size_t dot = name.find('.');
  if (dot == std::string_view::npos) return {std::string(name)};
  return {std::string(name.substr(0, dot)), std::string(name.substr(dot + 1))};
}

std::vector<std::string> AllNames(const json& parameters) {
  std::vector<std::string> names;
  for (const auto& [key, value] : parameters.items()) {
    if (!value.is_object()) names.push_back(key);
    if (!value.is_object()) continue;
    for (const auto& [inner, ignored] : value.items()) {
      names.push_back(fmt::format("{}.{}", key, inner));
    }
  }
  return names;
}

const char* KindOf(const json& value) {
  if (value.is_boolean()) return "true or false";
  if (value.is_number_float()) return "a number";
  return value.is_number() ? "a non-negative whole number" : "a word";
}

/// Whether `value` has a type that can replace `old`.
bool Fits(const json& old, const json& value) {
  if (old.is_boolean()) return value.is_boolean();
  if (old.is_number_float()) return value.is_number();
  if (old.is_number())
    return value.is_number_unsigned() || (value.is_number_integer() && value >= 0);
  return value.is_string();
}

constexpr std::string_view kPreset = "preset";

// The setting "builtin.without".
constexpr const char* kBuiltinPolicy = "builtin";
constexpr const char* kWithout = "without";

/// The strategy whose preset a parameter of this name selects: "rmaxts", "rmaxts.preset".
const Strategy* PresetsOf(std::string_view parameter) {
  const auto path = PathOf(parameter);
  if (path.size() == 2 && path[1] != kPreset) return nullptr;
  return FindStrategy(path[0]);
}

Result<Preset> FindPreset(const Strategy& strategy, const std::string& name) {
  std::vector<std::string> names;
  for (Preset& preset : strategy.Presets()) {
    if (preset.name == name) return std::move(preset);
    names.emplace_back(preset.name);
  }
  return Fail(ErrorCode::kUsage,
              fmt::format("strategy {} has no preset `{}`", strategy.name(), name),
              names.empty() ? "it has none; its parameters are in docs/strategies.md"
                            : fmt::format("presets: {}", fmt::join(names, ", ")));
}

/// Puts single parameters of a strategy into its section.
void Merge(const Strategy& strategy, const json& in, json& sections) {
  json& section = sections[std::string(strategy.name())];
  section.merge_patch(in);
  section = strategy.Typed(section);
}

core::Status MergePreset(const Strategy& strategy, const std::string& name, json& sections) {
  const auto preset = FindPreset(strategy, name);
  if (!preset) return Fail(preset.error());
  Merge(strategy, preset->parameters, sections);
  if (preset->also.empty()) return {};
  return MergePreset(*FindStrategy(preset->also), name, sections);
}

/// The preset that a section in JSON is or has.
std::optional<std::string> PresetIn(const json& section) {
  if (section.is_string()) return section.get<std::string>();
  if (!section.is_object() || !section.contains(kPreset)) return std::nullopt;
  return section.at(kPreset).get<std::string>();
}

core::Status SetPreset(StrategyParameters& parameters, const Strategy& strategy,
                       const std::string& name) {
  StrategyParameters changed = parameters;
  if (auto merged = MergePreset(strategy, name, changed.sections); !merged) return merged;
  if (auto checked = Check(changed); !checked) return checked;
  parameters = std::move(changed);
  return {};
}

/// The strategies with such needs, with commas between them.
template <class P>
std::string NamesOf(const P& have) {
  std::vector<std::string_view> names;
  for (const Strategy* each : AllStrategies()) {
    if (have(each->needs())) names.push_back(each->name());
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

core::Status NeedsRoles(const Strategy& strategy, const Services& services) {
  for (const std::string_view role : strategy.needs().roles) {
    if (services.roles != nullptr && services.roles->chat(role) != nullptr) continue;
    return Fail(ErrorCode::kUsage,
                fmt::format("strategy {} needs a language model that chats", strategy.name()),
                fmt::format("name one with --model, or as `{}` in [roles] of zermelo.toml", role));
  }
  return {};
}

}  // namespace

StrategyParameters::StrategyParameters() : sections(json::object()) {
  for (const Strategy* each : AllStrategies()) {
    sections[std::string(each->name())] = each->Defaults();
  }
}

void to_json(json& out, const StrategyParameters& p) {
  out = p.sections;
  out["strategy"] = p.strategy;
  out["all"] = p.all;
  if (!p.without.empty()) out[kBuiltinPolicy][kWithout] = p.without;
}

void from_json(const json& in, StrategyParameters& p) {
  p = StrategyParameters();
  p.strategy = in.value("strategy", p.strategy);
  p.all = in.value("all", p.all);
  if (const auto policy = in.find(kBuiltinPolicy); policy != in.end()) {
    p.without = policy->value(kWithout, p.without);
  }
  const auto for_each = [&](const auto& read) {
    for (const Strategy* each : AllStrategies()) {
      const auto section = in.find(std::string(each->name()));
      if (section != in.end()) read(*each, *section);
    }
  };
  for_each([&](const Strategy& strategy, const json& section) {
    const auto preset = PresetIn(section);
    if (!preset) return;
    const auto merged = MergePreset(strategy, *preset, p.sections);
    if (merged) return;
    throw json::other_error::create(501, merged.error().message + " (" + merged.error().hint + ")",
                                    nullptr);
  });
  for_each([&](const Strategy& strategy, json section) {
    if (section.is_string()) return;
    if (section.is_object()) section.erase(kPreset);
    Merge(strategy, section, p.sections);
  });
}

core::Status Check(const StrategyParameters& p) {
  if (FindStrategy(p.strategy) == nullptr) {
    return Fail(ErrorCode::kUsage, fmt::format("strategy must be one of {}", NamesOfStrategies()));
  }
  if (auto checked = policy::CheckHeuristics(p.without); !checked) return checked;
  for (const Strategy* each : AllStrategies()) {
    const auto checked = each->Check(p.sections.at(std::string(each->name())));
    if (checked) continue;
    return Fail(checked.error().code, fmt::format("{}: {}", each->name(), checked.error().message),
                checked.error().hint);
  }
  return {};
}

core::Status Set(StrategyParameters& parameters, std::string_view name, const json& value) {
  if (const Strategy* of = PresetsOf(name); of != nullptr && value.is_string()) {
    return SetPreset(parameters, *of, value);
  }
  json all = parameters;
  all[kBuiltinPolicy][kWithout] = parameters.without;
  json* place = &all;
  for (const std::string& key : PathOf(name)) {
    const bool there = place->is_object() && place->contains(key);
    place = there ? &(*place)[key] : nullptr;
    if (!there) break;
  }
  if (place == nullptr || place->is_object()) {
    return Fail(ErrorCode::kUsage, fmt::format("there is no strategy parameter `{}`", name),
                core::DidYouMean(std::string(name), AllNames(all)));
  }
  if (!Fits(*place, value)) {
    return Fail(ErrorCode::kUsage,
                fmt::format("`{}` must be {}, not {}", name, KindOf(*place), value.dump()));
  }
  *place = value;
  StrategyParameters changed;
  try {
    changed = all.get<StrategyParameters>();
    if (auto checked = Check(changed); !checked) return checked;
  } catch (const json::exception& error) {
    return Fail(ErrorCode::kUsage, fmt::format("`{}` cannot be {}", name, value.dump()));
  }
  parameters = std::move(changed);
  return {};
}

core::Status SetFromText(StrategyParameters& parameters, std::string_view name,
                         const std::string& value) {
  json parsed = core::JsonOrDiscarded(value);
  if (parsed.is_discarded() || parsed.is_structured() || parsed.is_null()) parsed = value;
  return Set(parameters, name, parsed);
}

std::string AsText(const json& value) {
  std::string text = value.is_string() ? value.get<std::string>() : value.dump();
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text;
}

std::vector<core::StrategySetting> PresetsFirst(std::vector<core::StrategySetting> settings) {
  std::ranges::stable_partition(
      settings, [](const auto& setting) { return PresetsOf(setting.name) != nullptr; });
  return settings;
}

Task<Result<SearchResult>> Strategy::Search(Job job, Limits limits) const {
  json fields;
  fields["strategy"] = name();
  limits.Append(event::kStrategyBegun, std::move(fields));
  co_return co_await Run(job, std::move(limits));
}

Result<StatementProver> Strategy::ProverOf(const Services& /*services*/,
                                           const StrategyParameters& /*parameters*/) const {
  return Fail(ErrorCode::kUsage, fmt::format("strategy {} proves no single statements", name()));
}

const Strategy* FindStrategy(std::string_view name) {
  const auto& all = AllStrategies();
  const auto found = std::ranges::find(all, name, &Strategy::name);
  return found == all.end() ? nullptr : *found;
}

const Strategy& TacticSearch() {
  return **std::ranges::find_if(AllStrategies(), &Strategy::IsTacticSearch);
}

const Strategy& ChosenStrategy(const StrategyParameters& parameters) {
  return *FindStrategy(parameters.strategy);
}

std::vector<std::string> NamesOfRoles() {
  std::vector<std::string> names{std::string(role::kProver)};
  const auto add = [&](std::string_view name) {
    if (std::ranges::find(names, name) == names.end()) names.emplace_back(name);
  };
  for (const Strategy* strategy : AllStrategies()) {
    const Needs needs = strategy->needs();
    std::ranges::for_each(needs.roles, add);
    std::ranges::for_each(needs.asks, add);
  }
  add(role::kTactics);
  return names;
}

std::string NamesOfStrategies() {
  return NamesOf([](const Needs&) { return true; });
}

void SetSeed(uint64_t seed, StrategyParameters& parameters) {
  for (const Strategy* each : AllStrategies()) each->SetSeed(seed, parameters);
}

void MakeSequential(StrategyParameters& parameters) {
  for (const Strategy* each : AllStrategies()) each->MakeSequential(parameters);
}

void Fit(const EvaluatedAttempt& attempt, StrategyParameters& parameters) {
  SetSeed(attempt.seed, parameters);
  if (attempt.one_call_at_a_time) MakeSequential(parameters);
  for (const Strategy* each : AllStrategies()) each->Fit(attempt, parameters);
}

core::Status CanRun(const StrategyParameters& parameters, const Services& services) {
  const Strategy& strategy = ChosenStrategy(parameters);
  const Needs needs = strategy.needs();
  if (needs.proofs && services.completions == nullptr) {
    return Fail(
        ErrorCode::kUsage,
        fmt::format("strategy {} needs a language model that writes proofs", strategy.name()),
        "name one with --model; these need none: " +
            NamesOf([](const Needs& each) { return !each.proofs && !each.AsksByRole(); }));
  }
  if (needs.partial_proofs && !services.completions->ContinuesProofs()) {
    return Fail(ErrorCode::kUsage,
                fmt::format("strategy {} needs a prompt format that accepts a partial proof",
                            strategy.name()),
                "choose a format whose file in prompts/ contains {prefix}, or a strategy that "
                "does not need one: " +
                    NamesOf([](const Needs& each) { return each.proofs && !each.partial_proofs; }));
  }
  if (needs.tactics && services.steps == nullptr) {
    return Fail(ErrorCode::kUsage,
                fmt::format("strategy {} needs a policy that proposes tactics", strategy.name()));
  }
  return NeedsRoles(strategy, services);
}

Task<Result<SearchResult>> Prove(Job job, Limits limits) {
  if (auto can = CanRun(job.parameters, job.services); !can) co_return Fail(can.error());
  co_return co_await ChosenStrategy(job.parameters).Search(job, std::move(limits));
}

}  // namespace zermelo::strategy
