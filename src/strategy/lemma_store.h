// The lemmas that Lean has accepted in a run, which need not be proved again, and the names that
// are taken (Hilbert, arXiv 2509.22819; Seed-Prover 1.5, arXiv 2512.17260, section 3.1).
#pragma once

#include <deque>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace zermelo::strategy {

/// A declaration that Lean accepted after the file's header and the lemmas that it uses.
struct ProvedLemma {
  std::string name;               // as declared
  std::string key;                // DeclarationKey
  std::string signature = {};     // `(x : A) : P`
  std::string before = {};        // the commands that it needs
  std::string head;               // `theorem foo (x : A) : P`; all of a definition
  std::string value = {};         // ` := by simp`; empty for a definition
  std::string by;                 // its origin, such as "2.0": trajectory 2, round 0
  std::vector<std::string> uses;  // names of the lemmas that must precede it (Stitched)

  bool IsDefinition() const { return value.empty(); }
  std::string Text() const { return before + head + value; }
  /// The same under another name; `other_head`: with that name.
  ProvedLemma Renamed(std::string other_name, std::string other_head) const;
};

/// Equal for declarations with the same kind and signature, token by token; ignores the name.
std::string DeclarationKey(std::string_view keyword, std::string_view signature);

/// Whether a word of the code has the last component of `name` as one of its components.
bool Mentions(std::string_view code, std::string_view name);

/// Lemmas in the order in which they were accepted; each needs only earlier ones. They are only
/// added and keep their addresses. One thread.
class LemmaStore {
 public:
  LemmaStore() = default;
  /// `taken`: names that new declarations may not use.
  explicit LemmaStore(const std::vector<std::string>& taken)
      : reserved_(taken.begin(), taken.end()) {}

  /// Returns false and adds nothing if a lemma has this name.
  bool Add(ProvedLemma lemma);
  const std::deque<ProvedLemma>& all() const { return lemmas_; }
  /// Null: there is none.
  const ProvedLemma* FindName(std::string_view name) const;
  const ProvedLemma* FindKey(std::string_view key) const;  // the first one

  // ---- names

  /// Reserves a name; if a key is given, for the lemma with this statement.
  void Reserve(std::string name, std::string key = "");
  bool IsReserved(const std::string& name) const { return reserved_.contains(name); }
  /// The name of the lemma with this statement, proved or else planned; empty: there is none.
  std::string NameOf(std::string_view key) const;
  /// The first of `name`, `name_2`, … that is neither reserved nor a lemma's nor in `others`.
  std::string FreeName(const std::string& name, const std::set<std::string>& others = {}) const;

  // ---- text

  /// All lemmas as Lean text, a blank line after each.
  std::string Text() const;
  /// The lemmas that the code mentions and, transitively, those that they mention, in their order.
  std::vector<const ProvedLemma*> MentionedIn(std::string_view code) const;
  /// The named lemmas and, transitively, those that they use, each once and after those: the text
  /// that must precede a proof from them (Hilbert, section 3.2.2, step 4: "stitching").
  std::string Stitched(const std::vector<std::string>& names) const;
  /// All heads, one after the other.
  std::string Statements() const;

 private:
  void AddStitched(const std::vector<std::string>& names, std::set<std::string>& done,
                   std::string& text) const;

  std::deque<ProvedLemma> lemmas_;
  std::set<std::string> reserved_;
  std::map<std::string, std::string, std::less<>> planned_;  // names by key
};

}  // namespace zermelo::strategy
