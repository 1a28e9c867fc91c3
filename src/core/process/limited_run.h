// Runs a child process that answers once, with limits on its time and memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/async.h"
#include "core/cancellation.h"
#include "core/error.h"
#include "core/process/subprocess.h"

namespace zermelo::core {

struct RunLimits {
  Duration time{};                          // of the clock
  uint64_t bytes = 0;                       // resident memory
  size_t output = 1U << 20U;                // kept of each stream
  std::optional<Duration> standstill = {};  // StandstillGuard's window
};

struct LimitedRun {
  ExitStatus status;
  std::string out, err;
  std::string limit;  // the one that it reached, as a sentence: "it needs more than 10 s"
  bool hung = false;  // that limit is the standstill
};

/// Runs a program to its end with `input` on its standard input, and kills it at a limit or when
/// `cancellation` (which may be null) is requested; its outcome then says nothing. kEnvironment if
/// it cannot be started.
Task<Result<LimitedRun>> RunLimited(SubprocessOptions options, std::string_view input,
                                    RunLimits limits, Cancellation* cancellation);

}  // namespace zermelo::core
