// Containers of a search tree: they grow without moving what they hold.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

namespace zermelo::search {

/// A vector in chunks: appending never moves an element and holds at most one chunk too much.
template <class T>
class Chunked {
 public:
  void push_back(const T& value) {
    if (size_ % kChunk == 0) chunks_.push_back(std::make_unique<T[]>(kChunk));
    (*this)[size_++] = value;
  }
  T& operator[](size_t i) { return chunks_[i / kChunk][i % kChunk]; }
  const T& operator[](size_t i) const { return chunks_[i / kChunk][i % kChunk]; }
  size_t size() const { return size_; }
  size_t Bytes() const {
    return chunks_.size() * kChunk * sizeof(T) + chunks_.capacity() * sizeof(chunks_[0]);
  }

 private:
  static constexpr size_t kChunk = 4096;
  std::vector<std::unique_ptr<T[]>> chunks_;
  size_t size_ = 0;
};

/// Arrays of 2^k elements, named by 32-bit references that stay valid until freed, as do pointers.
/// Nothing moves when the arena grows; freed arrays are used again for the same k.
template <class T>
class Blocks {
 public:
  using Ref = uint32_t;

  /// `capacity`: a power of two. The elements are as a freed block or T's constructor left them.
  Ref Allocate(uint32_t capacity) {
    if (capacity > kChunk) return NewChunk(capacity);
    auto& free = free_[std::countr_zero(capacity)];
    if (!free.empty()) {
      const Ref ref = free.back();
      free.pop_back();
      return ref;
    }
    if (kChunk - used_ < capacity) StartChunk();
    const Ref ref = current_ + used_;
    used_ += capacity;
    return ref;
  }

  void Free(Ref ref, uint32_t capacity) {
    if (capacity > kChunk) {
      elements_ -= capacity;
      chunks_[ref / kChunk].reset();
    } else {
      free_[std::countr_zero(capacity)].push_back(ref);
    }
  }

  T* At(Ref ref) { return &chunks_[ref / kChunk][ref % kChunk]; }
  const T* At(Ref ref) const { return &chunks_[ref / kChunk][ref % kChunk]; }

  /// Everything it holds, used or not.
  size_t Bytes() const {
    size_t bytes = elements_ * sizeof(T) + chunks_.capacity() * sizeof(chunks_[0]);
    for (const auto& free : free_) bytes += free.capacity() * sizeof(Ref);
    return bytes;
  }

 private:
  static constexpr uint32_t kChunk = 4096;  // elements; a larger block has a chunk of its own

  Ref NewChunk(uint32_t elements) {
    chunks_.push_back(std::make_unique<T[]>(elements));
    elements_ += elements;
    return static_cast<Ref>(chunks_.size() - 1) * kChunk;
  }

  /// What is left of the current chunk becomes free blocks: largest first they stay aligned.
  void StartChunk() {
    while (used_ < kChunk) {
      const uint32_t capacity = std::bit_floor(kChunk - used_);
      Free(current_ + used_, capacity);
      used_ += capacity;
    }
    current_ = NewChunk(kChunk);
    used_ = 0;
  }

  std::vector<std::unique_ptr<T[]>> chunks_;
  std::array<std::vector<Ref>, std::bit_width(kChunk)> free_;  // by log2 of the capacity
  Ref current_ = 0;                                            // where the current chunk begins
  uint32_t used_ = kChunk;                                     // of the current chunk
  size_t elements_ = 0;
};

}  // namespace zermelo::search
