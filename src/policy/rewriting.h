// Equations and equivalences as rewriting rules, of the library and of hypotheses, and the places
// of a goal where one applies.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/term.h"
#include "policy/view.h"

namespace zermelo::policy {

struct Rule {
  std::string proof;                // "Int.sub_mul", "h₀"
  std::vector<Variable> variables;  // that a match binds
  TermPtr left, right;              // of = or ↔
  size_t conditions = 0;            // that must be proved where it is used
};

/// A theorem with its signature as the index prints it: "(n : Nat) : n + 0 = n". Nothing when it
/// says something else than an equation.
std::optional<Rule> ReadRule(std::string_view name, std::string_view signature);
/// Likewise of a hypothesis.
std::optional<Rule> RuleOf(const Fact& fact);

struct Rewriting {
  std::string rule;   // as `rw` takes it: "Int.sub_mul", "← Int.sub_mul"
  std::string place;  // the hypothesis; empty: the target
  // How much speaks for it: the constants and operators that match, less half of what is new to the
  // goal and of the conditions.
  double merit = 0;
};

/// How `rw` could use a rule on the goal: one for each place and direction, hypotheses first. Left
/// out is what fits nearly everywhere (a + b, a = b, 0 ≤ a), would only reorder the parts of a
/// term, or leaves a variable unknown. Types of numbers are compared, others not: Lean decides.
std::vector<Rewriting> RewritingsBy(const Rule& rule, const View& view);

}  // namespace zermelo::policy
