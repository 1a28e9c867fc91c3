// The bytes of one compiled module and the objects in them. Files are untrusted: everything is
// checked.
//
// Layout (lean4 src/library/module.cpp, src/runtime/compact.cpp, include/lean/lean.h; measured on
// files of 32-bit Lean 4.28): a header (`olean`, version, flags, Lean's version, commit, base
// address), in version 3 the size of the data, then the data: a root pointer and an uncompressed
// graph of Lean objects whose pointers are addresses as if the file were mapped at its base
// address. A module may come in parts (`X.olean`, `X.olean.server`, `X.olean.private`) at
// neighbouring base addresses, each pointing into those before it.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

#include "core/error.h"
#include "core/files/fd.h"
#include "core/files/file.h"

namespace zermelo::kernel {

/// Byte offset of an object in an image.
using Offset = uint32_t;

/// Tags of objects other than constructors (lean.h).
enum ObjectTag : uint8_t {
  kMaxConstructorTag = 243,
  kPromiseTag = 244,
  kClosureTag = 245,
  kArrayTag = 246,
  kScalarArrayTag = 248,
  kStringTag = 249,
  kBigNumberTag = 250,
  kThunkTag = 251,
  kTaskTag = 252,
  kRefTag = 253,
};

/// An object whose extent lies within its part's data. `text` and `negative` are only set for the
/// tags that have them, `scalars` for constructors.
struct Object {
  Offset at = 0;
  uint8_t tag = 0;
  uint32_t fields = 0;  // pointers: of a constructor, elements of an array, …
  Offset first_field = 0;
  uint32_t extent = 0;    // bytes, header included
  std::string_view text;  // of a string, without the NUL; little-endian bytes of a big number
  bool negative = false;  // of a big number
  uint32_t scalars = 0;   // bytes after a constructor's pointers, padding included
};

/// A field: either a boxed scalar or an object.
struct Value {
  bool boxed = false;
  uint64_t scalar = 0;  // of a boxed one
  Offset object = 0;
};

struct OleanHeader {
  int version = 0;
  bool gmp = false;
  bool wide = false;  // 64-bit
  std::string lean_version;
  std::string commit;
};

/// Changes whenever the bytes of a module's files do, or one of them comes or goes.
struct ModuleIdentity {
  /// Of X.olean and of the parts next to it; nullopt: there is no such file.
  std::array<std::optional<core::FileIdentity>, 3> files;
  /// Of their folder, whose times change when a file comes: while it is the same, the missing files
  /// are missing. nullopt: not to be relied on, since it is too new or a missing file is a link,
  /// whose target can come elsewhere.
  std::optional<core::FileIdentity> folder;
};

/// Compares the files of many modules with what they were. It keeps the last folder open: following
/// the path to a file takes longer than looking at it.
class IdentityReader {
 public:
  bool IsUnchanged(const std::filesystem::path& olean, const ModuleIdentity& identity);

 private:
  void Enter(std::string_view folder);

  std::string path_;
  core::Fd folder_;
  std::optional<core::FileIdentity> identity_;  // of the folder
};

struct ImageLimits {
  /// Bytes of all parts together; at most 2^32 - 1.
  size_t max_bytes = size_t{1} << 30U;
};

/// One module's bytes. Opening another module reuses the memory. Not thread-safe.
class OleanImage {
 public:
  /// Reads `olean` and those of its `.server` and `.private` parts that exist. The bytes are
  /// copied, not mapped: the process that wrote them may still run, and a file that changes under a
  /// mapping would change after it was checked, or kill this process with SIGBUS. Copying costs 0.1
  /// ms per megabyte from the page cache. kInput when a file is missing, not a regular file, too
  /// large or not an .olean.
  core::Status Open(const std::filesystem::path& olean, const ImageLimits& limits = {});
  /// Opens bytes in memory instead: X.olean alone, or all three parts.
  core::Status Open(const std::vector<std::string_view>& parts);

  size_t part_count() const { return parts_.size(); }
  bool has_private() const { return !parts_.empty() && parts_.back().name.ends_with(".private"); }
  const OleanHeader& header() const { return header_; }
  /// Bytes of all parts.
  size_t size() const { return size_; }
  std::string_view bytes(size_t part) const {
    return {reinterpret_cast<const char*>(bytes_.get()) + parts_[part].begin, parts_[part].size};
  }
  /// Of the files that Open read. nullopt if one changed meanwhile, or so recently that a later
  /// change could leave its identity as it is: times are no finer than the system's clock ticks.
  const std::optional<ModuleIdentity>& identity() const { return identity_; }

  /// Walks every object reachable from the roots and checks that it has a known tag and lies within
  /// its part, that each pointer leads to an object, that strings are UTF-8 and end in NUL, that
  /// the sizes of all objects together do not exceed the file, and that there are no cycles. Linear
  /// in the size; no recursion.
  core::Status CheckAll();
  size_t objects_checked() const { return objects_checked_; }

  /// `size` zeros that are valid until the next call; the memory is reused for later modules.
  std::vector<uint32_t>& Scratch(size_t size) {
    scratch_.assign(size, 0);
    return scratch_;
  }

  /// The functions below return false if the file is malformed; error() then says why.
  bool Root(size_t part, Value* value);
  bool At(Offset offset, Object* object);
  /// `index` < object.fields.
  bool Field(const Object& object, uint32_t index, Value* value) {
    return Read(object.first_field + index * word_, value);
  }
  /// A byte of a constructor's scalar area; 0 past its end.
  uint8_t Scalar(const Object& object, uint32_t index) const {
    return index < object.scalars ? bytes_[object.first_field + object.fields * word_ + index] : 0;
  }

  /// Keeps the first message for error(). Always returns false, for `return Fail(…)`.
  bool Fail(std::string message);
  core::Error error() const;
  uint32_t word() const { return word_; }

 private:
  struct Part {
    std::string name;
    Offset begin = 0;  // in the image
    Offset data = 0;
    Offset end = 0;
    uint32_t size = 0;  // of the file
    uint64_t base = 0;
    uint64_t data_base = 0;  // address of `data`
  };

  std::string_view bytes() const { return {reinterpret_cast<const char*>(bytes_.get()), size_}; }
  bool Prepare();
  bool ReadHeader(Part* part, OleanHeader* header);
  bool TryWidth(bool wide);
  bool RootIsModule();
  uint64_t Number(Offset offset, uint32_t bytes) const;
  uint64_t Word(Offset offset) const;
  const Part& PartOf(Offset offset) const;
  bool Locate(uint64_t address, Offset* offset) const;
  bool Read(Offset at, Value* value);
  /// Out of line to keep the callers small: Fail with what is wrong at an offset.
  [[gnu::cold]] bool Dangling(Offset at);
  [[gnu::cold]] bool BadHeader(Offset at);
  bool AtOther(const Part& part, uint16_t size, Object* object);
  bool Array(const Part& part, Object* object);
  bool String(const Part& part, Object* object);
  bool BigNumber(const Part& part, uint16_t size, Object* object);
  bool Fits(const Part& part, uint64_t extent, Object* object);
  bool Walk(Offset root);
  bool CheckText(const Object& object);
  bool MayBeNull(const Object& object) const;
  void Reserve(size_t size);
  std::string Where(Offset offset) const;

  std::unique_ptr<unsigned char[]> bytes_;
  size_t capacity_ = 0;
  size_t size_ = 0;
  std::vector<Part> parts_;
  std::optional<ModuleIdentity> identity_;
  OleanHeader header_;
  uint32_t word_ = 8;
  std::string error_;
  std::vector<uint32_t> scratch_;

  // CheckAll.
  std::vector<uint8_t> colours_;
  std::vector<Offset> stack_;
  size_t objects_checked_ = 0;
  uint64_t extent_checked_ = 0;
};

// In the header for speed: these run for every pointer and object of every file.

inline uint64_t OleanImage::Word(Offset offset) const {
  if (word_ == 8) {
    uint64_t word;
    std::memcpy(&word, bytes_.get() + offset, sizeof word);
    return word;
  }
  uint32_t word;
  std::memcpy(&word, bytes_.get() + offset, sizeof word);
  return word;
}

inline bool OleanImage::Locate(uint64_t address, Offset* offset) const {
  if ((address & (word_ - 1)) != 0) return false;
  for (auto part = parts_.rbegin(); part != parts_.rend(); ++part) {
    const uint64_t distance = address - part->data_base;
    if (distance < part->end - part->data) {
      *offset = part->data + static_cast<Offset>(distance);
      return true;
    }
  }
  return false;
}

inline const OleanImage::Part& OleanImage::PartOf(Offset offset) const {
  auto part = parts_.rbegin();
  while (offset < part->begin) ++part;  // the first one begins at 0
  return *part;
}

inline bool OleanImage::At(Offset offset, Object* object) {
  constexpr uint32_t kHeader = 8;  // i32 reference count, u16 size, u8 number of pointers, u8 tag
  const Part& part = PartOf(offset);
  object->at = offset;
  if (part.end - offset < kHeader) return BadHeader(offset);
  uint64_t header;
  std::memcpy(&header, bytes_.get() + offset, kHeader);
  if (static_cast<uint32_t>(header) != 0) return BadHeader(offset);
  const auto size = static_cast<uint16_t>(header >> 32U);
  object->fields = static_cast<uint8_t>(header >> 48U);
  object->tag = static_cast<uint8_t>(header >> 56U);
  object->first_field = offset + kHeader;
  if (object->tag > kMaxConstructorTag) return AtOther(part, size, object);
  const uint32_t pointers = kHeader + object->fields * word_;
  object->scalars = size - pointers;
  object->extent = size;
  return (size >= pointers && size <= part.end - offset) || BadHeader(offset);
}

inline bool OleanImage::Read(Offset at, Value* value) {
  const uint64_t word = Word(at);
  value->boxed = (word & 1U) != 0;
  value->scalar = word >> 1U;
  return value->boxed || Locate(word, &value->object) || Dangling(at);
}

}  // namespace zermelo::kernel
