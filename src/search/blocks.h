// Containers of the search tree: they grow without moving their elements. With standard containers
// a tree takes more than twice the time and memory (docs/search.md, "Cost").
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

namespace zermelo::search {

/// A vector in chunks: appending never moves an element and over-allocates by at most one chunk.
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

/// An arena of arrays of 2^k elements. 32-bit references and pointers to an array stay valid until
/// it is freed: nothing moves when the arena grows. Freed arrays are reused for the same k.
template <class T>
class Blocks {
 public:
  using Ref = uint32_t;

  /// `capacity`: a power of two. The elements hold old values if the block is reused, and are
  /// default-constructed otherwise.
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

  /// Allocated memory, used or not.
  size_t Bytes() const {
    size_t bytes = elements_ * sizeof(T) + chunks_.capacity() * sizeof(chunks_[0]);
    for (const auto& free : free_) bytes += free.capacity() * sizeof(Ref);
    return bytes;
  }

 private:
  static constexpr uint32_t kChunk = 4096;  // elements; a larger block gets its own chunk

  Ref NewChunk(uint32_t elements) {
    chunks_.push_back(std::make_unique<T[]>(elements));
    elements_ += elements;
    return static_cast<Ref>(chunks_.size() - 1) * kChunk;
  }

  /// Turns the rest of the current chunk into free blocks, the largest first, then starts a chunk.
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
  Ref current_ = 0;                                            // start of the current chunk
  uint32_t used_ = kChunk;                                     // elements in the current chunk
  size_t elements_ = 0;
};

}  // namespace zermelo::search
