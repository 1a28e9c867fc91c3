// The tactic states that a search has reached, and the tactics that lead to them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "lean/probe.h"
#include "policy/policy.h"
#include "strategy/limits.h"
#include "strategy/proof/proof_layout.h"
#include "strategy/strategy.h"

namespace zermelo::strategy {

using StateId = uint32_t;

/// Whether a tactic as a whole asks Lean for another one in its place: `exact?`, `simp? [h]`.
/// Within a combinator (`all_goals exact?`) such a tactic stays in the proof: it may have a
/// suggestion for each goal, and Lean says of some (`simp? [h]`) only where the word is that they
/// replace.
bool IsHeuristic(std::string_view tactic);

/// The result of a candidate in a state.
struct Successor {
  ProofStep step;
  std::vector<std::string> goals;
};

/// The successor of `goals` by `candidate`, given Lean's `attempt` on the first goal; nullopt if
/// Lean rejected it. A suggestion (of `exact?`, for example) replaces the tactic that produced it,
/// or its last line, if that IsHeuristic.
std::optional<Successor> Apply(const std::vector<std::string>& goals,
                               const policy::Candidate& candidate,
                               const lean::ProbeResult& attempt);

/// Which of the goals `before` a tactic on the first of them are among those `after` it, where
/// metavariables may have become terms. Not those that it closed by unification; the first counts
/// as closed.
std::vector<bool> LaterGoalsLeft(const std::vector<std::string>& before,
                                 const std::vector<std::string>& after);

/// A tree of states; each text is stored once. States that differ only in their `case` lines and in
/// the names of hypotheses are equal. Nothing blocks; the same calls give the same tree.
class StepStates {
 public:
  explicit StepStates(const std::vector<std::string>& goals);

  /// Adds a state, even if an equal one exists (see Find).
  StateId Add(StateId parent, const ProofStep& step, const std::string& origin,
              const std::vector<std::string>& goals);
  /// The first state that is equal to one with these goals.
  std::optional<StateId> Find(const std::vector<std::string>& goals) const;
  /// Whether the goals after the first k of a state, for some k > 0, are a known state: then there
  /// is no need to prove the first k goals here.
  bool HasKnownRest(StateId state) const;

  std::vector<std::string> Goals(StateId state) const;
  /// From the root to the state.
  std::vector<ProofStep> Steps(StateId state) const;
  std::vector<std::string> Origins(StateId state) const;
  /// The same steps, and `last` from `origin` in the state, with the goals that they ran on.
  std::vector<ProofMove> MovesTo(StateId state, const ProofStep& last,
                                 const std::string& origin) const;
  StateId parent(StateId state) const { return states_[state].parent; }
  size_t depth(StateId state) const { return states_[state].depth; }
  size_t size() const { return states_.size(); }

  /// The context for a policy of `problem` in this state.
  policy::StepContext ContextOf(const Problem& problem, StateId state) const;

 private:
  using TextId = uint32_t;
  using Key = uint64_t;  // equal for equal goals
  struct State {
    StateId parent = 0;
    TextId tactic = 0;
    TextId origin = 0;
    uint32_t goals_left = 0;
    uint32_t depth = 0;
    std::vector<TextId> goals;
  };

  TextId Intern(const std::string& text);
  TextId InternGoal(const std::string& goal);
  std::vector<Key> KeysOf(const std::vector<TextId>& goals) const;

  std::unordered_map<std::string, TextId> text_ids_;
  std::vector<const std::string*> texts_;
  std::unordered_map<TextId, Key> keys_;  // of the goals
  std::vector<State> states_;
  std::map<std::vector<Key>, StateId> first_with_;  // by the keys of its goals
};

/// With --record-tactics, records the results of the tactics that were tried in a state.
void RecordTrials(const Limits& limits, const StepStates& states, StateId state,
                  const std::vector<policy::Candidate>& tactics,
                  const std::vector<lean::ProbeResult>& attempts);

}  // namespace zermelo::strategy
