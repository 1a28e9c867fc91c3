// The strategies by name. Each is a folder that declares its parameters, what it needs and how it
// runs; CONTRIBUTING.md walks through adding one.
#pragma once

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/config.h"
#include "strategy/statement_prover.h"
#include "strategy/strategy.h"

namespace zermelo::strategy {

/// The parameters of all strategies, and which one runs. Stored with each run.
struct StrategyParameters {
  StrategyParameters();

  std::string strategy = "auto";
  bool all = false;         // continue after the first proof and collect distinct proofs
  std::string without;      // heuristics that the built-in policy leaves out (policy/builtin.h)
  nlohmann::json sections;  // by strategy: all of its parameters, as in zermelo.toml

  template <typename P>
  P Of(std::string_view section) const {
    return sections.at(std::string(section)).get<P>();
  }
  bool operator==(const StrategyParameters&) const = default;
};
/// As in zermelo.toml: {"strategy": "auto", "all": false, "auto": {…}, "best_first": {…}, …}; and
/// {"builtin": {"without": "arith"}} if there is something to leave out.
void to_json(nlohmann::json& json, const StrategyParameters& parameters);
/// Missing fields have their default values; unknown sections are left out. A section may be the
/// name of a preset, {"rmaxts": "paper"}, or have one, {"rmaxts": {"preset": "paper", "workers":
/// 8}}. Throws nlohmann::json::exception; its message lists the presets if there is no such one.
void from_json(const nlohmann::json& json, StrategyParameters& parameters);

/// kUsage when a parameter is out of its range; the message names its section.
core::Status Check(const StrategyParameters& parameters);

/// Sets a parameter by name: "rmaxts.workers", "strategy"; or all that a preset names: "rmaxts" or
/// "rmaxts.preset" = "paper". kUsage: there is no such parameter or preset (the hint gives the
/// nearest), or the value has the wrong type, is an unknown word or out of range.
core::Status Set(StrategyParameters& parameters, std::string_view name,
                 const nlohmann::json& value);
/// Set with a value as text: "16", "0.5", "true", "ducb".
core::Status SetFromText(StrategyParameters& parameters, std::string_view name,
                         const std::string& value);
/// A parameter's value as SetFromText takes it: "16", "0.5", "true", "ducb".
std::string AsText(const nlohmann::json& value);
/// The settings of one source (a file, a command line) in the order in which to set them: presets
/// first, so that a value that stands beside a preset overrides it.
std::vector<core::StrategySetting> PresetsFirst(std::vector<core::StrategySetting> settings);

/// What --help and docs/strategies.md say of a parameter, beside its default.
struct Parameter {
  std::string_view name;
  std::string_view help;  // its meaning and unit, in one line without `|`
};

/// Several parameters under one name, for example those of a paper's runs.
struct Preset {
  std::string_view name;
  std::string_view summary;   // one line for --help
  nlohmann::json parameters;  // those that it sets; all others keep their values
  /// Another strategy, which this one runs; its preset of the same name is set, too. Empty: none.
  std::string_view also = {};
};

/// What a strategy cannot run without.
struct Needs {
  bool tactics = false;                 // Services::steps
  bool proofs = false;                  // Services::completions
  bool partial_proofs = false;          // that continue a partial proof
  std::vector<std::string_view> roles;  // chat models
  /// Further roles that it asks: models may be configured for them.
  std::vector<std::string_view> asks;

  /// Whether it uses models by role (strategy::Roles).
  bool AsksByRole() const { return !roles.empty(); }
};

/// An attempt of an evaluation; its budget replaces the strategies' own limits.
struct EvaluatedAttempt {
  uint64_t seed = 0;
  bool alone = true;               // the problem's only attempt
  std::optional<int64_t> samples;  // of the budget; nullopt: no limit
  core::Duration time = std::chrono::hours(24);
  bool timed = true;  // `time` was set explicitly
  bool one_call_at_a_time = false;
  bool has_models = false;

  size_t SampleLimit() const {
    return static_cast<size_t>(samples.value_or(std::numeric_limits<int32_t>::max()));
  }
};

/// One problem for a strategy. All must outlive the run.
struct Job {
  const Services& services;
  const Problem& problem;
  const StrategyParameters& parameters;
  core::Duration time;  // in total, of the limits
};

class Strategy {
 public:
  Strategy() = default;
  virtual ~Strategy() = default;
  Strategy(const Strategy&) = delete;
  Strategy& operator=(const Strategy&) = delete;

  virtual std::string_view name() const = 0;     // of its folder, --strategy and its parameters
  virtual std::string_view summary() const = 0;  // one line for --help
  virtual Needs needs() const { return {}; }
  virtual nlohmann::json Defaults() const = 0;
  /// All of Defaults(), in the order in which to list them.
  virtual std::vector<Parameter> Parameters() const = 0;
  /// The section with every value in its own type: 2 for a number becomes 2.0. Throws
  /// nlohmann::json::exception.
  virtual nlohmann::json Typed(const nlohmann::json& section) const = 0;
  /// kUsage when a parameter is out of range. Throws nlohmann::json::exception.
  virtual core::Status Check(const nlohmann::json& section) const = 0;
  /// Whether this is the search that other code runs with free tactics alone (TacticSearch).
  virtual bool IsTacticSearch() const { return false; }
  /// Listed in --help and in docs/strategies.md.
  virtual std::vector<Preset> Presets() const { return {}; }
  /// The parameters of an attempt; called for every strategy, whichever runs.
  virtual void Fit(const EvaluatedAttempt& /*attempt*/, StrategyParameters& /*parameters*/) const {}
  /// Tactics requested from models per state, if they propose tactics.
  virtual size_t SamplesPerState(const StrategyParameters& /*parameters*/) const { return 4; }
  /// Makes random choices follow from `seed`, if there are any.
  virtual void SetSeed(uint64_t /*seed*/, StrategyParameters& /*parameters*/) const {}
  /// Makes model calls sequential, so that a replay meets them in the recorded order.
  virtual void MakeSequential(StrategyParameters& /*parameters*/) const {}

  /// Records that this strategy begins, and runs it. Errors: model errors as in llm::Model,
  /// kEnvironment if Lean no longer runs. `job` has what the strategy needs (CanRun).
  core::Task<core::Result<SearchResult>> Search(Job job, Limits limits) const;
  /// A prover of single statements, for other strategies. kUsage: the strategy has none. `services`
  /// must outlive it.
  virtual core::Result<StatementProver> ProverOf(const Services& services,
                                                 const StrategyParameters& parameters) const;

 protected:
  /// As Search.
  virtual core::Task<core::Result<SearchResult>> Run(Job job, Limits limits) const = 0;
};

/// Check(parameters), found by the argument's type.
template <typename P>
core::Status CheckOwn(const P& parameters) {
  return Check(parameters);
}

/// A strategy whose parameters are a struct P with JSON and Check(const P&).
template <typename P>
class StrategyWith : public Strategy {
 public:
  nlohmann::json Defaults() const override { return P(); }
  nlohmann::json Typed(const nlohmann::json& section) const override { return section.get<P>(); }
  core::Status Check(const nlohmann::json& section) const override {
    return CheckOwn(section.get<P>());
  }

 protected:
  P Own(const StrategyParameters& parameters) const { return parameters.Of<P>(name()); }
};

/// All strategies in the order of their registration (strategy/CMakeLists.txt).
const std::vector<const Strategy*>& AllStrategies();
/// Null: there is none.
const Strategy* FindStrategy(std::string_view name);
/// The one whose IsTacticSearch() is true. It needs Services::steps only.
const Strategy& TacticSearch();
/// The strategy that the parameters name; it must exist (Check).
const Strategy& ChosenStrategy(const StrategyParameters& parameters);
/// The names with commas between them.
std::string NamesOfStrategies();

/// The roles that `[roles]` of zermelo.toml may name: those that any strategy has.
std::vector<std::string> NamesOfRoles();

/// The same for all strategies.
void SetSeed(uint64_t seed, StrategyParameters& parameters);
void MakeSequential(StrategyParameters& parameters);
void Fit(const EvaluatedAttempt& attempt, StrategyParameters& parameters);

/// kUsage when the chosen strategy lacks a policy or model, or its models cannot do what it needs.
core::Status CanRun(const StrategyParameters& parameters, const Services& services);

/// Runs the chosen strategy. Errors: as CanRun and Strategy::Search.
core::Task<core::Result<SearchResult>> Prove(Job job, Limits limits);

}  // namespace zermelo::strategy

/// Registers a class under the name of its folder, which strategy/CMakeLists.txt lists.
#define ZERMELO_STRATEGY(folder, Class)           \
  namespace zermelo::strategy::registered {       \
  const Strategy& strategy_##folder() {           \
    static const Class strategy;                  \
    return strategy;                              \
  }                                               \
  } /* namespace zermelo::strategy::registered */ \
  static_assert(true)
