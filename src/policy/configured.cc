#include "policy/configured.h"

#include <fmt/format.h>
#include <utility>

#include "policy/builtin.h"
#include "policy/model_policy.h"

namespace zermelo::policy {

using core::Fail;
using core::Result;

namespace {

void Apply(const core::SamplingConfig& config, llm::Sampling* sampling) {
  if (config.temperature) sampling->temperature = config.temperature;
  if (config.top_p) sampling->top_p = config.top_p;
  if (config.max_tokens) sampling->max_tokens = config.max_tokens;
}

/// A setup and its weight for every format of every model.
Result<std::vector<std::pair<ModelSetup, double>>> SetupsOf(
    const std::vector<ConfiguredModel>& models, const llm::Formats& formats, uint64_t seed) {
  std::vector<std::pair<ModelSetup, double>> setups;
  for (const auto& [config, model] : models) {
    double shares = 0;
    for (const auto& share : config.formats) shares += share.weight;
    for (const auto& share : config.formats) {
      auto format = llm::FindFormat(formats, share.format);
      if (!format) {
        return Fail(format.error().code,
                    fmt::format("model {}: {}", config.name, format.error().message),
                    format.error().hint);
      }
      Apply(config.sampling, &format->sampling);
      ModelSetup setup;
      setup.model = model;
      setup.format = *std::move(format);
      setup.seed = seed;
      setup.price = config.price;
      setup.origin = config.formats.size() == 1 ? config.name
                                                : fmt::format("{}/{}", config.name, share.format);
      setups.emplace_back(std::move(setup), config.weight * share.weight / shares);
    }
  }
  return setups;
}

}  // namespace

Result<std::unique_ptr<CompletionEnsemble>> MakeCompletionEnsemble(
    const std::vector<ConfiguredModel>& models, const llm::Formats& formats, uint64_t seed) {
  auto setups = SetupsOf(models, formats, seed);
  if (!setups) return Fail(setups.error());
  std::vector<Member<CompletionPolicy>> members;
  for (auto& [setup, weight] : *setups) {
    if (setup.format.reply == llm::ReplyKind::kTactic) {
      return Fail(core::ErrorCode::kUsage,
                  fmt::format("{} replies with single tactics (format {}), not with whole proofs",
                              setup.origin, setup.format.name),
                  "use it with a strategy that searches tactic by tactic");
    }
    const std::string name = setup.origin;
    const llm::Price price = setup.price;
    members.push_back({name, MakeModelCompletionPolicy(std::move(setup)), weight, price});
  }
  return std::make_unique<CompletionEnsemble>(std::move(members));
}

Result<std::unique_ptr<EnsemblePolicy>> MakeStepEnsemble(const std::vector<ConfiguredModel>& models,
                                                         const llm::Formats& formats,
                                                         size_t samples_per_state, bool builtin,
                                                         uint64_t seed, std::string_view without) {
  auto setups = SetupsOf(models, formats, seed);
  if (!setups) return Fail(setups.error());
  std::vector<Member<Policy>> free, members;
  if (builtin) free.push_back({"built-in", MakeImmediatePolicy(MakeBuiltinPolicy(without)), 1});
  for (auto& [setup, weight] : *setups) {
    const bool of_tactics = setup.format.reply == llm::ReplyKind::kTactic;
    if (!of_tactics && !setup.format.ContinuesProofs()) continue;
    const std::string name = setup.origin;
    const llm::Price price = setup.price;
    members.push_back({name, MakeModelStepPolicy(std::move(setup)), weight, price});
  }
  return std::make_unique<EnsemblePolicy>(std::move(free), std::move(members), samples_per_state);
}

}  // namespace zermelo::policy
