// results.jsonl: what has been found out, one problem a line, never rewritten.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/fd.h"
#include "eval/record.h"

namespace zermelo::eval {

/// A problem and its run.
using ResultKey = std::pair<std::string, size_t>;

/// By problem and run; a later line counts in place of an earlier one.
using Results = std::map<ResultKey, ProblemResult>;

/// Reads such a file; one that is not there has no results. A last line that is cut off, as a power
/// cut leaves it, is left out. kInput with FILE:LINE: any other line that is not a result.
core::Result<Results> ReadResults(const std::filesystem::path& file);

/// Appends to such a file. One process at a time.
class ResultLog {
 public:
  /// Cuts off a torn last line. kEnvironment: another process has the file open.
  static core::Result<ResultLog> Open(const std::filesystem::path& file);
  /// On disk when it returns.
  core::Status Append(const ProblemResult& result);

 private:
  ResultLog(std::filesystem::path file, core::Fd fd);
  std::filesystem::path file_;
  core::Fd fd_;
};

}  // namespace zermelo::eval
