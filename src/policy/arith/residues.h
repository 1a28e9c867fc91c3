// Residues of the variables of a goal, and tactics that split a goal by them.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "policy/arith/arithmetic_goal.h"

namespace zermelo::policy {

/// The residues in 0 … m - 1 that are consistent with the facts about this variable alone (x % 4 =
/// 1, ¬3 ∣ x).
std::vector<int64_t> PossibleResidues(const std::string& variable, int64_t m,
                                      const ArithmeticGoal& arith);

/// The variables whose residues determine a term; empty if an exponent is not a number or a
/// function is applied.
std::vector<std::string> ResidueVariables(const Term& term, const ArithmeticGoal& arith);

/// Whether a term has operations that do not respect residues: / and %, and subtraction of Nat.
bool IsPartial(const Term& term, Domain domain);

/// The numerals m in `_ % m` and `m ∣ _`, from 2 to `most`.
std::set<int64_t> Moduli(const Term& term, int64_t most);

/// base ^ exponent modulo m, for an exponent of at least 0.
int64_t PowerModulo(int64_t base, int64_t exponent, int64_t m);

/// An equation that a residue may refute: the target's negation, or a fact. After the tactic
/// `intro`, `proof` proves the equation and the goal is False.
struct Refutable {
  Term equation;
  std::string intro;
  std::string proof;
};
std::vector<Refutable> RefutableEquations(const ArithmeticGoal& arith);

/// The variable, with a cast if it is a Nat in a term of Int.
std::string InDomain(const std::string& variable, Domain domain, const ArithmeticGoal& arith);

/// Tactics that leave one goal for each choice of residues modulo m.
struct ResidueSplit {
  std::string text;  // `have hx : x % 4 = 0 ∨ … := by omega`, then `rcases … <;>`
  std::vector<std::string> facts;  // names of the facts of each goal: x % 4 = r
  double cases = 1;
};
ResidueSplit SplitResidues(const std::vector<std::string>& variables, int64_t m, Domain domain,
                           const ArithmeticGoal& arith);

/// Lemmas for simp that compute a polynomial's residue from such facts.
std::string ResidueLemmas(Domain domain, const std::vector<std::string>& facts);

}  // namespace zermelo::policy
