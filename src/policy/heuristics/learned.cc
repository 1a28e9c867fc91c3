// Tactics that proved similar goals.
#include <algorithm>
#include <set>

#include "learn/pattern.h"
#include "policy/heuristics/heuristics.h"

namespace zermelo::policy {
namespace {

constexpr size_t kLearnedTactics = 8;
constexpr double kClosing = 0.3;  // cost for an equal goal, and more for each step away from it
constexpr double kStep = 0.9;
constexpr double kDissimilar = 1.6;
constexpr double kLater = 0.05;

}  // namespace

void ProposeLearned(const HeuristicInput& input, Candidates* out) {
  if (input.context.learned.empty()) return;
  std::set<std::string> known;
  for (const Candidate& candidate : *out) known.insert(candidate.tactic);
  const auto types = learn::FeaturesOfTypes(input.goal);
  size_t added = 0;
  for (const learn::Suggestion& suggestion : input.context.learned) {
    if (added == kLearnedTactics << input.context.effort) break;
    auto tactic = learn::Fit(suggestion.tactic, input.goal, types);
    if (!tactic) continue;
    const double distance = 1 - std::min(suggestion.similarity, 1.0);
    const double cost = (suggestion.closes ? kClosing : kStep) + kDissimilar * distance +
                        kLater * static_cast<double>(added);
    if (known.insert(*tactic).second) ++added;
    out->push_back({*std::move(tactic), cost, suggestion.closes, "learned"});
  }
}

}  // namespace zermelo::policy
