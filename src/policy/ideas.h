// The heuristics of the built-in policy: each reads a goal and adds its candidates. builtin.cc puts
// them together. Costs are comparable between heuristics (builtin.h describes the scale).
#pragma once

#include <string>
#include <vector>

#include "policy/policy.h"
#include "policy/view.h"

namespace zermelo::policy {

struct IdeaInput {
  const StepContext& context;
  const syntax::Goal& goal;
  const View& view;
};

using Candidates = std::vector<Candidate>;

/// Single calls of decision procedures and automation (builtin_closing.cc).
void ProposeClosing(const IdeaInput& input, Candidates* out);
/// The tactics that only Mathlib has.
void ProposeMathlib(const IdeaInput& input, Candidates* out);
/// Functions and types of the user's file: unfolding and functional induction (builtin_local.cc).
void ProposeLocalDefinitions(const IdeaInput& input, Candidates* out);
/// Taking hypotheses and the target apart (builtin_cases.cc).
void ProposeCases(const IdeaInput& input, Candidates* out);
/// Structural, two-step and strong induction on natural numbers (builtin_induction.cc).
void ProposeInduction(const IdeaInput& input, Candidates* out);
/// Theorems of the library that the index found for the goal (builtin_premises.cc).
void ProposePremises(const IdeaInput& input, Candidates* out);
/// Rewriting with theorems and hypotheses that match a part of the goal (builtin_rewriting.cc).
void ProposeRewriting(const IdeaInput& input, Candidates* out);
/// Instances of universal hypotheses (builtin_instances.cc).
void ProposeInstances(const IdeaInput& input, Candidates* out);
/// Witnesses for ∃ (builtin_witness.cc).
void ProposeWitnesses(const IdeaInput& input, Candidates* out);
/// Bounded enumeration: all values of bounded integers (builtin_bash.cc).
void ProposeBash(const IdeaInput& input, Candidates* out);
/// Residues of variables (builtin_residues.cc) and of powers with a variable exponent
/// (builtin_powers.cc).
void ProposeResidues(const IdeaInput& input, Candidates* out);
void ProposePowers(const IdeaInput& input, Candidates* out);
/// Residues of powers of variables, one power at a time (builtin_power_residues.cc).
void ProposePowerResidues(const IdeaInput& input, Candidates* out);
/// Products and squares as hints to linear arithmetic, rational casts (builtin_arith.cc).
void ProposeArithmetic(const IdeaInput& input, Candidates* out);
/// Divisibility by polynomials, gcd of linear terms (builtin_divisors.cc).
void ProposeDivisors(const IdeaInput& input, Candidates* out);
/// Recursively defined sequences: values, periods (builtin_sequences.cc).
void ProposeSequences(const IdeaInput& input, Candidates* out);

}  // namespace zermelo::policy
