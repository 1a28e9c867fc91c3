// Traces all files of a project, several at once, into one file that a later run continues.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/async.h"
#include "core/cancellation.h"
#include "core/error.h"
#include "lean/pool.h"

namespace zermelo::data {

struct TraceRequest {
  std::filesystem::path root;  // a Lean file, or a folder with the files of a project
  std::filesystem::path out;
  core::Duration limit = std::chrono::minutes(10);  // for each file
  core::Cancellation* cancellation = nullptr;       // may be null; must outlive the trace
  /// Called after each file: its name, its number of tactics, and why it failed, or empty.
  std::function<void(const std::string& file, size_t tactics, const std::string& error)> on_file;
};

struct TraceReport {
  size_t files = 0;     // traced now
  size_t known = 0;     // already in the output
  size_t failed = 0;    // of the files traced now
  size_t theorems = 0;  // of the files traced now
  size_t tactics = 0;   // of the files traced now
  double seconds = 0;
};

/// kInput: no Lean files, or an output that is not a trace. kCancelled: on request; the files
/// traced so far are kept. Other errors: those of the pool.
core::Task<core::Result<TraceReport>> TraceProject(lean::Pool& pool, TraceRequest request);

}  // namespace zermelo::data
