// MCP over standard streams: one JSON-RPC message per line, many requests at once.
#pragma once

#include "core/async.h"
#include "core/cancellation.h"
#include "serve/mcp/protocol.h"
#include "serve/rpc/stream.h"

namespace zermelo::serve::mcp {

using StdioLimits = StreamLimits;

/// Serves until the input ends, the client stops reading or `stop` is requested, then cancels all
/// running requests and waits for them. Reads descriptor `in` and writes `out` (pipes, sockets,
/// terminals or files), which stay open.
core::Task<void> ServeStdio(Protocol& protocol, int in, int out, StdioLimits limits,
                            core::Cancellation& stop);

}  // namespace zermelo::serve::mcp
