// Self-generated goal-conditioned MCTS (Bourbaki, arXiv 2507.02726, section 3).
#pragma once

#include <nlohmann/json.hpp>

#include "strategy/strategy.h"

namespace zermelo::strategy {

/// How to handle a tactic that produces a suggestion (`exact?`, `apply?`, `simp?`).
enum class Suggestions {
  kReplace,   // try the suggestion instead
  kComplete,  // have a model complete the proof (section 4, "Implementation")
};
NLOHMANN_JSON_SERIALIZE_ENUM(Suggestions, {{static_cast<Suggestions>(-1), nullptr},
                                           {Suggestions::kReplace, "replace"},
                                           {Suggestions::kComplete, "complete"}})

/// When two proof states count as equal, so that a tactic that reaches a known one has failed.
enum class StateIdentity {
  kGoals,    // their goals are equal, except for `case` lines
  kTactics,  // the tactics that led to them are equal (section 3.1: a state is the proof's tokens)
};
NLOHMANN_JSON_SERIALIZE_ENUM(StateIdentity, {{static_cast<StateIdentity>(-1), nullptr},
                                             {StateIdentity::kGoals, "goals"},
                                             {StateIdentity::kTactics, "tactics"}})

/// `iterations` and `trials` are those of section 4; the paper does not state the others.
/// SgMdpStrategy::Parameters (in sg_mdp.cc) says what each means.
struct SgMdpParameters {
  size_t iterations = 512;
  size_t trials = 10;
  size_t samples_per_call = 4;
  double exploration = 1;
  double depth_weight = 0.1;
  double lambda = 1;  // eq. 1
  double gamma = 1;   // eq. 1
  bool conjectures = true;
  bool prune = true;
  Suggestions suggestions = Suggestions::kReplace;
  StateIdentity states = StateIdentity::kGoals;
  bool metavariables = false;
  size_t workers = 4;
  size_t max_depth = 64;
  double seconds_per_tactic = 4;
  double check_seconds = 60;
  size_t max_goal_bytes = 20'000;
  bool operator==(const SgMdpParameters&) const = default;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SgMdpParameters, iterations, trials, samples_per_call,
                                   exploration, depth_weight, lambda, gamma, conjectures, prune,
                                   suggestions, states, metavariables, workers, max_depth,
                                   seconds_per_tactic, check_seconds, max_goal_bytes)

/// Fails with kUsage if a parameter is out of range or an enum had an unknown name in JSON.
core::Status Check(const SgMdpParameters& parameters);

/// A node is the proof so far and its goals in order, the current one first (the top of the paper's
/// stack; Lean's tactics work on it). Each iteration selects the node with the highest
/// W/N + C sqrt(ln N / N) among all nodes, tries up to N tactics on its current goal, adds the
/// first valid one that leads to a new state, and backs the new state's value up to the root. A
/// conjecture becomes the current goal; it is solved when all goals that it left are solved. A node
/// is no longer selected once it has N children or N tactics have failed in one expansion of it; a
/// model's sample that repeats another one or a tactic tried there, or that is no tactic, is one of
/// the N, but is not sent to Lean. If all proofs are wanted, a finished proof is a child with the
/// reward of the theorem. Errors: as Expander::Run. Requires `services.steps`;
/// `services.completions` for kComplete.
core::Task<core::Result<SearchResult>> SgMdp(const Services& services, const Problem& problem,
                                             const SgMdpParameters& parameters, Limits limits);

}  // namespace zermelo::strategy
