// Subgoals as separate theorems. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strategy/lemma_store.h"
#include "strategy/strategy.h"
#include "syntax/proof/proof_site.h"

namespace zermelo::strategy {

/// A theorem without its proof.
struct Statement {
  std::string name;
  std::string signature;  // the text after the name: "(n : Nat) : n = n"
  /// "theorem NAME STATEMENT := by\n  sorry\n"
  std::string Stub() const;
  std::string Head() const { return "theorem " + name + " " + signature; }
  std::string Key() const { return DeclarationKey("theorem", signature); }
  bool operator==(const Statement&) const = default;
};

syntax::Proof MakeProof(std::string tactics, std::string auxiliary = "");

/// The theorem with its proof. `uses`, `by`: as in ProvedLemma.
ProvedLemma LemmaOf(const Statement& theorem, const syntax::Proof& proof,
                    std::vector<std::string> uses = {}, std::string by = {});

/// The name of the lemma for a subgoal: "t_h1" for the subgoal h1 of a theorem t.
std::string LemmaName(std::string_view theorem, std::string_view subgoal);

/// `statement` as a problem in the place of `theorem` in the same file, without goals. Returns
/// nullopt if the text is not a single theorem with one hole.
std::optional<Problem> ProblemOf(const Problem& theorem, const Statement& statement);
/// The negation of `statement` as a problem; otherwise as ProblemOf.
std::optional<Problem> NegationOf(const Problem& theorem, const Statement& statement);

}  // namespace zermelo::strategy
