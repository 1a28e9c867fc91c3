// The lemmas that Lean has accepted in a run, which need not be proved again (Seed-Prover 1.5,
// arXiv 2512.17260, section 3.1).
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace zermelo::strategy {

/// A declaration that Lean accepted after the file's header and all earlier lemmas.
struct ProvedLemma {
  std::string name;       // as declared
  std::string statement;  // StatementKey
  std::string text;       // the whole declaration
  std::string by;         // its origin, such as "2.0": trajectory 2, round 0
};

/// Equal for declarations with the same kind and signature, token by token; ignores the name.
std::string StatementKey(std::string_view keyword, std::string_view signature);

/// Whether a word of the code has the last component of `name` as one of its components.
bool Mentions(std::string_view code, std::string_view name);

/// Lemmas in the order in which they were accepted; each needs only earlier ones. One thread.
class LemmaMemory {
 public:
  /// Returns false and adds nothing if a lemma has this name.
  bool Add(ProvedLemma lemma);
  /// Reserves a name: new declarations may not use it.
  void Reserve(std::string name) { reserved_.insert(std::move(name)); }
  bool IsReserved(const std::string& name) const { return reserved_.contains(name); }

  const std::vector<ProvedLemma>& all() const { return lemmas_; }
  const ProvedLemma* FindName(std::string_view name) const;
  const ProvedLemma* FindStatement(std::string_view statement) const;

  /// All lemmas as Lean text, a blank line after each.
  std::string Text() const;
  std::vector<std::string> Texts() const;
  /// The lemmas that the code mentions and, transitively, those that they mention, as in Text().
  std::string TextFor(std::string_view code) const;
  /// The statements for prompts, such as `theorem foo (x : A) : P`, one after the other.
  std::string Statements() const;

 private:
  std::vector<ProvedLemma> lemmas_;
  std::set<std::string> reserved_;
};

}  // namespace zermelo::strategy
