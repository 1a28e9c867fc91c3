#include "engine/strategies.h"

#include <fmt/format.h>

#include "core/names.h"
#include "engine/free_prover.h"
#include "llm/format.h"
#include "llm/prompt_template.h"

namespace zermelo::engine {

using core::ErrorCode;
using core::Fail;
using core::Result;
using core::Task;
using nlohmann::json;
using strategy::Environment;
using strategy::Limits;
using strategy::Outcome;
using strategy::Phase;

namespace {

// Time for the built-in search, which goes first, in an attempt without a time limit.
constexpr double kUntimedBuiltinSeconds = 15;

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

core::Status InSection(const char* section, core::Status status) {
  if (status) return status;
  return Fail(status.error().code, fmt::format("{}: {}", section, status.error().message),
              status.error().hint);
}

Environment EnvironmentOf(lean::Checker& checker, const Agents& agents, bool all) {
  return Environment{.checker = checker,
                     .steps = agents.steps,
                     .completions = agents.completions,
                     .all = all,
                     .roles = agents.roles,
                     .premises = agents.premises,
                     .python = agents.python};
}

/// The phases of `auto`. Without models, sg_mdp comes first: it exhausts the built-in policy's
/// proposals within seconds, which leaves the remaining time to best-first search. The object and
/// what it refers to must outlive the phases.
class Auto {
 public:
  Auto(lean::Checker& checker, const Agents& agents, const strategy::Problem& problem,
       const StrategyParameters& parameters)
      : free_(EnvironmentOf(checker, agents, parameters.all)),
        all_agents_(free_),
        has_models_(agents.models),
        problem_(problem),
        parameters_(parameters) {
    free_.steps = agents.builtin;
    free_.completions = nullptr;
  }

  std::vector<Phase> Phases() const {
    const strategy::AutoParameters& shares = parameters_.automatic;
    std::vector<Phase> phases;
    if (free_.steps != nullptr) {
      phases.push_back({"automation", 0.2, [this](Limits limits) {
                          return strategy::Automation(free_, problem_,
                                                      parameters_.automatic.automation_seconds,
                                                      std::move(limits));
                        }});
      if (!has_models_) phases.push_back(Games(shares.builtin_share));
      phases.push_back(BestFirst(has_models_ ? shares.builtin_share : 1));
    }
    if (all_agents_.completions != nullptr) {
      phases.push_back({"whole_proof", shares.whole_proof_share, [this](Limits limits) {
                          return strategy::WholeProof(all_agents_, problem_,
                                                      parameters_.whole_proof, std::move(limits));
                        }});
    }
    if (all_agents_.completions != nullptr && all_agents_.completions->ContinuesProofs()) {
      phases.push_back({"rmaxts", 1, [this](Limits limits) {
                          return strategy::Rmaxts(all_agents_, problem_, parameters_.rmaxts,
                                                  std::move(limits));
                        }});
    } else if (has_models_ && all_agents_.steps != nullptr) {
      phases.push_back(Games(1));
    }
    return phases;
  }

 private:
  Phase Games(double share) const {
    return {"sg_mdp", share, [this](Limits limits) {
              return strategy::SgMdp(all_agents_, problem_, parameters_.sg_mdp, std::move(limits));
            }};
  }

  Phase BestFirst(double share) const {
    return {"best_first", share, [this](Limits limits) {
              return strategy::BestFirst(free_, problem_, parameters_.best_first,
                                         std::move(limits));
            }};
  }

  Environment free_, all_agents_;
  const bool has_models_;
  const strategy::Problem& problem_;
  const StrategyParameters& parameters_;
};

Task<Result<Outcome>> ProveByAuto(lean::Checker& checker, Agents agents,
                                  const strategy::Problem& problem,
                                  const StrategyParameters& parameters, core::Duration time,
                                  Limits limits) {
  const Auto strategy(checker, agents, problem, parameters);
  co_return co_await strategy::RunPhases(strategy.Phases(), time, parameters.all,
                                         std::move(limits));
}

FreeParameters FreeOf(const StrategyParameters& parameters) {
  FreeParameters free;
  free.automation_seconds = parameters.automatic.automation_seconds;
  free.search = parameters.best_first;
  return free;
}

Task<Result<Outcome>> ProveBySketch(Environment environment, Agents agents,
                                    const strategy::Problem& problem,
                                    const StrategyParameters& parameters, Limits limits) {
  const auto prompts = llm::PromptTemplates::Load(llm::PromptFolder() / "agent");
  if (!prompts) co_return Fail(prompts.error());
  strategy::AgentParameters agent = parameters.agent;
  agent.trajectories = parameters.sketch.trajectories;
  agent.rounds = parameters.sketch.rounds;
  Environment free = environment;
  free.steps = agents.builtin;
  free.completions = nullptr;
  free.all = false;
  strategy::SketchProvers provers;
  provers.agent = strategy::MakeAgentProver(environment, agent, *prompts);
  if (agents.builtin != nullptr) {
    provers.free = MakeFreeProver(free, problem.context, FreeOf(parameters));
  }
  co_return co_await strategy::Sketch(environment, problem, parameters.sketch, provers,
                                      std::move(limits));
}

Task<Result<Outcome>> ProveByHilbert(lean::Checker& checker, Agents agents,
                                     const strategy::Problem& problem,
                                     const StrategyParameters& parameters, Limits limits) {
  const auto prompts = llm::PromptTemplates::Load(llm::PromptFolder() / "hilbert");
  if (!prompts) co_return Fail(prompts.error());
  const Environment environment = EnvironmentOf(checker, agents, parameters.all);
  Environment free = EnvironmentOf(checker, agents, false);
  free.steps = agents.builtin;
  free.completions = nullptr;
  strategy::FreeAttempt builtin;
  if (agents.builtin != nullptr) {
    builtin = [&free, &parameters](const strategy::Problem& goal, Limits own) {
      return TryForFree(free, goal, FreeOf(parameters), std::move(own));
    };
  }
  co_return co_await strategy::Hilbert(environment, *prompts, std::move(builtin), problem,
                                       parameters.hilbert, std::move(limits));
}

}  // namespace

void to_json(json& out, const StrategyParameters& p) {
  out = {{"strategy", p.strategy},
         {"all", p.all},
         {"auto", p.automatic},
         {"best_first", p.best_first},
         {"whole_proof", p.whole_proof},
         {"rmaxts", p.rmaxts},
         {"sg_mdp", p.sg_mdp},
         {"hilbert", p.hilbert},
         {"agent", p.agent},
         {"sketch", p.sketch}};
}

void from_json(const json& in, StrategyParameters& p) {
  json whole = StrategyParameters();
  whole.merge_patch(in);
  whole.at("strategy").get_to(p.strategy);
  whole.at("all").get_to(p.all);
  whole.at("auto").get_to(p.automatic);
  whole.at("best_first").get_to(p.best_first);
  whole.at("whole_proof").get_to(p.whole_proof);
  whole.at("rmaxts").get_to(p.rmaxts);
  whole.at("sg_mdp").get_to(p.sg_mdp);
  whole.at("hilbert").get_to(p.hilbert);
  whole.at("agent").get_to(p.agent);
  whole.at("sketch").get_to(p.sketch);
}

core::Status Check(const StrategyParameters& p) {
  if (p.strategy == static_cast<StrategyName>(-1)) {
    return Fail(
        ErrorCode::kUsage,
        "strategy must be one of auto, whole_proof, rmaxts, sg_mdp, best_first, hilbert, agent, "
        "sketch");
  }
  if (auto s = InSection("auto", strategy::Check(p.automatic)); !s) return s;
  if (auto s = InSection("best_first", strategy::Check(p.best_first)); !s) return s;
  if (auto s = InSection("whole_proof", strategy::Check(p.whole_proof)); !s) return s;
  if (auto s = InSection("rmaxts", strategy::Check(p.rmaxts)); !s) return s;
  if (auto s = InSection("hilbert", strategy::Check(p.hilbert)); !s) return s;
  if (auto s = InSection("agent", strategy::Check(p.agent)); !s) return s;
  if (auto s = InSection("sketch", strategy::Check(p.sketch)); !s) return s;
  return InSection("sg_mdp", strategy::Check(p.sg_mdp));
}

core::Status Set(StrategyParameters& parameters, std::string_view name, const json& value) {
  json all = parameters;
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
  } catch (const json::exception& error) {
    return Fail(ErrorCode::kUsage, fmt::format("`{}` cannot be {}", name, value.dump()));
  }
  if (auto checked = Check(changed); !checked) return checked;
  parameters = changed;
  return {};
}

core::Status SetFromText(StrategyParameters& parameters, std::string_view name,
                         const std::string& value) {
  json parsed = json::parse(value, nullptr, false);
  if (parsed.is_discarded() || parsed.is_structured() || parsed.is_null()) parsed = value;
  return Set(parameters, name, parsed);
}

namespace {

core::Status NeedsRoles(const std::string& name, const Agents& agents,
                        std::initializer_list<std::string_view> roles) {
  for (const std::string_view role : roles) {
    if (agents.roles != nullptr && agents.roles->chat(role) != nullptr) continue;
    return Fail(ErrorCode::kUsage,
                fmt::format("strategy {} needs a language model that chats", name),
                fmt::format("name one with --model, or as `{}` in [roles] of zermelo.toml", role));
  }
  return {};
}

}  // namespace

core::Status CanRun(const StrategyParameters& parameters, const Agents& agents) {
  const std::string name = json(parameters.strategy).get<std::string>();
  switch (parameters.strategy) {
    case StrategyName::kWholeProof:
    case StrategyName::kRmaxts:
      if (agents.completions == nullptr) {
        return Fail(ErrorCode::kUsage,
                    fmt::format("strategy {} needs a language model that writes proofs", name),
                    "name one with --model; sg_mdp, best_first and auto need none");
      }
      if (parameters.strategy == StrategyName::kRmaxts && !agents.completions->ContinuesProofs()) {
        return Fail(ErrorCode::kUsage,
                    "strategy rmaxts needs a prompt format that accepts a partial proof",
                    "choose a format whose file in prompts/ contains {prefix}, or a strategy that "
                    "does not need one, such as whole_proof");
      }
      return {};
    case StrategyName::kSgMdp:
    case StrategyName::kBestFirst:
      if (agents.steps != nullptr) return {};
      return Fail(ErrorCode::kUsage,
                  fmt::format("strategy {} needs a policy that proposes tactics", name));
    case StrategyName::kHilbert:
      return NeedsRoles(name, agents, {strategy::role::kReasoner});
    case StrategyName::kAgent:
      return NeedsRoles(name, agents, {strategy::role::kAgent});
    case StrategyName::kSketch:
      return NeedsRoles(name, agents,
                        {strategy::role::kAgent, strategy::role::kInformal,
                         strategy::role::kSketcher, strategy::role::kJudge});
    case StrategyName::kAuto:
      break;
  }
  return {};
}

void FitToAttempt(const AttemptLimits& limits, StrategyParameters& parameters) {
  parameters.rmaxts.seed = limits.seed;
  if (limits.one_call_at_a_time) parameters.whole_proof.calls = 1;
  if (!limits.timed) {
    parameters.automatic.builtin_share = kUntimedBuiltinSeconds / core::Seconds(limits.time);
  }
  if (parameters.strategy != StrategyName::kAuto) {
    const auto samples =
        static_cast<size_t>(limits.samples.value_or(std::numeric_limits<int32_t>::max()));
    parameters.whole_proof.samples = parameters.rmaxts.generations = samples;
  } else if (limits.samples) {
    const double share = parameters.automatic.whole_proof_share;
    const auto samples = static_cast<size_t>(share * static_cast<double>(*limits.samples));
    parameters.whole_proof.samples = std::max<size_t>(samples, 1);
  }
  if (limits.samples && !limits.has_models) {
    const auto batch = static_cast<int64_t>(parameters.best_first.batch);
    parameters.best_first.batch =
        static_cast<size_t>(std::clamp<int64_t>(*limits.samples, 1, batch));
  }
}

bool AsksByRole(StrategyName strategy) {
  return strategy == StrategyName::kHilbert || strategy == StrategyName::kAgent ||
         strategy == StrategyName::kSketch;
}

Task<Result<Outcome>> Prove(lean::Checker& checker, Agents agents, const strategy::Problem& problem,
                            const StrategyParameters& parameters, core::Duration time,
                            Limits limits) {
  if (auto can = CanRun(parameters, agents); !can) co_return Fail(can.error());
  const Environment environment = EnvironmentOf(checker, agents, parameters.all);
  switch (parameters.strategy) {
    case StrategyName::kWholeProof:
      co_return co_await strategy::WholeProof(environment, problem, parameters.whole_proof,
                                              std::move(limits));
    case StrategyName::kRmaxts:
      co_return co_await strategy::Rmaxts(environment, problem, parameters.rmaxts,
                                          std::move(limits));
    case StrategyName::kSgMdp:
      co_return co_await strategy::SgMdp(environment, problem, parameters.sg_mdp,
                                         std::move(limits));
    case StrategyName::kBestFirst:
      co_return co_await strategy::BestFirst(environment, problem, parameters.best_first,
                                             std::move(limits));
    case StrategyName::kHilbert:
      co_return co_await ProveByHilbert(checker, agents, problem, parameters, std::move(limits));
    case StrategyName::kAgent:
      co_return co_await strategy::Agent(environment, problem, parameters.agent, std::move(limits));
    case StrategyName::kSketch:
      co_return co_await ProveBySketch(environment, agents, problem, parameters, std::move(limits));
    case StrategyName::kAuto:
      break;
  }
  co_return co_await ProveByAuto(checker, agents, problem, parameters, time, std::move(limits));
}

}  // namespace zermelo::engine
