// The states that a search of tactics has reached, and the tactics that lead there.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "lean/probe.h"
#include "policy/policy.h"
#include "strategy/proof_layout.h"
#include "strategy/strategy.h"

namespace zermelo::strategy {

using StateId = uint32_t;

/// What a candidate makes of a state.
struct Successor {
  ProofStep step;
  std::vector<std::string> goals;
};

/// What Lean said of `candidate` on the first of `goals`; nothing when it refused it. What `exact?`
/// and its like found takes the place of the search for it.
std::optional<Successor> Apply(const std::vector<std::string>& goals,
                               const policy::Candidate& candidate, const lean::Attempt& attempt);

/// Whether a goal says `?x`: a probe must not duplicate those.
bool HasMetavariable(const std::string& goal);

/// A tree of states; texts are stored once. Nothing blocks; the same calls give the same tree.
class StepStates {
 public:
  explicit StepStates(const std::vector<std::string>& goals);

  /// The state is not looked for among the others: that is what Find is for.
  StateId Add(StateId parent, const ProofStep& step, const std::string& origin,
              const std::vector<std::string>& goals);
  /// The first state with these goals but for their `case` lines.
  std::optional<StateId> Find(const std::vector<std::string>& goals) const;
  /// Whether the goals after the first k of a state, for some k > 0, are a state of their own:
  /// whatever is done about the first k there is not needed.
  bool HasKnownRest(StateId state) const;

  std::vector<std::string> Goals(StateId state) const;
  size_t goal_count(StateId state) const { return states_[state].goals.size(); }
  /// From the root on.
  std::vector<ProofStep> Steps(StateId state) const;
  std::vector<std::string> Origins(StateId state) const;
  StateId parent(StateId state) const { return states_[state].parent; }
  size_t depth(StateId state) const { return states_[state].depth; }
  size_t size() const { return states_.size(); }

  /// `problem` as a policy is told of it in this state.
  policy::StepContext ContextOf(const Problem& problem, StateId state) const;

 private:
  using TextId = uint32_t;
  struct State {
    StateId parent = 0;
    TextId tactic = 0;
    TextId origin = 0;
    uint32_t goals_left = 0;
    uint32_t depth = 0;
    std::vector<TextId> goals;
  };

  TextId Intern(const std::string& text);
  std::vector<TextId> KeyOf(const std::vector<TextId>& goals) const;

  std::unordered_map<std::string, TextId> text_ids_;
  std::vector<const std::string*> texts_;
  std::vector<TextId> without_case_;  // of a text: the same without its first line "case …"
  std::vector<State> states_;
  std::map<std::vector<TextId>, StateId> first_with_;  // by goals without their cases
};

}  // namespace zermelo::strategy
