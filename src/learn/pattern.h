// Tactics without the names of hypotheses, and their way back to the hypotheses of another goal.
//
// Pure functions; any text is accepted.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "learn/features.h"
#include "syntax/goal/goal.h"

namespace zermelo::learn {

/// A tactic in which `§0§`, `§1§`, … stand for hypotheses.
struct Pattern {
  struct Hole {
    std::string name;           // of the hypothesis where it was learned
    std::vector<Feature> type;  // of its type
    NLOHMANN_DEFINE_TYPE_INTRUSIVE(Hole, name, type)
    bool operator==(const Hole&) const = default;
  };
  std::string text;
  std::vector<Hole> holes;
  NLOHMANN_DEFINE_TYPE_INTRUSIVE(Pattern, text, holes)
  bool operator==(const Pattern&) const = default;
};

/// The tactic as it ran on a goal. A `rename_i` at its beginning is removed: its names stand for
/// the inaccessible hypotheses that it named.
Pattern Generalise(std::string_view tactic, const syntax::Goal& goal);

/// The tactic for another goal: each hole becomes the hypothesis whose type fits best, each
/// hypothesis at most once. A hole that none fits is left out of a list (`simp [h, foo]`, `at h
/// h'`). nullopt if it stands elsewhere, or if it was all that its list had and the tactic needs
/// one. Every name of the goal must be accessible. `types`: FeaturesOfTypes(goal).
std::optional<std::string> Fit(const Pattern& pattern, const syntax::Goal& goal,
                               const std::vector<std::vector<Feature>>& types);

/// The constants that a tactic names, as far as their spelling shows them: dotted names that begin
/// with a capital letter and no hypothesis.
std::vector<std::string> PremisesIn(std::string_view tactic);

}  // namespace zermelo::learn
