// A hash map from 64-bit keys to 32-bit ids that is cleared in constant time; for caches that are
// filled and dropped millions of times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace zermelo::kernel {

constexpr uint64_t Pair(uint32_t a, uint32_t b) { return uint64_t{a} << 32U | b; }

class IdMap {
 public:
  static constexpr uint32_t kAbsent = UINT32_MAX;

  uint32_t Find(uint64_t key) const {
    if (slots_.empty()) return kAbsent;
    for (size_t at = Place(key);; at = (at + 1) & mask_) {
      if (slots_[at].epoch != epoch_) return kAbsent;
      if (slots_[at].key == key) return slots_[at].value;
    }
  }
  bool Contains(uint64_t key) const { return Find(key) != kAbsent; }
  void Set(uint64_t key, uint32_t value) {
    if (2 * (size_ + 1) > slots_.size()) Grow();
    size_t at = Place(key);
    while (slots_[at].epoch == epoch_ && slots_[at].key != key) at = (at + 1) & mask_;
    if (slots_[at].epoch != epoch_) ++size_;
    slots_[at] = {key, epoch_, value};
  }
  void Clear() {
    constexpr size_t kKept = size_t{1} << 16U;
    size_ = 0;
    if (slots_.size() > kKept || ++epoch_ == 0) *this = IdMap();
  }
  size_t bytes() const { return slots_.size() * sizeof(Slot); }

 private:
  struct Slot {
    uint64_t key = 0;
    uint32_t epoch = 0;
    uint32_t value = 0;
  };

  size_t Place(uint64_t key) const {
    return (key * 0x9E3779B97F4A7C15U ^ (key * 0x9E3779B97F4A7C15U) >> 32U) & mask_;
  }
  void Grow() {
    std::vector<Slot> old(slots_.empty() ? 64 : 2 * slots_.size());
    old.swap(slots_);
    mask_ = slots_.size() - 1;
    for (const Slot& slot : old) {
      if (slot.epoch != epoch_) continue;
      size_t at = Place(slot.key);
      while (slots_[at].epoch == epoch_) at = (at + 1) & mask_;
      slots_[at] = slot;
    }
  }

  std::vector<Slot> slots_;
  size_t mask_ = 0;
  size_t size_ = 0;
  uint32_t epoch_ = 1;
};

}  // namespace zermelo::kernel
