// Equations and equivalences as rewriting rules, of the library and of hypotheses, and the places
// of a goal where one applies.
#pragma once

#include <map>
#include <optional>
#include <set>
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

/// A theorem with its signature as the index has it: "(n : Nat) : n + 0 = n". A name of one letter
/// that no binder has, as in source text after `variable`, is a variable, too. Nothing when it says
/// something else than an equation.
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

/// A goal prepared for many rules: its first 32 facts and the target, each part of them found by
/// its head. Memory and time to build are linear in them.
class RewritingPlaces {
 public:
  /// `view` must outlive it.
  explicit RewritingPlaces(const View& view);
  /// How `rw` could use the rule: one for each place and direction, the target first. Left out is
  /// what fits nearly everywhere (a + b, a = b, 0 ≤ a), would only reorder the parts of a term, or
  /// leaves a variable unknown. Types of numbers are compared, others not: Lean decides.
  std::vector<Rewriting> By(const Rule& rule) const;

 private:
  struct Place {
    std::string hypothesis;                                              // empty: the target
    std::map<std::string, std::vector<const Term*>, std::less<>> parts;  // by head; none in binders
  };
  void Add(const std::string& hypothesis, const TermPtr& prop);
  static void AddParts(const Term& term, Place* place);
  size_t HeaviestMatch(const Rule& rule, const Term& from, const Term& to,
                       const Place& place) const;
  double Merit(size_t weight, const Rule& rule, const Term& to) const;

  const View& view_;
  std::vector<Place> places_;
  std::set<std::string, std::less<>> heads_;  // of all of them
};

}  // namespace zermelo::policy
