// Subgoals as separate theorems: their text, their names, and the proved ones.
//
// Pure functions apart from the two collections; nothing blocks.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "strategy/strategy.h"
#include "syntax/proof/proof_site.h"

namespace zermelo::strategy {

/// A theorem without its proof. The statement is the text after the name: "(n : Nat) : n = n".
struct Statement {
  std::string name;
  std::string statement;
  /// "theorem NAME STATEMENT := by\n  sorry\n"
  std::string Stub() const;
  bool operator==(const Statement&) const = default;
};

syntax::Proof MakeProof(std::string tactics, std::string auxiliary = "");

/// A proved subgoal.
struct Lemma {
  Statement theorem;
  syntax::Proof proof;                             // its own; the lemmas in `uses` must precede it
  std::vector<std::shared_ptr<const Lemma>> uses;  // lemmas that its proof applies
};
using LemmaPointer = std::shared_ptr<const Lemma>;

/// The lemmas with their proofs, each once and after the lemmas that it uses.
std::vector<std::string> TextsOf(const std::vector<LemmaPointer>& lemmas);
/// The text that must precede a theorem whose proof uses these lemmas (section 3.2.2, step 4:
/// "stitching").
std::string Stitch(const std::vector<LemmaPointer>& lemmas);

/// Generates unique names: "t_h1" for the subgoal h1 of a theorem t, then "t_h1_2".
class LemmaNames {
 public:
  /// `taken`: last components of the names in the file.
  explicit LemmaNames(const std::vector<std::string>& taken) : taken_(taken.begin(), taken.end()) {}
  std::string Take(std::string_view theorem, std::string_view subgoal);

 private:
  std::set<std::string, std::less<>> taken_;
};

/// Proved subgoals by statement, kept across sketches and attempts.
class ProvedLemmas {
 public:
  /// Null: not proved yet.
  LemmaPointer Find(std::string_view statement) const;
  void Add(LemmaPointer lemma);
  const std::vector<LemmaPointer>& all() const { return all_; }  // in the order of their proofs

 private:
  std::map<std::string, LemmaPointer> by_key_;
  std::vector<LemmaPointer> all_;
};

/// `statement` as a problem in the place of `theorem` in the same file, without goals. Returns
/// nullopt if the text is not a single theorem with one hole.
std::optional<Problem> ProblemOf(const Problem& theorem, const Statement& statement);
/// The negation of `statement` as a problem; otherwise as ProblemOf.
std::optional<Problem> NegationOf(const Problem& theorem, const Statement& statement);

}  // namespace zermelo::strategy
