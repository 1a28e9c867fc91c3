// Sets of axioms, each stored once: a project has few of them, and many constants with each.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

namespace zermelo::trust {

/// Numbers for sets of numbers; equal sets have equal numbers.
class AxiomSets {
 public:
  using Id = uint32_t;
  static constexpr Id kEmpty = 0;

  /// `max_size`: of size(), worth 400 MB by default.
  explicit AxiomSets(size_t max_size = 100'000'000);

  Id Of(uint32_t axiom) { return Store({axiom}); }
  /// If that could exceed the maximum, the answer is kEmpty, and is_full() true from then on.
  Id Union(Id a, Id b);
  bool is_full() const { return is_full_; }
  /// Sorted. Valid as long as this object.
  const std::vector<uint32_t>& operator[](Id id) const { return *sets_[id]; }
  /// Number of elements in all sets together, which a file can make grow without bound.
  size_t size() const { return size_; }

 private:
  Id Store(std::vector<uint32_t> set);

  std::map<std::vector<uint32_t>, Id> ids_;
  std::vector<const std::vector<uint32_t>*> sets_;
  std::unordered_map<uint64_t, Id> unions_;
  const size_t max_size_;
  size_t size_ = 0;
  bool is_full_ = false;
};

}  // namespace zermelo::trust
