// The lemmas that are to prove a theorem, in one graph: what each says, what it is to follow from,
// how far it has got. Equal statements are one lemma, whoever proposed them.
#pragma once

#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "llm/budget.h"
#include "strategy/limits.h"

namespace zermelo::strategy::sketch {

enum class LemmaStatus {
  kOpen,     // nobody works on it
  kProving,  // somebody does
  kProved,   // Lean accepted its proof
  kFalse,    // Lean accepted a proof of its negation
  kTooHard,  // given up, for now
};
NLOHMANN_JSON_SERIALIZE_ENUM(LemmaStatus, {{LemmaStatus::kOpen, "open"},
                                           {LemmaStatus::kProving, "proving"},
                                           {LemmaStatus::kProved, "proved"},
                                           {LemmaStatus::kFalse, "false"},
                                           {LemmaStatus::kTooHard, "too_hard"}})

struct Lemma {
  std::string name;
  std::string statement;  // `theorem foo (x : A) : P`
  std::string key;        // StatementKey
  std::string doc;        // its proof in words, perhaps
  size_t depth = 0;       // of the decomposition that proposed it first; 0: the theorem
  LemmaStatus status = LemmaStatus::kOpen;
  std::vector<size_t> depends;  // on the lemmas of the sketch that it is to follow from
  std::string proof;            // kProved: the declaration; kFalse: that of the negation
  std::string by;               // who proved it
  std::string reason;           // kTooHard: what stands in the way; kFalse: why, in words
  llm::Spending spending;       // of all that was tried for it directly
};

/// Grows; a lemma keeps its number. Every change is an event. One thread.
class Blueprint {
 public:
  /// The journal of `limits` must outlive it.
  explicit Blueprint(Limits limits) : limits_(std::move(limits)) {}

  /// The lemma with that key, or a new one.
  size_t Add(Lemma lemma);
  bool HasName(std::string_view name) const;
  const Lemma* FindKey(std::string_view key) const;
  const Lemma& at(size_t id) const { return lemmas_[id]; }
  size_t size() const { return lemmas_.size(); }

  /// Changes a lemma by `change(Lemma&)`, then says so.
  template <class Change>
  void Update(size_t id, Change change) {
    change(lemmas_[id]);
    Announce(id);
  }

  /// Whether `id` is being proved from lemmas that are being proved from … one of `others`.
  bool WaitsFor(size_t id, const std::vector<size_t>& others) const;

 private:
  void Announce(size_t id) const;

  const Limits limits_;
  std::vector<Lemma> lemmas_;
  std::map<std::string, size_t, std::less<>> by_key_;
};

}  // namespace zermelo::strategy::sketch
