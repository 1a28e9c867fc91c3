// MCP on standard streams: a JSON-RPC message a line, many requests at once.
#pragma once

#include <cstddef>

#include "core/async.h"
#include "core/cancellation.h"
#include "serve/mcp_protocol.h"

namespace zermelo::serve::mcp {

struct StdioLimits {
  size_t message_bytes = 16U << 20U;                     // a longer line is refused and skipped
  size_t requests = 256;                                 // at once; more are refused
  size_t unread_bytes = 8U << 20U;                       // of answers; above it nothing is read
  core::Duration write_time = std::chrono::seconds(30);  // then the client counts as gone
};

/// Serves until the input ends, the client stops reading or `stop` is requested; then cancels what
/// is under way and returns when it has ended. Reads descriptor `in` and writes `out` (pipes,
/// sockets, terminals or files), which stay open.
core::Task<void> ServeStdio(Protocol& protocol, int in, int out, StdioLimits limits,
                            core::Cancellation& stop);

}  // namespace zermelo::serve::mcp
