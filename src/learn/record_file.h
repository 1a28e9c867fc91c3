// A file of records to which several processes append, each record with its length and a checksum.
//
// A record that was not completely written (a kill, a full disk) is not seen; the next append
// removes it. A damaged record in the middle is passed over.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"

namespace zermelo::learn {

/// What the file had when it was opened; what is appended later is not seen.
class RecordFile {
 public:
  /// A file that does not exist is empty. kInput: it cannot be read, or is something else.
  static core::Result<RecordFile> Open(std::filesystem::path path);
  RecordFile(RecordFile&&) = default;
  RecordFile& operator=(RecordFile&&) = delete;
  ~RecordFile() = default;

  size_t size() const { return records_.size(); }
  /// Valid as long as this object is, and is not moved.
  std::string_view record(size_t i) const;
  const std::filesystem::path& path() const { return path_; }

  struct Place {
    uint64_t begin = 0;  // of the content, in the file
    uint32_t size = 0;
    uint64_t checksum = 0;
  };

 private:
  explicit RecordFile(std::filesystem::path path) : path_(std::move(path)) {}

  std::filesystem::path path_;
  std::string bytes_;
  std::vector<Place> records_;
};

/// Appends the records that the file does not have, and creates it; returns how many. Waits while
/// another process appends, for ten seconds at most. Durable on return. kInput: it cannot be
/// written or locked, or is something else.
core::Result<size_t> AppendRecords(const std::filesystem::path& path,
                                   const std::vector<std::string>& records);

}  // namespace zermelo::learn
