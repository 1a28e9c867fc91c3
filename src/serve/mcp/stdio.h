// MCP over standard streams: one JSON-RPC message per line, many requests at once.
#pragma once

#include <cstddef>

#include "core/async.h"
#include "core/cancellation.h"
#include "serve/mcp/protocol.h"

namespace zermelo::serve::mcp {

struct StdioLimits {
  size_t message_bytes = 16U << 20U;                     // longer lines are refused and skipped
  size_t requests = 256;                                 // concurrent ones; more are refused
  size_t unread_bytes = 8U << 20U;                       // pending output that pauses reading
  core::Duration write_time = std::chrono::seconds(30);  // longer: the client counts as gone
};

/// Serves until the input ends, the client stops reading or `stop` is requested, then cancels all
/// running requests and waits for them. Reads descriptor `in` and writes `out` (pipes, sockets,
/// terminals or files), which stay open.
core::Task<void> ServeStdio(Protocol& protocol, int in, int out, StdioLimits limits,
                            core::Cancellation& stop);

}  // namespace zermelo::serve::mcp
