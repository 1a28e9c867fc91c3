// Conjectures: statements of tactics as separate goals (Bourbaki, arXiv 2507.02726, section 3.1).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strategy/proof/proof_layout.h"

namespace zermelo::strategy {

/// A tactic that states something to prove on the way to the goal.
struct Conjecture {
  enum class Kind {
    kHave,      // `have h : p := proof`, or `have h : p`
    kSuffices,  // `suffices h : p from proof`, `… by tactics`, or `suffices h : p`: the proof is
                // that of the goal, not of p
    kObtain,    // `obtain ⟨x, h⟩ : p := proof`, or `obtain ⟨x, h⟩ : p`
  };
  Kind kind = Kind::kHave;
  std::vector<std::string> names;  // that it puts into the context; "this" if a `have` has none
  std::string head;                // "have h : p"
  bool has_proof = false;

  /// The tactic that makes the statement the first goal, followed by the old goal, which may use
  /// it.
  std::string Push() const;
};

/// Returns nullopt if the tactic is not one of these with an explicit statement.
std::optional<Conjecture> ReadConjecture(std::string_view tactic);

/// The steps without the conjecture at `index` and its proof.
std::vector<ProofStep> Without(const std::vector<ProofStep>& steps, size_t index);

/// Whether the steps from `begin` on mention one of the names.
bool Mentions(const std::vector<ProofStep>& steps, size_t begin,
              const std::vector<std::string>& names);

}  // namespace zermelo::strategy
