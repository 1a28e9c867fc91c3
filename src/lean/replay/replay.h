// Lean's kernel, run again on what a compiled module declares (replay.lean): in a fresh Lean, which
// has elaborated nothing of the module's text and never reads the module's file.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/async.h"
#include "core/cancellation.h"
#include "core/error.h"
#include "lean/toolchain.h"

namespace zermelo::lean {

enum class ReplayOutcome : uint8_t { kAccepted, kRejected, kDeclined };

struct ReplayAnswer {
  ReplayOutcome outcome = ReplayOutcome::kDeclined;
  size_t constants = 0;     // that were added, if it accepts
  std::string declaration;  // the first that it refused; empty: none, or no particular one
  std::string reason;       // empty if it accepts
};

/// Reads the line that the program prints at its end; nullopt if it is something else.
std::optional<ReplayAnswer> ParseReplayAnswer(std::string_view line);

struct ReplayLimits {
  core::Duration time = std::chrono::minutes(10);
  uint64_t bytes = 8ULL << 30U;  // resident memory
  core::Duration standstill = kStandstill;
};

/// `exported`: a line with the modules that the module imports, `{"imports":[["Init"]]}`, each as
/// the parts of its name, then NDJSON 3.1 of what it declares itself, with indices that leave
/// nothing out (trust::CandidateExport). Lean imports these modules from the toolchain's search
/// path, and its kernel checks and adds each declaration.
///
/// Rejected: the kernel refuses one, or a constructor or recursor is not what it makes of an
/// inductive type. Declined: a limit, a declaration that cannot be replayed (a name of an import
/// with other terms), or a Lean that cannot run the program, dies, hangs or answers something else;
/// one that dies or hangs is started once more. Errors: kCancelled; kEnvironment if no process can
/// be started.
core::Task<core::Result<ReplayAnswer>> Replay(const Toolchain& toolchain, std::string_view exported,
                                              ReplayLimits limits,
                                              core::Cancellation* cancellation);

}  // namespace zermelo::lean
