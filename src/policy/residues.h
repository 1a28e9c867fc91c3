// Remainders of the variables of a goal, and how Lean is made to go through them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "policy/view.h"

namespace zermelo::policy {

/// Those of 0 … m - 1 that the facts about this variable alone (x % 4 = 1, ¬3 ∣ x) leave.
std::vector<int64_t> PossibleResidues(const std::string& variable, int64_t m, const View& view);

/// The variables whose residues decide a term; empty if one of them is an exponent.
std::vector<std::string> ResidueVariables(const Term& term, const View& view);

/// Whether a term has operations that do not respect residues: / and %, subtraction of Nat.
bool IsPartial(const Term& term, Domain domain);

/// base ^ exponent modulo m, exponent at least 0.
int64_t PowerModulo(int64_t base, int64_t exponent, int64_t m);

/// An equation that a residue may refute: the target's negation, or a fact. `intro` is the tactic
/// after which `proof` proves it and False is left to prove.
struct Refutable {
  Term equation;
  std::string intro;
  std::string proof;
};
std::vector<Refutable> RefutableEquations(const View& view);

/// The variable, cast where it is a Nat among Ints.
std::string InDomain(const std::string& variable, Domain domain, const View& view);

/// Tactics that leave one goal for each choice of residues modulo m.
struct ResidueSplit {
  std::string text;  // `have hx : x % 4 = 0 ∨ … := by omega`, then `rcases … <;>`
  std::vector<std::string> facts;  // names of what each goal knows: x % 4 = r
  double cases = 1;
};
ResidueSplit SplitResidues(const std::vector<std::string>& variables, int64_t m, Domain domain,
                           const View& view);

/// For simp, to compute a polynomial's residue with such facts.
std::string ResidueLemmas(Domain domain, const std::vector<std::string>& facts);

}  // namespace zermelo::policy
