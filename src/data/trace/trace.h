// Traces the proofs of a Lean file: every tactic with the states before and after it and the
// constants that it names.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/async.h"
#include "core/error.h"
#include "lean/checker.h"
#include "lean/toolchain.h"

namespace zermelo::data {

struct TraceInput {
  std::string file;    // relative to the project
  std::string module;  // "A.B" for A/B.lean
  std::string text;
  core::Duration limit = std::chrono::minutes(10);  // for the whole file
  core::Cancellation* cancellation = nullptr;       // may be null; must outlive the trace
};

/// What a trace says of one file, as in docs/training.md.
struct TracedFile {
  nlohmann::json head;                   // the file, with its text
  std::vector<nlohmann::json> theorems;  // those with tactics, in the order of the file
  size_t tactics = 0;
  bool failed = false;  // `head` says why; another trace may succeed
};

/// Elaborates the file once and queries the states. For a file that Lean does not finish, or whose
/// imports are missing, the result has an error. Errors: kCancelled, kEnvironment.
core::Task<core::Result<TracedFile>> TraceFile(lean::Checker& checker,
                                               const lean::Toolchain& toolchain,
                                               const TraceInput& input);

}  // namespace zermelo::data
