// Lean's own kernel as one of the kernels of a verdict: a fresh Lean adds every constant of the
// candidate again (lean/replay/replay.h).
#pragma once

#include <memory>

#include "core/async.h"
#include "core/cancellation.h"
#include "core/error.h"
#include "engine/acceptance/other_kernels.h"
#include "lean/toolchain.h"
#include "trust/kernels/candidate_export.h"
#include "trust/kernels/second_kernel.h"

namespace zermelo::engine {

/// The verdict of "lean-replay", with the toolchain's version. `candidate`: of which nothing has
/// been read. `limits` as for the other kernels. Errors: kCancelled; kEnvironment if Lean cannot be
/// started.
core::Task<core::Result<trust::KernelVerdict>> ReplayInLean(
    const lean::Toolchain& toolchain, std::unique_ptr<trust::CandidateExport> candidate,
    const OtherKernels& limits, core::Cancellation* cancellation);

/// Whether the replay works with this Lean at all: it accepts a module without constants.
core::Task<core::Result<bool>> ReplayWorks(const lean::Toolchain& toolchain,
                                           const OtherKernels& limits,
                                           core::Cancellation* cancellation);

}  // namespace zermelo::engine
