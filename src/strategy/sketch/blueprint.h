// The graph of lemmas that are to prove a theorem: their statements, dependencies and status. Equal
// statements are one lemma.
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
  kOpen,     // not in progress
  kProving,  // in progress
  kProved,   // Lean accepted its proof
  kFalse,    // Lean accepted a proof of its negation
  kTooHard,  // given up for now
};
NLOHMANN_JSON_SERIALIZE_ENUM(LemmaStatus, {{LemmaStatus::kOpen, "open"},
                                           {LemmaStatus::kProving, "proving"},
                                           {LemmaStatus::kProved, "proved"},
                                           {LemmaStatus::kFalse, "false"},
                                           {LemmaStatus::kTooHard, "too_hard"}})

struct Lemma {
  std::string name;
  std::string head;  // `theorem foo (x : A) : P`
  std::string key;   // DeclarationKey
  std::string doc;   // informal proof; may be empty
  size_t depth = 0;  // of the decomposition that first proposed it; 0: the theorem
  LemmaStatus status = LemmaStatus::kOpen;
  std::vector<size_t> depends;  // lemmas of the sketch that it is to follow from
  std::string proof;            // kProved: the declaration; kFalse: the negation's
  std::string by;               // origin of the proof
  std::string reason;           // kTooHard: what is missing; kFalse: why, in words
  llm::Spending spending;       // of all direct attempts at it
};

/// Lemmas are only added and keep their ids. Every change appends an event. One thread.
class Blueprint {
 public:
  /// The journal of `limits` must outlive this object.
  explicit Blueprint(Limits limits) : limits_(std::move(limits)) {}

  /// Returns the id of the lemma with that key, adding it if it is new.
  size_t Add(Lemma lemma);
  const Lemma& at(size_t id) const { return lemmas_[id]; }
  size_t size() const { return lemmas_.size(); }

  /// Changes a lemma by `change(Lemma&)` and appends the event.
  template <class Change>
  void Update(size_t id, Change change) {
    change(lemmas_[id]);
    Announce(id);
  }

  /// Whether the proof of `id` in progress depends, transitively, on one of `others`.
  bool WaitsFor(size_t id, const std::vector<size_t>& others) const;

 private:
  void Announce(size_t id) const;

  const Limits limits_;
  std::vector<Lemma> lemmas_;
  std::map<std::string, size_t, std::less<>> by_key_;
};

}  // namespace zermelo::strategy::sketch
