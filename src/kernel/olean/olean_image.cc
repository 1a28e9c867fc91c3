#include "kernel/olean/olean_image.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <limits>
#include <sys/stat.h>
#include <unistd.h>

#include "core/text.h"

namespace zermelo::kernel {

namespace {

namespace fs = std::filesystem;
using core::ErrorCode;
using core::FileIdentity;

constexpr std::string_view kMagic = "olean";
constexpr uint32_t kVersionAt = 5, kFlagsAt = 6, kLeanVersionAt = 7, kCommitAt = 40, kBaseAt = 80;
constexpr uint32_t kLeanVersionBytes = 33, kCommitBytes = 40;
constexpr uint32_t kObjectHeader = 8;
constexpr uint8_t kGmpFlag = 1;
constexpr const char* kSuffixes[] = {"", ".server", ".private"};

constexpr uint32_t kModuleFields = 4;  // source: src/Lean/Environment.lean, ModuleData

enum Colour : uint8_t { kUnseen, kOpen, kDone };

struct File {
  int fd = -1;
  size_t size = 0;
  FileIdentity identity;
  File() = default;
  File(File&& other) noexcept : fd(other.fd), size(other.size), identity(other.identity) {
    other.fd = -1;
  }
  File& operator=(File&&) = delete;
  ~File() {
    if (fd >= 0) ::close(fd);
  }
};

core::Error Because(const char* verb, const fs::path& path) {
  return {ErrorCode::kInput,
          std::string("cannot ") + verb + " " + path.string() + ": " + std::strerror(errno)};
}

core::Result<File> OpenRegular(const fs::path& path) {
  File file;
  // O_NONBLOCK: opening a named pipe in place of a file must not block.
  file.fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file.fd < 0) return core::Fail(Because("open", path));
  struct stat info {};
  if (::fstat(file.fd, &info) != 0) return core::Fail(Because("read", path));
  if (!S_ISREG(info.st_mode)) {
    return core::Fail(ErrorCode::kInput, path.string() + " is not a regular file");
  }
  file.size = static_cast<size_t>(info.st_size);
  file.identity = core::IdentityOf(info);
  return file;
}

// Whether a later change would show in the identity. Two seconds are the coarsest times of a file
// system in use.
bool IsSettled(const FileIdentity& identity) {
  constexpr int64_t kTick = 2'000'000'000;
  struct timespec now {};
  if (::clock_gettime(CLOCK_REALTIME, &now) != 0) return false;
  const int64_t time = now.tv_sec * int64_t{1'000'000'000} + now.tv_nsec;
  return identity.changed < time - kTick;
}

// Whether a change from now on would show in the file's identity, and none happened since it was
// opened.
bool IsUnchangedAndSettled(const File& file) {
  struct stat info {};
  return ::fstat(file.fd, &info) == 0 && core::IdentityOf(info) == file.identity &&
         IsSettled(file.identity);
}

// The identity of the folder of a file, if it can be relied on.
std::optional<FileIdentity> SettledFolder(const fs::path& file) {
  auto folder = core::IdentityOf(file.has_parent_path() ? file.parent_path() : fs::path("."));
  if (folder && !IsSettled(*folder)) folder.reset();
  return folder;
}

// Reads exactly `size` bytes; a file that has shrunk meanwhile is an error.
bool ReadExactly(int fd, unsigned char* to, size_t size) {
  while (size > 0) {
    const ssize_t n = ::read(fd, to, size);
    if (n < 0 && errno == EINTR) continue;
    if (n == 0) errno = EIO;
    if (n <= 0) return false;
    to += n;
    size -= static_cast<size_t>(n);
  }
  return true;
}

bool IsAscii(std::string_view text) {
  size_t at = 0;
  for (; at + 8 <= text.size(); at += 8) {
    uint64_t word;
    std::memcpy(&word, text.data() + at, 8);
    if ((word & 0x8080808080808080U) != 0) return false;
  }
  for (; at < text.size(); ++at) {
    if (static_cast<uint8_t>(text[at]) >= 0x80) return false;
  }
  return true;
}

std::string Trimmed(std::string_view text) { return std::string(text.substr(0, text.find('\0'))); }

// Parts begin at offsets with the same alignment as their addresses.
size_t AlignPart(size_t offset) { return (offset + 15U) & ~size_t{15}; }

}  // namespace

void IdentityReader::Enter(std::string_view folder) {
  if (folder_.get() >= 0 && folder == path_) return;
  path_ = folder;
  const char* path = path_.empty() ? "." : path_.c_str();
  folder_ = core::Fd(::open(path, O_PATH | O_DIRECTORY | O_CLOEXEC));
  struct stat info {};
  identity_.reset();
  if (folder_.get() >= 0 && ::fstat(folder_.get(), &info) == 0) identity_ = core::IdentityOf(info);
}

bool IdentityReader::IsUnchanged(const fs::path& olean, const ModuleIdentity& identity) {
  const std::string& path = olean.native();
  const size_t name = path.rfind('/') + 1;  // 0 without a folder
  Enter(std::string_view(path).substr(0, name));
  if (folder_.get() < 0) return false;
  const bool same_names = identity.folder && identity.folder == identity_;
  for (size_t part = 0; part < identity.files.size(); ++part) {
    if (!identity.files[part] && same_names) continue;
    struct stat info {};
    const std::string file = path.substr(name) + kSuffixes[part];
    std::optional<FileIdentity> now;
    if (::fstatat(folder_.get(), file.c_str(), &info, 0) == 0) now = core::IdentityOf(info);
    if (now != identity.files[part]) return false;
  }
  return true;
}

void OleanImage::Reserve(size_t size) {
  size_ = size;
  if (size <= capacity_) return;
  bytes_ = std::make_unique_for_overwrite<unsigned char[]>(size);
  capacity_ = size;
}

core::Status OleanImage::Open(const fs::path& olean, const ImageLimits& limits) {
  parts_.clear();
  identity_.reset();
  error_.clear();
  std::vector<File> files;
  size_t total = 0;
  ModuleIdentity identity;
  identity.folder = SettledFolder(olean);
  for (size_t i = 0; i < std::size(kSuffixes); ++i) {
    fs::path path = olean;
    path += kSuffixes[i];
    std::error_code missing;
    if (i > 0 && !fs::exists(path, missing)) {
      if (fs::is_symlink(path, missing)) identity.folder.reset();
      continue;
    }
    auto file = OpenRegular(path);
    if (!file) return core::Fail(file.error());
    identity.files[i] = file->identity;
    total = AlignPart(total);
    if (file->size > limits.max_bytes || total + file->size > limits.max_bytes) {
      return core::Fail(ErrorCode::kInput, path.string() + " is larger than " +
                                               std::to_string(limits.max_bytes >> 20U) + " MiB");
    }
    Part part;
    part.name = path.string();
    part.begin = static_cast<Offset>(total);
    part.size = static_cast<uint32_t>(file->size);
    total += file->size;
    parts_.push_back(std::move(part));
    files.push_back(*std::move(file));
  }
  Reserve(total);
  for (size_t i = 0; i < files.size(); ++i) {
    if (!ReadExactly(files[i].fd, bytes_.get() + parts_[i].begin, files[i].size)) {
      return core::Fail(Because("read", parts_[i].name));
    }
  }
  if (std::all_of(files.begin(), files.end(), IsUnchangedAndSettled)) identity_ = identity;
  if (!Prepare()) return core::Fail(error());
  return {};
}

core::Status OleanImage::Open(const std::vector<std::string_view>& parts) {
  parts_.clear();
  identity_.reset();
  error_.clear();
  size_t total = 0;
  constexpr const char* kNames[] = {".olean", ".olean.server", ".olean.private"};
  if (parts.size() > std::size(kNames))
    return core::Fail(ErrorCode::kInput, "a module has at most three parts");
  for (const auto bytes : parts) {
    Part part;
    part.name = kNames[parts_.size()];
    total = AlignPart(total);
    part.begin = static_cast<Offset>(total);
    total += bytes.size();
    if (total > std::numeric_limits<Offset>::max()) {
      return core::Fail(ErrorCode::kInput, "the parts of the .olean are larger than 4 GiB");
    }
    part.size = static_cast<uint32_t>(bytes.size());
    parts_.push_back(std::move(part));
  }
  Reserve(total);
  for (size_t i = 0; i < parts.size(); ++i) {
    std::copy(parts[i].begin(), parts[i].end(), bytes_.get() + parts_[i].begin);
  }
  if (!Prepare()) return core::Fail(error());
  return {};
}

bool OleanImage::Prepare() {
  objects_checked_ = 0;
  extent_checked_ = 0;
  if (parts_.empty()) return Fail("the module has no parts");
  for (size_t i = 0; i < parts_.size(); ++i) {
    OleanHeader header;
    if (!ReadHeader(&parts_[i], &header)) return false;
    if (i == 0) header_ = header;
    if (header.version != header_.version || header.gmp != header_.gmp ||
        header.lean_version != header_.lean_version || header.commit != header_.commit) {
      return Fail(parts_[i].name + " and " + parts_[0].name +
                  " were written by different builds of Lean");
    }
  }
  const bool narrow = TryWidth(false);
  const bool narrow_is_module = narrow && RootIsModule();
  const bool wide = TryWidth(true);
  if (wide && narrow_is_module) {
    return Fail(parts_[0].name + " can be read in two ways, with words of 32 and of 64 bits");
  }
  if (!wide && narrow) TryWidth(false);
  if (!wide && !narrow) {
    return Fail(parts_[0].name + " has no root object: it is damaged, or parts of it are missing");
  }
  return true;
}

bool OleanImage::ReadHeader(Part* part, OleanHeader* header) {
  const size_t size = part->size;
  const auto* at = reinterpret_cast<const char*>(bytes_.get()) + part->begin;
  // The shortest header is that of a 32-bit file of version 2, with its root pointer.
  if (size < kBaseAt + 8 || std::string_view(at, kMagic.size()) != kMagic) {
    return Fail(part->name + " is not an .olean file");
  }
  header->version = static_cast<uint8_t>(at[kVersionAt]);
  if (header->version != 2 && header->version != 3) {
    return Fail(part->name + " has format version " + std::to_string(header->version) +
                "; only versions 2 and 3 are supported");
  }
  const auto flags = static_cast<uint8_t>(at[kFlagsAt]);
  if ((flags & ~kGmpFlag) != 0) return Fail(part->name + " has unknown flags in its header");
  header->gmp = (flags & kGmpFlag) != 0;
  header->lean_version = Trimmed({at + kLeanVersionAt, kLeanVersionBytes});
  header->commit = Trimmed({at + kCommitAt, kCommitBytes});
  return true;
}

// The header does not say how wide its words are. Only with the right width do the roots of all
// parts point into the parts.
bool OleanImage::TryWidth(bool wide) {
  word_ = wide ? 8 : 4;
  header_.wide = wide;
  for (Part& part : parts_) {
    const uint64_t size = part.size;
    uint64_t data = kBaseAt + word_;
    uint64_t end = size;
    if (size < data + word_) return false;
    part.base = Word(part.begin + kBaseAt);
    if (header_.version == 3) {
      const uint64_t data_size = Word(static_cast<Offset>(part.begin + data));
      data += word_;
      if (size < data || data_size > size - data) return false;
      end = data + data_size;
    }
    if (end < data + word_ || part.base % 16 != 0) return false;
    const uint64_t limit = wide ? std::numeric_limits<uint64_t>::max() : uint64_t{1} << 32U;
    if (part.base > limit - size) return false;
    part.data = static_cast<Offset>(part.begin + data);
    part.end = static_cast<Offset>(part.begin + end);
    part.data_base = part.base + data;
  }
  for (size_t i = 0; i < parts_.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      const Part &a = parts_[i], &b = parts_[j];
      if (a.base < b.base + b.size && b.base < a.base + a.size) return false;
    }
  }
  return std::all_of(parts_.begin(), parts_.end(), [&](const Part& part) {
    const uint64_t root = Word(part.data);
    Offset offset = 0;
    return root % 4 == 0 && Locate(root, &offset);
  });
}

// The root of one part in some hundred thousand wide files is a pointer into it with narrow words,
// too, but to no object that looks like a module's data: a constructor of four fields or more.
bool OleanImage::RootIsModule() {
  Value root;
  Object module;
  const bool is_module = Root(0, &root) && !root.boxed && At(root.object, &module) &&
                         module.tag == 0 && module.fields >= kModuleFields;
  error_.clear();
  return is_module;
}

uint64_t OleanImage::Number(Offset offset, uint32_t bytes) const {
  uint64_t word = 0;
  std::memcpy(&word, bytes_.get() + offset, bytes);  // both are little-endian
  return word;
}

bool OleanImage::Root(size_t part, Value* value) { return Read(parts_[part].data, value); }

bool OleanImage::Dangling(Offset at) {
  return Fail("the pointer at " + Where(at) + " points to no object");
}

bool OleanImage::BadHeader(Offset at) {
  return Fail("the object at " + Where(at) +
              " is truncated, is smaller than its fields or has a reference count");
}

bool OleanImage::AtOther(const Part& part, uint16_t size, Object* object) {
  const Offset offset = object->at;
  switch (object->tag) {
    case kArrayTag:
      return Array(part, object);
    case kStringTag:
      return String(part, object);
    case kBigNumberTag:
      return BigNumber(part, size, object);
    case kScalarArrayTag: {
      const uint64_t element = std::max<uint32_t>(object->fields, 1);
      object->fields = 0;
      if (!Fits(part, kObjectHeader + 2 * word_, object)) return false;
      const uint64_t count = Word(object->first_field);
      if (count > part.end - offset) return Fail("the array at " + Where(offset) + " is too long");
      return Fits(part, kObjectHeader + 2 * word_ + count * element, object);
    }
    case kThunkTag:
    case kTaskTag:
      object->fields = 2;
      return Fits(part, kObjectHeader + 2 * word_, object);
    case kPromiseTag:
    case kRefTag:
      object->fields = 1;
      return Fits(part, kObjectHeader + word_, object);
    case kClosureTag: {
      // Code address, u16 arity, u16 number of fixed arguments, the arguments.
      if (header_.version < 3) break;
      const uint32_t arguments = kObjectHeader + 2 * word_;
      if (!Fits(part, arguments, object)) return false;
      object->fields = static_cast<uint16_t>(Number(object->first_field + word_ + 2, 2));
      object->first_field = offset + arguments;
      return Fits(part, arguments + uint64_t{object->fields} * word_, object);
    }
    default:
      break;
  }
  return Fail("the object at " + Where(offset) + " has the unknown tag " +
              std::to_string(object->tag));
}

bool OleanImage::Fits(const Part& part, uint64_t extent, Object* object) {
  if (extent > part.end - object->at)
    return Fail("the object at " + Where(object->at) + " is truncated");
  object->extent = static_cast<uint32_t>(extent);
  return true;
}

bool OleanImage::Array(const Part& part, Object* object) {
  const uint32_t head = kObjectHeader + 2 * word_;
  object->fields = 0;
  if (!Fits(part, head, object)) return false;
  const uint64_t count = Word(object->first_field);
  if (count > (part.end - object->at - head) / word_) {
    return Fail("the array at " + Where(object->at) + " is longer than the file");
  }
  object->fields = static_cast<uint32_t>(count);
  object->first_field = object->at + head;
  return Fits(part, head + count * word_, object);
}

bool OleanImage::String(const Part& part, Object* object) {
  const uint32_t head = kObjectHeader + 3 * word_;
  object->fields = 0;
  if (!Fits(part, head, object)) return false;
  const uint64_t size = Word(object->first_field);  // with the NUL
  const uint64_t length = Word(object->first_field + 2 * word_);
  if (size == 0 || size > part.end - object->at - head || length >= size) {
    return Fail("the string at " + Where(object->at) + " has an impossible size");
  }
  object->text = bytes().substr(object->at + head, size - 1);
  if (bytes_[object->at + head + size - 1] != 0) {
    return Fail("the string at " + Where(object->at) + " does not end in NUL");
  }
  return Fits(part, head + size, object);
}

// GMP: {i32 allocated, i32 size with the number's sign, limbs *}; Lean's own: {sign, size, limbs *}
// with u32 limbs. The limbs come after.
bool OleanImage::BigNumber(const Part& part, uint16_t size, Object* object) {
  object->fields = 0;
  const uint32_t head = kObjectHeader + (header_.gmp ? 8 : 2 * word_) + word_;
  if (!Fits(part, head, object)) return false;
  uint64_t count = 0;
  if (header_.gmp) {
    const auto signed_size = static_cast<int32_t>(Number(object->first_field + 4, 4));
    object->negative = signed_size < 0;
    count = static_cast<uint64_t>(std::abs(static_cast<int64_t>(signed_size)));
  } else {
    object->negative = (Number(object->first_field, 1) & 1U) != 0;
    count = Word(object->first_field + word_);
  }
  const uint64_t limb = header_.gmp ? word_ : 4;
  Offset limbs = 0;
  if (!Locate(Word(object->at + head - word_), &limbs) || &PartOf(limbs) != &part ||
      limbs < object->at + head || count > (part.end - limbs) / limb) {
    return Fail("the number at " + Where(object->at) + " has no valid digits");
  }
  const uint64_t end = limbs + count * limb - object->at;
  object->text = bytes().substr(limbs, count * limb);
  return Fits(part, std::max<uint64_t>(size, end), object);
}

bool OleanImage::MayBeNull(const Object& object) const {
  return object.tag == kThunkTag || object.tag == kTaskTag || object.tag == kPromiseTag;
}

bool OleanImage::CheckText(const Object& object) {
  if (IsAscii(object.text)) {
    const uint64_t length = Word(object.first_field + 2 * word_);
    return length == object.text.size() ||
           Fail("the string at " + Where(object.at) + " does not have the length that it claims");
  }
  uint64_t length = 0;
  for (size_t at = 0; at < object.text.size(); ++length) {
    const auto c = core::DecodeUtf8(object.text, at);
    if (!c.valid) return Fail("the string at " + Where(object.at) + " is not UTF-8");
    at += c.length;
  }
  return length == Word(object.first_field + 2 * word_) ||
         Fail("the string at " + Where(object.at) + " does not have the length that it claims");
}

core::Status OleanImage::CheckAll() {
  colours_.assign(size_ / 4 + 1, kUnseen);
  objects_checked_ = 0;
  extent_checked_ = 0;
  for (size_t i = 0; i < parts_.size(); ++i) {
    Value root;
    if (!Root(i, &root)) return core::Fail(error());
    if (!root.boxed && !Walk(root.object)) return core::Fail(error());
  }
  return {};
}

// Depth first: an object is open while objects below it are walked, so a pointer to an open one
// closes a cycle. The sum of extents bounds the stack and the work.
bool OleanImage::Walk(Offset root) {
  uint8_t* const colours = colours_.data();
  stack_.assign(1, root);
  while (!stack_.empty()) {
    const Offset offset = stack_.back();
    uint8_t& colour = colours[offset / 4];
    if (colour != kUnseen) {
      colour = kDone;
      stack_.pop_back();
      continue;
    }
    Object object;
    if (!At(offset, &object)) return false;
    if (object.tag == kStringTag && !CheckText(object)) return false;
    ++objects_checked_;
    extent_checked_ += object.extent;
    if (extent_checked_ > size_) return Fail("objects overlap at " + Where(offset));
    colour = kOpen;
    const bool nulls = MayBeNull(object);
    for (uint32_t i = 0; i < object.fields; ++i) {
      const Offset at = object.first_field + i * word_;
      const uint64_t word = Word(at);
      if ((word & 1U) != 0 || (nulls && word == 0)) continue;
      Offset child = 0;
      if (!Locate(word, &child)) return Dangling(at);
      const uint8_t seen = colours[child / 4];
      if (seen == kOpen) return Fail("the object at " + Where(child) + " contains itself");
      if (seen == kUnseen) stack_.push_back(child);
    }
    if (stack_.back() == offset) {
      colour = kDone;
      stack_.pop_back();
    }
  }
  return true;
}

bool OleanImage::Fail(std::string message) {
  if (error_.empty()) error_ = std::move(message);
  return false;
}

core::Error OleanImage::error() const {
  return {ErrorCode::kInput, error_, "check that the file is complete and was written by Lean 4"};
}

std::string OleanImage::Where(Offset offset) const {
  const Part& part = PartOf(offset);
  return "byte " + std::to_string(offset - part.begin) + " of " + part.name;
}

}  // namespace zermelo::kernel
