// results.jsonl: the results, one problem and run per line, append-only.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/files/fd.h"
#include "eval/record.h"

namespace zermelo::eval {

/// A problem and its run.
using ResultKey = std::pair<std::string, size_t>;

/// Results by problem and run; a later line replaces an earlier one.
using Results = std::map<ResultKey, ProblemResult>;

/// Reads results.jsonl; a missing file has no results. An incomplete last line, as a power failure
/// leaves it, is ignored. kInput with FILE:LINE: any other line that is not a result.
core::Result<Results> ReadResults(const std::filesystem::path& file);

/// Appends to results.jsonl. Locks the file: one process at a time.
class ResultLog {
 public:
  /// Removes an incomplete last line. kEnvironment: another process has the file open, or it cannot
  /// be written.
  static core::Result<ResultLog> Open(const std::filesystem::path& file);
  /// Durable on return. Blocks for the fsync.
  core::Status Append(const ProblemResult& result);

 private:
  ResultLog(std::filesystem::path file, core::Fd fd);
  std::filesystem::path file_;
  core::Fd fd_;
};

}  // namespace zermelo::eval
