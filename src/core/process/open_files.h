// The limit of open files (RLIMIT_NOFILE). Each Lean takes four descriptors, each model call one.
#pragma once

namespace zermelo::core {

/// Raises this process's limit to the hard one, but to at most 65,536; programs started later by
/// Subprocess get the limit as it was. Call it before other threads run.
void RaiseOpenFileLimit();

/// Gives the calling process the limit from before RaiseOpenFileLimit. Async-signal-safe.
void RestoreOpenFileLimit();

}  // namespace zermelo::core
