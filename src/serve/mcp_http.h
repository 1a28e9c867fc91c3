// MCP's streamable HTTP: one path, a message a POST, answers as JSON. Serves both revisions side by
// side; no streams, since nothing is told before the answer.
//
// Sources: /specification/2026-07-28/basic/transports/streamable-http, and the same of 2025-11-25.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "serve/http_server.h"
#include "serve/mcp_protocol.h"

namespace zermelo::serve::mcp {

struct HttpOptions {
  // Beside pages from this machine (localhost, 127.0.0.1, ::1), pages from these origins
  // ("https://lean.example.org") may ask; programs send no origin.
  std::vector<std::string> origins;
};

class HttpEndpoint {
 public:
  /// `protocol` must outlive it.
  HttpEndpoint(Protocol& protocol, HttpOptions options)
      : protocol_(protocol), options_(std::move(options)) {}

  /// Whoever may ask has been found out before. A client that goes away cancels its request.
  core::Task<HttpResponse> Handle(HttpRequest request, core::Cancellation& client_gone);

 private:
  bool Welcome(const std::string& origin) const;
  core::Task<HttpResponse> Serve(const HttpRequest& http, Message request, bool modern,
                                 core::Cancellation& client_gone);

  Protocol& protocol_;
  const HttpOptions options_;
  // Under way, of clients with a session, which may cancel them by a notification: by session and
  // id as JSON.
  std::map<std::string, core::Cancellation*> running_;
};

}  // namespace zermelo::serve::mcp
