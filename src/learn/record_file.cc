#include "learn/record_file.h"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <unordered_set>
#include <utility>

#include "core/files/fd.h"
#include "core/files/file.h"

namespace zermelo::learn {

namespace fs = std::filesystem;
using core::ErrorCode;
using core::Fail;
using core::Result;

namespace {

constexpr size_t kHeadOfFile = 24;
static_assert(sizeof("zermelo learned 2\n") <= kHeadOfFile);
constexpr uint32_t kRecordMark = 0x5AE12E10;
constexpr uint32_t kMostBytes = 1U << 20U;  // of a record
constexpr int kLockSeconds = 10;

/// Before each record, which is filled up to a multiple of 8 bytes.
struct RecordHead {
  uint32_t mark = kRecordMark;
  uint32_t size = 0;
  uint64_t checksum = 0;
};
static_assert(sizeof(RecordHead) == 16);

size_t Padded(size_t size) { return (size + 7) / 8 * 8; }

std::string HeadOfFile() {
  std::string head("zermelo learned 2\n");
  head.resize(kHeadOfFile, '\0');
  return head;
}

/// Eight bytes at a time; finds damage, no protection against forgery.
uint64_t ChecksumOf(std::string_view bytes) {
  uint64_t hash = bytes.size();
  while (!bytes.empty()) {
    uint64_t word = 0;
    const size_t size = std::min<size_t>(bytes.size(), sizeof word);
    std::memcpy(&word, bytes.data(), size);
    hash = (hash ^ word) * 0x9E3779B97F4A7C15U;
    hash ^= hash >> 32U;
    bytes.remove_prefix(size);
  }
  return hash;
}

bool ReadHeadAt(std::string_view file, size_t at, RecordHead* head) {
  if (file.size() < at + sizeof *head) return false;
  std::memcpy(head, file.data() + at, sizeof *head);
  return head->mark == kRecordMark && head->size <= kMostBytes &&
         file.size() - at - sizeof *head >= Padded(head->size);
}

/// Appends the places of the whole records to `places`; returns where the last one ends.
size_t FindRecords(std::string_view file, std::vector<RecordFile::Place>* places) {
  size_t at = kHeadOfFile, end = kHeadOfFile;
  for (RecordHead head; at + sizeof head <= file.size();) {
    if (!ReadHeadAt(file, at, &head)) {
      at += sizeof(uint64_t);  // a damaged head; records begin at multiples of eight bytes
      continue;
    }
    const size_t begin = at + sizeof head;
    at = begin + Padded(head.size);
    if (ChecksumOf(file.substr(begin, head.size)) != head.checksum) continue;
    places->push_back({begin, head.size, head.checksum});
    end = at;
  }
  return end;
}

tl::unexpected<core::Error> SomethingElse(const fs::path& path) {
  return Fail(ErrorCode::kInput, path.string() + " is no file of this version's learned examples",
              "move it away and learn again (zermelo learn), or name another file");
}

/// All bytes of the file. They are copied: a file that is cut while it is mapped kills the process.
Result<std::string> Content(int fd, const fs::path& path) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) return core::CannotUse(path);
  if (!S_ISREG(status.st_mode)) return SomethingElse(path);
  std::string bytes(static_cast<size_t>(status.st_size), '\0');
  size_t size = 0;
  while (size < bytes.size()) {
    const ssize_t n =
        ::pread(fd, bytes.data() + size, bytes.size() - size, static_cast<off_t>(size));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return core::CannotUse(path);
    if (n == 0) break;  // cut meanwhile
    size += static_cast<size_t>(n);
  }
  bytes.resize(size);
  return bytes;
}

/// False, with errno set, if another process keeps the lock for kLockSeconds.
bool Lock(int fd) {
  constexpr int kTries = kLockSeconds * 50;
  for (int tries = 0; ::flock(fd, LOCK_EX | LOCK_NB) != 0; ++tries) {
    if ((errno != EWOULDBLOCK && errno != EINTR) || tries == kTries) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return true;
}

/// A file that was killed before its head was complete counts as empty.
bool HasHead(std::string_view file) {
  const std::string head = HeadOfFile();
  const size_t size = std::min(file.size(), head.size());
  return file.substr(0, size) == std::string_view(head).substr(0, size);
}

std::string Framed(const std::string& record) {
  RecordHead head;
  head.size = static_cast<uint32_t>(record.size());
  head.checksum = ChecksumOf(record);
  std::string framed(reinterpret_cast<const char*>(&head), sizeof head);
  framed += record;
  framed.resize(sizeof head + Padded(record.size()), '\0');
  return framed;
}

/// What is to be written, and where.
struct Addition {
  std::string bytes;
  size_t at = 0;
  size_t records = 0;
};

Addition AdditionTo(std::string_view file, const std::vector<std::string>& records) {
  Addition addition;
  std::vector<RecordFile::Place> known;
  if (file.size() < kHeadOfFile) {
    addition.bytes = HeadOfFile();
  } else {
    addition.at = FindRecords(file, &known);
  }
  std::unordered_set<uint64_t> checksums;
  for (const auto& each : known) checksums.insert(each.checksum);
  for (const std::string& record : records) {
    if (record.size() > kMostBytes || !checksums.insert(ChecksumOf(record)).second) continue;
    addition.bytes += Framed(record);
    ++addition.records;
  }
  return addition;
}

}  // namespace

Result<RecordFile> RecordFile::Open(fs::path path) {
  RecordFile file(std::move(path));
  const core::Fd fd(::open(file.path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (fd.get() < 0 && errno == ENOENT) return file;
  if (fd.get() < 0) return core::CannotUse(file.path_);
  auto bytes = Content(fd.get(), file.path_);
  if (!bytes) return Fail(bytes.error());
  file.bytes_ = std::move(*bytes);
  if (!HasHead(file.bytes_)) return SomethingElse(file.path_);
  FindRecords(file.bytes_, &file.records_);
  return file;
}

std::string_view RecordFile::record(size_t i) const {
  return std::string_view(bytes_).substr(records_[i].begin, records_[i].size);
}

Result<size_t> AppendRecords(const fs::path& path, const std::vector<std::string>& records) {
  const core::Fd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (fd.get() < 0 || !Lock(fd.get())) return core::CannotUse(path);
  const auto bytes = Content(fd.get(), path);
  if (!bytes) return Fail(bytes.error());
  if (!HasHead(*bytes)) return SomethingElse(path);
  const Addition addition = AdditionTo(*bytes, records);
  if (addition.records == 0) return 0;
  if (bytes->size() > addition.at && ::ftruncate(fd.get(), static_cast<off_t>(addition.at)) != 0)
    return core::CannotUse(path);
  if (::lseek(fd.get(), static_cast<off_t>(addition.at), SEEK_SET) < 0 ||
      !core::WriteAll(fd.get(), addition.bytes) || ::fsync(fd.get()) != 0) {
    return core::CannotUse(path);
  }
  return addition.records;
}

}  // namespace zermelo::learn
