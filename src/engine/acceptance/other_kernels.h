// The kernels that a Lean toolchain has beside `lean` (from 4.35 on), each a program that reads an
// NDJSON export: leanchecker-paranoid, lean4lean, nanoda, con-leche, con-ron.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/async.h"
#include "core/cancellation.h"
#include "core/error.h"
#include "lean/toolchain.h"
#include "trust/kernels/second_kernel.h"

namespace zermelo::engine {

struct OtherKernels {
  core::Duration time = std::chrono::minutes(10);  // for each
  uint64_t bytes = 8ULL << 30U;                    // resident memory, of each
  /// Called before each with its name.
  std::function<void(const std::string&)> on_start = {};
};

/// kEnvironment, with a hint, if the toolchain has none of them.
core::Status CheckHasOtherKernels(const lean::Toolchain& toolchain);

/// Runs them on an export, one after another: they may only read it, the toolchain and the system's
/// files, unless the toolchain's own Lean runs without a sandbox. `obstacle`: why no kernel could
/// judge the export; unless empty, all decline with this reason.
///
/// Accepted: exit code 0 and, from those that print one, the line that says so. Rejected: exit code
/// 1, or 101 (a panic of nanoda's), unless the memory is exhausted. Declined: everything
/// else, also a program that is missing, crashes or reaches a limit. kCancelled.
core::Task<core::Result<std::vector<trust::KernelVerdict>>> RunOtherKernels(
    const lean::Toolchain& toolchain, const std::filesystem::path& exported,
    const std::string& obstacle, const OtherKernels& limits, core::Cancellation* cancellation);

}  // namespace zermelo::engine
