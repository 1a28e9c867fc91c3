// Conjectures: `have` tactics as separate goals (Bourbaki, arXiv 2507.02726, section 3.1).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strategy/proof_layout.h"

namespace zermelo::strategy {

/// `have h : p := proof`, or `have h : p` without a proof.
struct Conjecture {
  std::string name;  // "this" if it has none
  std::string head;  // "have h : p"
  bool has_proof = false;

  /// The tactic that makes the statement the first goal, followed by the old goal, which may use
  /// it.
  std::string Push() const { return head + " := ?_"; }
};

/// Returns nullopt if the tactic is not a `have` with an explicit statement.
std::optional<Conjecture> ReadConjecture(std::string_view tactic);

/// Whether a tactic produces a suggestion: `exact?`, `simp?`.
bool IsHeuristic(std::string_view tactic);

/// The steps without the conjecture at `index` and its proof.
std::vector<ProofStep> Without(const std::vector<ProofStep>& steps, size_t index);

/// Whether the steps from `begin` on mention a name.
bool Mentions(const std::vector<ProofStep>& steps, size_t begin, std::string_view name);

}  // namespace zermelo::strategy
