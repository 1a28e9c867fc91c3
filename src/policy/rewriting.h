// Rewriting rules, from equations and equivalences of the library and of hypotheses, and the places
// of a goal where a rule applies.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "policy/arith/arithmetic_goal.h"
#include "policy/arith/term.h"

namespace zermelo::policy {

struct Rule {
  std::string proof;                // "Int.sub_mul", "h₀"
  std::vector<Variable> variables;  // those that a match binds
  TermPtr left, right;              // the sides of = or ↔
  size_t conditions = 0;            // premises to be proved where it is used
};

/// Reads a theorem with its signature from the index: "(n : Nat) : n + 0 = n". A name of one letter
/// without a binder is a variable, too, because source text may declare it with `variable`. Nothing
/// if the statement is not an equation or an equivalence.
std::optional<Rule> ReadRule(std::string_view name, std::string_view signature);
/// The same for a hypothesis.
std::optional<Rule> RuleOf(const Fact& fact);

struct Rewriting {
  std::string rule;   // as `rw` takes it: "Int.sub_mul", "← Int.sub_mul"
  std::string place;  // the hypothesis; empty: the target
  /// The number of constants and operators that match, less half the number of conditions and of
  /// constants and operators that are new to the goal.
  double merit = 0;
};

/// The parts of a goal, indexed by their heads, for matching many rules: its first 32 facts and the
/// target. Building it takes linear memory and time.
class RewritingPlaces {
 public:
  /// `arith` must outlive it.
  explicit RewritingPlaces(const ArithmeticGoal& arith);
  /// The ways in which `rw` could use the rule: one for each place and direction, the target first.
  /// Leaves out what matches nearly everywhere (a + b, a = b, 0 ≤ a), only reorders the parts of a
  /// term, or leaves a variable unbound. Types of numbers are compared, other types are left to
  /// Lean.
  std::vector<Rewriting> By(const Rule& rule) const;

 private:
  struct Place {
    std::string hypothesis;  // empty: the target
    /// By head; none inside binders.
    std::map<std::string, std::vector<const Term*>, std::less<>> parts;
  };
  void Add(const std::string& hypothesis, const TermPtr& prop);
  static void AddParts(const Term& term, Place* place);
  size_t HeaviestMatch(const Rule& rule, const Term& from, const Term& to,
                       const Place& place) const;
  double Merit(size_t weight, const Rule& rule, const Term& to) const;

  const ArithmeticGoal& goal_;
  std::vector<Place> places_;
  std::set<std::string, std::less<>> heads_;  // of all parts
};

}  // namespace zermelo::policy
