// What Lean has accepted so far beside a theorem: lemmas that need not be proved again
// (Seed-Prover 1.5, arXiv 2512.17260, section 3.1).
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace zermelo::strategy {

/// A declaration that Lean accepted after the file's header and the lemmas before it.
struct ProvedLemma {
  std::string name;       // as declared
  std::string statement;  // StatementKey
  std::string text;       // the whole declaration
  std::string by;         // who proved it: "2.0", the first round of the third trajectory
};

/// The same for declarations that say the same, token by token: kind and signature, not the name.
std::string StatementKey(std::string_view keyword, std::string_view signature);

/// Whether some word of the code is the name, or a part of it that can stand for it.
bool Mentions(std::string_view code, std::string_view name);

/// In the order in which they were accepted: each needs only those before it. One thread.
class LemmaMemory {
 public:
  /// False, and nothing is added, when the name is taken.
  bool Add(ProvedLemma lemma);
  /// A name that others may not declare.
  void Reserve(std::string name) { reserved_.insert(std::move(name)); }
  bool IsReserved(const std::string& name) const { return reserved_.contains(name); }

  const std::vector<ProvedLemma>& all() const { return lemmas_; }
  const ProvedLemma* FindName(std::string_view name) const;
  const ProvedLemma* FindStatement(std::string_view statement) const;

  /// All of them as Lean text, a blank line after each.
  std::string Text() const;
  std::vector<std::string> Texts() const;
  /// Those that the code needs, by name, and those that they need; likewise.
  std::string TextFor(std::string_view code) const;
  /// Their statements, as a prompt shows them: `theorem foo (x : A) : P`.
  std::string Statements() const;

 private:
  std::vector<ProvedLemma> lemmas_;
  std::set<std::string> reserved_;
};

}  // namespace zermelo::strategy
