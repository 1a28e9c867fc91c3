#include "strategy/sketch/blueprint.h"

#include <algorithm>
#include <set>

namespace zermelo::strategy::sketch {

using nlohmann::json;

size_t Blueprint::Add(Lemma lemma) {
  const auto known = by_key_.find(lemma.key);
  if (known != by_key_.end()) return known->second;
  const size_t id = lemmas_.size();
  by_key_.emplace(lemma.key, id);
  lemmas_.push_back(std::move(lemma));
  Announce(id);
  return id;
}

bool Blueprint::WaitsFor(size_t id, const std::vector<size_t>& others) const {
  std::set<size_t> seen;
  std::vector<size_t> next(1, id);
  while (!next.empty()) {
    const size_t at = next.back();
    next.pop_back();
    if (std::find(others.begin(), others.end(), at) != others.end()) return true;
    if (!seen.insert(at).second || lemmas_[at].status != LemmaStatus::kProving) continue;
    next.insert(next.end(), lemmas_[at].depends.begin(), lemmas_[at].depends.end());
  }
  return false;
}

void Blueprint::Announce(size_t id) const {
  const Lemma& lemma = lemmas_[id];
  json fields;
  fields["lemma"] = id;
  fields["name"] = lemma.name;
  fields["statement"] = lemma.head;
  fields["depth"] = lemma.depth;
  fields["status"] = lemma.status;
  fields["depends"] = lemma.depends;
  if (!lemma.proof.empty()) fields["proof"] = lemma.proof;
  if (!lemma.by.empty()) fields["by"] = lemma.by;
  if (!lemma.reason.empty()) fields["reason"] = lemma.reason;
  fields["calls"] = lemma.spending.calls;
  fields["tokens"] = lemma.spending.tokens();
  limits_.Append(event::kBlueprint, std::move(fields));
}

}  // namespace zermelo::strategy::sketch
