#include "trust/audit/axiom_sets.h"

#include <algorithm>
#include <iterator>

namespace zermelo::trust {

AxiomSets::AxiomSets(size_t max_size) : max_size_(max_size) {
  sets_.push_back(&ids_.emplace(std::vector<uint32_t>(), kEmpty).first->first);
}

AxiomSets::Id AxiomSets::Union(Id a, Id b) {
  if (a == b || b == kEmpty) return a;
  if (a == kEmpty) return b;
  const uint64_t key = uint64_t{std::min(a, b)} << 32U | std::max(a, b);
  if (const auto found = unions_.find(key); found != unions_.end()) return found->second;
  is_full_ |= sets_[a]->size() + sets_[b]->size() > max_size_ - std::min(size_, max_size_);
  if (is_full_) return kEmpty;
  std::vector<uint32_t> both;
  std::ranges::set_union(*sets_[a], *sets_[b], std::back_inserter(both));
  const Id id = Store(std::move(both));
  unions_.emplace(key, id);
  return id;
}

AxiomSets::Id AxiomSets::Store(std::vector<uint32_t> set) {
  const size_t size = set.size();
  const auto [at, fresh] = ids_.emplace(std::move(set), static_cast<Id>(sets_.size()));
  if (fresh) {
    sets_.push_back(&at->first);
    size_ += size;
  }
  return at->second;
}

}  // namespace zermelo::trust
