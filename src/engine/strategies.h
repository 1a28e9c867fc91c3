// The strategies by name, the parameters of all of them, and `auto`, which runs several.
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

/// Stored with each run; docs/strategies.md describes them.
struct StrategyParameters {
  StrategyName strategy = StrategyName::kAuto;
  bool all = false;  // continue after the first proof and collect distinct proofs
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
/// Missing fields have their default values. Throws nlohmann::json::exception.
void from_json(const nlohmann::json& json, StrategyParameters& parameters);

/// What ends an attempt at a theorem.
struct AttemptLimits {
  std::optional<int64_t> samples;  // generations; without models, candidates that Lean tries
  core::Duration time;
  bool timed = true;                // `time` is a limit that somebody chose
  bool has_models = false;          // the attempt has models
  bool one_call_at_a_time = false;  // so that a replay follows the recorded order
  uint64_t seed = 1;                // of random choices
};
/// Raises the strategies' own limits to those of an attempt, so that only these end it.
void FitToAttempt(const AttemptLimits& limits, StrategyParameters& parameters);

/// Whether a strategy uses models by role (strategy::Roles).
bool AsksByRole(StrategyName strategy);

/// kUsage when a parameter is out of its range; the message names its section.
core::Status Check(const StrategyParameters& parameters);

/// Sets a parameter by name: "rmaxts.workers", "strategy". kUsage: there is no such parameter (the
/// hint gives the nearest), or the value has the wrong type, is an unknown word or out of range.
core::Status Set(StrategyParameters& parameters, std::string_view name,
                 const nlohmann::json& value);
/// Set with a value as text: "16", "0.5", "true", "ducb".
core::Status SetFromText(StrategyParameters& parameters, std::string_view name,
                         const std::string& value);

/// The components that a strategy can use; any pointer may be null.
struct Agents {
  policy::Policy* builtin = nullptr;                // tactics, at no cost
  policy::Policy* steps = nullptr;                  // tactics, also from models
  policy::CompletionPolicy* completions = nullptr;  // proofs of the whole theorem
  bool models = false;                              // `steps` or `completions` uses a model
  strategy::Roles* roles = nullptr;                 // models by role
  retrieve::Retriever* premises = nullptr;          // searches the library
  strategy::PythonRunner* python = nullptr;         // runs models' programs
};

/// kUsage when the strategy lacks a policy or model, or its models cannot do what it needs.
core::Status CanRun(const StrategyParameters& parameters, const Agents& agents);

/// Runs the strategy; `time` is the total time that `limits` allow. `auto` runs automation tactics,
/// the built-in search for a share of the time, whole proofs for a share of the rest, and then a
/// tree search: rmaxts if models can continue a partial proof, else sg_mdp. Without models, sg_mdp
/// with the built-in policy precedes the built-in search. hilbert, agent and sketch use models by
/// role, with prompts from the prompt folder. Errors: as CanRun, and the strategies'.
core::Task<core::Result<strategy::Outcome>> Prove(lean::Checker& checker, Agents agents,
                                                  const strategy::Problem& problem,
                                                  const StrategyParameters& parameters,
                                                  core::Duration time, strategy::Limits limits);

}  // namespace zermelo::engine
