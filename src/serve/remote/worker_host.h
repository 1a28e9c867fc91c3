// The far side of a worker that a Zermelo on another machine has started through a launcher: finds
// Lean as ordered, runs `lean --worker` in its sandbox and relays the messages between the two
// (lean/remote/remote.h, docs/workers.md).
#pragma once

#include <filesystem>
#include <functional>

#include "core/async.h"
#include "core/error.h"
#include "lean/remote/remote.h"
#include "lean/toolchain.h"

namespace zermelo::serve {

struct WorkerHostOptions {
  /// Finds the Lean of a project's folder (empty: of no project).
  std::function<core::Task<core::Result<lean::Toolchain>>(const lean::remote::Order& order)>
      find_lean;
  lean::remote::Fingerprint fingerprint;
  core::Duration abandoned = lean::remote::kAbandoned;
};

/// Serves one worker on these descriptors until its input ends, nothing has arrived for a while, or
/// its Lean has died; no process is left then. Returns false if no order arrived or it was refused.
core::Task<bool> HostWorker(WorkerHostOptions options, int in, int out);

}  // namespace zermelo::serve
