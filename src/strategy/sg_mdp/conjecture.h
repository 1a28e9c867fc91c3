// Conjectures: `have` tactics as goals of their own (Bourbaki, arXiv 2507.02726, section 3.1).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strategy/proof_layout.h"

namespace zermelo::strategy {

/// `have h : p := proof`, or without a proof.
struct Conjecture {
  std::string name;  // "this" when it has none
  std::string head;  // "have h : p"
  bool has_proof = false;

  /// The tactic that makes its statement the first goal, before the goal that may then use it.
  std::string Push() const { return head + " := ?_"; }
};

/// Nothing when the tactic is not a `have` that says its statement.
std::optional<Conjecture> ReadConjecture(std::string_view tactic);

/// Whether a tactic answers with a suggestion: `exact?`, `simp?`.
bool IsHeuristic(std::string_view tactic);

/// The steps without the conjecture at `index` and its proof.
std::vector<ProofStep> Without(const std::vector<ProofStep>& steps, size_t index);

/// Whether a name is said in the steps from `begin` on.
bool Mentions(const std::vector<ProofStep>& steps, size_t begin, std::string_view name);

}  // namespace zermelo::strategy
