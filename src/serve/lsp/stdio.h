// The language server over standard streams: "Content-Length: N" frames.
#pragma once

#include "core/async.h"
#include "core/cancellation.h"
#include "serve/lsp/server.h"
#include "serve/rpc/stream.h"

namespace zermelo::serve::lsp {

/// Serves until the client sends `exit`, the input ends or is not LSP, the client stops reading or
/// `stop` is requested; then ends all work in progress. Returns an error if the input is not LSP,
/// or if the input ends or `exit` arrives without `shutdown` before it (kCrashed). Descriptors as
/// for mcp::ServeStdio.
core::Task<core::Status> ServeStdio(Projects& projects, mcp::ProofJobs& jobs, ServerOptions options,
                                    int in, int out, StreamLimits limits, core::Cancellation& stop);

}  // namespace zermelo::serve::lsp
