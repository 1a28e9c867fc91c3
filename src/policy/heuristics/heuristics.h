// The heuristics of the built-in policy: each reads a goal and adds its candidates. builtin.cc puts
// them together. Costs are comparable between heuristics (builtin.h describes the scale).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/arith/arithmetic_goal.h"
#include "policy/heuristics/file_facts.h"
#include "policy/policy.h"

namespace zermelo::policy {

struct HeuristicInput {
  const StepContext& context;
  const syntax::Goal& goal;
  const ArithmeticGoal& arith;
  const FileFacts& file;
};

using Candidates = std::vector<Candidate>;

/// One tactic that tries a pattern with each name in turn (premises.cc): most fail at once, and a
/// check for each would cost more.
std::string FirstOf(std::span<const std::string> names, std::string_view pattern);
/// Text for a pattern, in which braces stand for themselves.
std::string InPattern(std::string text);
/// Patterns: a theorem as the last step. Hypotheses fill in first what the theorem leaves open.
inline constexpr std::string_view kApplyAndClose =
    "(apply {} <;> (try assumption) <;> first | omega | grind)";
inline constexpr std::string_view kRewriteAndClose = "(rw [{}] <;> (try assumption) <;> omega)";
inline constexpr std::string_view kRewriteBackAndClose =
    "(rw [← {}] <;> (try assumption) <;> omega)";

/// Single calls of decision procedures and automation (closing.cc).
void ProposeClosing(const HeuristicInput& input, Candidates* out);
/// The tactics that only Mathlib has.
void ProposeMathlib(const HeuristicInput& input, Candidates* out);
/// Functions, types and theorems of the user's file: unfolding, structural and functional induction
/// (local.cc).
void ProposeLocal(const HeuristicInput& input, Candidates* out);
/// Classes of quotients: what represents them, and whether two are equal (quotients.cc).
void ProposeQuotients(const HeuristicInput& input, Candidates* out);
/// Programs in do-notation (monads.cc).
void ProposeMonads(const HeuristicInput& input, Candidates* out);
/// Inductive predicates of the user's file: rules, inversion, rule induction (predicates.cc).
void ProposePredicates(const HeuristicInput& input, Candidates* out);
/// Hypotheses about predicates and structures of the library: cases, induction on their rules or
/// along them (library_predicates.cc).
void ProposeLibraryPredicates(const HeuristicInput& input, Candidates* out);
/// Definitions of the library that the goal names: unfolding, cases, induction
/// (library_definitions.cc).
void ProposeLibraryDefinitions(const HeuristicInput& input, Candidates* out);
/// Functions that start from a point that the statement fixes (starting_points.cc).
void ProposeStartingPoints(const HeuristicInput& input, Candidates* out);
/// Recursive calls that become variables after an induction (generalized_calls.cc).
void ProposeGeneralizedCalls(const HeuristicInput& input, Candidates* out);
/// Candidates that are too unlikely for a first attempt; proposed only with an effort (wider.cc).
void ProposeWider(const HeuristicInput& input, Candidates* out);
/// Taking hypotheses and the target apart (cases.cc).
void ProposeCases(const HeuristicInput& input, Candidates* out);
/// Structural, two-step and strong induction on natural numbers (induction.cc).
void ProposeInduction(const HeuristicInput& input, Candidates* out);
/// Theorems of the library that the index found for the goal (premises.cc).
void ProposePremises(const HeuristicInput& input, Candidates* out);
/// Theorems of the same name in other namespaces, such as those of the type that this one wraps
/// (premises.cc).
void ProposeNamesakes(const HeuristicInput& input, Candidates* out);
/// Tactics that proved similar goals, with the names of this one (learned.cc). Call it last: those
/// in `out` do not count among the few, but may become cheaper.
void ProposeLearned(const HeuristicInput& input, Candidates* out);
/// Laws of algebraic structures, instantiated at the goal's terms (laws.cc).
void ProposeLaws(const HeuristicInput& input, Candidates* out);
/// Diagonals, infinite descent, least elements, the pigeonhole principle (classical.cc).
void ProposeClassical(const HeuristicInput& input, Candidates* out);
/// Rewriting with theorems and hypotheses that match a part of the goal (rewriting.cc).
void ProposeRewriting(const HeuristicInput& input, Candidates* out);
/// Instances of universal hypotheses (instances.cc).
void ProposeInstances(const HeuristicInput& input, Candidates* out);
/// Infinite descent on homogeneous equations (descent.cc).
void ProposeDescent(const HeuristicInput& input, Candidates* out);
/// Witnesses for ∃ (witness.cc).
void ProposeWitnesses(const HeuristicInput& input, Candidates* out);
/// Bounded enumeration: all values of bounded integers (bounded_enumeration.cc).
void ProposeEnumeration(const HeuristicInput& input, Candidates* out);
/// Residues of variables (residues.cc) and of powers with a variable exponent
/// (powers.cc).
void ProposeResidues(const HeuristicInput& input, Candidates* out);
void ProposePowers(const HeuristicInput& input, Candidates* out);
/// Residues of powers of variables, one power at a time (power_residues.cc).
void ProposePowerResidues(const HeuristicInput& input, Candidates* out);
/// Products and squares as hints to linear arithmetic, rational casts (arith.cc).
void ProposeArithmetic(const HeuristicInput& input, Candidates* out);
/// Inequalities with powers, by induction on the exponent (power_inequalities.cc).
void ProposePowerInequalities(const HeuristicInput& input, Candidates* out);
/// Divisibility by polynomials, gcd of linear terms (divisors.cc).
void ProposeDivisors(const HeuristicInput& input, Candidates* out);
/// Equations that factor: the factors are divisors of a number (factors.cc).
void ProposeFactors(const ArithmeticGoal& arith, Candidates* out);
/// Recursively defined sequences: values, periods (sequences.cc).
void ProposeSequences(const HeuristicInput& input, Candidates* out);
/// Folds over lists and ranges: how they depend on what they begin with (folds.cc).
void ProposeFolds(const HeuristicInput& input, Candidates* out);

}  // namespace zermelo::policy
