// The strategies by name, their parameters in one value, and `auto`, which runs several.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "policy/completion.h"
#include "policy/policy.h"
#include "strategy/agent/agent.h"
#include "strategy/auto/auto.h"
#include "strategy/best_first/best_first.h"
#include "strategy/hilbert/hilbert.h"
#include "strategy/rmaxts/rmaxts.h"
#include "strategy/sg_mdp/sg_mdp.h"
#include "strategy/sketch/sketch.h"
#include "strategy/whole_proof/whole_proof.h"

namespace zermelo::engine {

enum class StrategyName {
  kAuto,
  kWholeProof,
  kRmaxts,
  kSgMdp,
  kBestFirst,
  kHilbert,
  kAgent,
  kSketch
};
NLOHMANN_JSON_SERIALIZE_ENUM(StrategyName, {{static_cast<StrategyName>(-1), nullptr},
                                            {StrategyName::kAuto, "auto"},
                                            {StrategyName::kWholeProof, "whole_proof"},
                                            {StrategyName::kRmaxts, "rmaxts"},
                                            {StrategyName::kSgMdp, "sg_mdp"},
                                            {StrategyName::kBestFirst, "best_first"},
                                            {StrategyName::kHilbert, "hilbert"},
                                            {StrategyName::kAgent, "agent"},
                                            {StrategyName::kSketch, "sketch"}})

/// Stored with each run; docs/strategies.md tells what they mean.
struct StrategyParameters {
  StrategyName strategy = StrategyName::kAuto;
  bool all = false;  // go on after the first proof; count distinct ones
  strategy::AutoParameters automatic;
  strategy::BestFirstParameters best_first;
  strategy::WholeProofParameters whole_proof;
  strategy::RmaxtsParameters rmaxts;
  strategy::SgMdpParameters sg_mdp;
  strategy::HilbertParameters hilbert;
  strategy::AgentParameters agent;
  strategy::SketchParameters sketch;
  bool operator==(const StrategyParameters&) const = default;
};
/// As in zermelo.toml: {"strategy": "auto", "all": false, "auto": {…}, "best_first": {…}, …}.
void to_json(nlohmann::json& json, const StrategyParameters& parameters);
/// What is missing is as in a default value. Throws nlohmann::json::exception.
void from_json(const nlohmann::json& json, StrategyParameters& parameters);

/// Whether a strategy asks models by role (strategy::Roles).
bool AsksByRole(StrategyName strategy);

/// kUsage when a parameter is out of its range; the message names its section.
core::Status Check(const StrategyParameters& parameters);

/// Sets "rmaxts.workers" or "strategy". kUsage: there is none of that name (with the nearest), or
/// the value is of the wrong type, an unknown word, or out of range.
core::Status Set(StrategyParameters& parameters, std::string_view name,
                 const nlohmann::json& value);
/// The same with a value as text: "16", "0.5", "true", "ducb".
core::Status SetFromText(StrategyParameters& parameters, std::string_view name,
                         const std::string& value);

/// Who proposes. What is null proposes nothing.
struct Agents {
  policy::Policy* builtin = nullptr;                // tactics, free of charge
  policy::Policy* steps = nullptr;                  // tactics, of models too
  policy::CompletionPolicy* completions = nullptr;  // proofs of the whole theorem
  bool models = false;                              // `steps` or `completions` asks a model
  strategy::Roles* roles = nullptr;                 // models by what they are asked to do
  retrieve::Retriever* premises = nullptr;          // searches the library
  strategy::PythonRunner* python = nullptr;         // runs models' programs
};

/// kUsage when a strategy has nobody to ask, or models that cannot do what it needs.
core::Status CanRun(const StrategyParameters& parameters, const Agents& agents);

/// Runs the strategy; `time` is what `limits` leave in all. `auto` is: tactics that prove alone,
/// the built-in search for a share of the time, whole proofs for a share of the rest, and then a
/// tree search: rmaxts where models can go on with a proof, else sg_mdp; without models sg_mdp with
/// the built-in policy. hilbert asks models by role, with prompts from the prompt folder. Errors:
/// as CanRun, and the strategies'.
core::Task<core::Result<strategy::Outcome>> Prove(lean::Checker& checker, Agents agents,
                                                  const strategy::Problem& problem,
                                                  const StrategyParameters& parameters,
                                                  core::Duration time, strategy::Limits limits);

}  // namespace zermelo::engine
