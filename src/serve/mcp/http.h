// MCP's streamable HTTP transport: one path, one message per POST, answers as JSON. Serves both
// revisions side by side, without streams, since nothing is sent before the answer.
//
// Sources: /specification/2026-07-28/basic/transports/streamable-http, and that of 2025-11-25.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "serve/http/http_server.h"
#include "serve/mcp/protocol.h"

namespace zermelo::serve::mcp {

struct HttpOptions {
  // Origins of web pages that may send requests ("https://lean.example.org"), in addition to pages
  // from this machine (localhost, 127.0.0.1, ::1). Programs send no origin and are always allowed.
  std::vector<std::string> origins;
};

class HttpEndpoint {
 public:
  /// `protocol` must outlive it.
  HttpEndpoint(Protocol& protocol, HttpOptions options)
      : protocol_(protocol), options_(std::move(options)) {}

  /// Handles one message. The caller has already authorized the client. A client that disconnects
  /// cancels its request.
  core::Task<HttpResponse> Handle(HttpRequest request, core::Cancellation& client_gone);

  /// Whether pages of an origin may send requests; an empty one is a program.
  bool Welcome(const std::string& origin) const;

 private:
  core::Task<HttpResponse> Serve(const HttpRequest& http, RpcMessage request, bool modern,
                                 core::Cancellation& client_gone);

  Protocol& protocol_;
  const HttpOptions options_;
  // Running requests of clients with a session, which may cancel them by a notification; by session
  // and id as JSON.
  std::map<std::string, core::Cancellation*> running_;
};

}  // namespace zermelo::serve::mcp
