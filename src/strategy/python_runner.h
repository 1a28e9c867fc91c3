// Programs that a model wrote, to compute with.
#pragma once

#include <cstdint>
#include <string>

#include "core/async.h"
#include "core/cancellation.h"
#include "core/error.h"

namespace zermelo::strategy {

struct PythonTask {
  std::string script;
  core::Duration time = std::chrono::seconds(20);
  uint64_t memory = 512ULL << 20U;  // bytes
};

struct PythonResult {
  std::string out;     // UTF-8; what is too long lacks its middle, and says so
  std::string errors;  // likewise
  int code = 0;        // exit code; -1: a signal ended it
  std::string ended;   // why it was ended from outside: "after 20 s"; empty: it was not
};

/// Calls may overlap; the runner must outlive them.
class PythonRunner {
 public:
  virtual ~PythonRunner() = default;
  /// Runs a program to its end, or to that of its time or memory, where it can do no harm.
  /// `cancellation` may be null. Errors: kEnvironment when it cannot be started; kCancelled.
  virtual core::Task<core::Result<PythonResult>> Run(PythonTask task,
                                                     core::Cancellation* cancellation) = 0;
};

}  // namespace zermelo::strategy
