// The file of a trace: one JSON object per line, a file's own line before those of its theorems.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "core/error.h"
#include "core/files/fd.h"
#include "data/trace/trace.h"

namespace zermelo::data {

/// Reads a trace, one file at a time in the order of the lines. If a file occurs again, only its
/// last lines are returned. kInput with FILE:LINE: not a trace. An incomplete end, as a kill leaves
/// it, is ignored.
core::Status ReadTrace(const std::filesystem::path& path,
                       const std::function<void(const TracedFile&)>& each);

/// Appends to a trace. One process at a time.
class TraceLog {
 public:
  /// Continues the trace if the file exists: removes an incomplete end. kInput: the file is
  /// something else, or cannot be written.
  static core::Result<TraceLog> Open(const std::filesystem::path& path);
  /// Whether the trace has this version of a file.
  bool Has(const std::string& file, const std::string& sha256) const;
  /// Durable on return.
  core::Status Append(const TracedFile& traced);

 private:
  TraceLog(std::filesystem::path path, core::Fd fd) : path_(std::move(path)), fd_(std::move(fd)) {}
  std::filesystem::path path_;
  core::Fd fd_;
  std::map<std::string, std::string> hashes_;  // by file
};

}  // namespace zermelo::data
