// What the built-in policy proposes, for tests.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "policy/builtin.h"

namespace zermelo::policy::testing {

inline std::vector<Candidate> Propose(const std::string& state, StepContext context = {}) {
  context.state = syntax::ParseProofState(state);
  return MakeBuiltinPolicy()->Propose(context, 200);
}

inline std::shared_ptr<const std::vector<syntax::FileConstant>> FileOf(const std::string& text) {
  return std::make_shared<const std::vector<syntax::FileConstant>>(
      syntax::ConstantsOf(syntax::File(text)));
}

/// The context of a goal below this text in its file.
inline StepContext Below(const std::string& text) {
  StepContext context;
  context.file = FileOf(text);
  return context;
}

/// The first candidate with this origin; empty: there is none.
inline std::string From(const std::vector<Candidate>& candidates, const std::string& origin) {
  for (const Candidate& candidate : candidates) {
    if (candidate.origin == origin) return candidate.tactic;
  }
  return "";
}

inline bool Has(const std::vector<Candidate>& candidates, const std::string& tactic) {
  return std::any_of(candidates.begin(), candidates.end(),
                     [&](const Candidate& candidate) { return candidate.tactic == tactic; });
}

inline learn::Suggestion Learned(const std::string& goal, const std::string& tactic,
                                 double similarity) {
  return {learn::Generalise(tactic, syntax::ParseProofState(goal).goals.front()), false, similarity,
          "t"};
}

/// All candidates with this origin, one after another.
inline std::string AllFrom(const std::string& state, const std::string& origin) {
  std::string all;
  for (const Candidate& candidate : Propose(state)) {
    if (candidate.origin == origin) all += candidate.tactic + "\n";
  }
  return all;
}

}  // namespace zermelo::policy::testing
