// Runs Python programs that a model wrote.
#pragma once

#include <cstdint>
#include <string>

#include "core/async.h"
#include "core/cancellation.h"
#include "core/error.h"

namespace zermelo::core {

struct PythonTask {
  std::string script;
  Duration time = std::chrono::seconds(20);
  uint64_t memory = 512ULL << 20U;  // bytes
};

struct PythonResult {
  std::string out;     // standard output, UTF-8; cut in the middle, with a note, if too long
  std::string errors;  // standard error, cut the same way
  int code = 0;        // exit code; -1: ended by a signal
  std::string ended;   // why the runner ended it, such as "after 20 s"; empty: it did not
};

/// Calls may overlap; the runner must outlive them.
class PythonRunner {
 public:
  virtual ~PythonRunner() = default;
  /// Runs a program in a sandbox until it ends or exceeds its time or memory. `cancellation` may be
  /// null. Errors: kEnvironment if the program cannot be started; kCancelled.
  virtual Task<Result<PythonResult>> Run(PythonTask task, Cancellation* cancellation) = 0;
};

}  // namespace zermelo::core
