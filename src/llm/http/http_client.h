// HTTP requests, thousands at a time, through libcurl's multi interface on an asio io_context.
//
// Proxies are taken from the environment, as in curl (http_proxy, HTTPS_PROXY, ALL_PROXY,
// NO_PROXY), unless a request is `direct`. Redirects are not followed, so a key is sent only to the
// configured server.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/async.h"
#include "core/cancellation.h"

namespace zermelo::llm {

struct HttpTimeouts {
  core::Duration connect = std::chrono::seconds(15);  // name lookup, TCP and TLS
  /// Of the body. Servers may queue a request that long, some after they have sent the headers.
  core::Duration first_byte = std::chrono::minutes(10);
  core::Duration idle = std::chrono::minutes(2);  // between bytes of a body that has begun
  bool operator==(const HttpTimeouts&) const = default;
};

struct HttpRequest {
  std::string url;
  std::vector<std::string> headers;  // "Name: value"
  std::optional<std::string> body;   // sent by POST; without a body, the request is a GET
  std::string ca_file;               // PEM; empty: the system's
  bool direct = false;               // through no proxy
  HttpTimeouts timeouts;
  size_t max_reply_bytes = 64U << 20U;
  /// Receives the body of a reply with a 2xx status piece by piece, instead of HttpReply::body.
  /// Returning false ends the request like a cancellation. May cancel and start requests.
  std::function<bool(std::string_view)> on_data;
};

/// How a request ended.
enum class HttpEnd {
  kComplete,     // the whole reply arrived
  kUnreachable,  // no connection: unknown host, refused, connect timeout; nothing was sent
  kTls,          // the server's certificate is not trusted, or the TLS handshake failed
  kBroken,       // the connection was lost, or the reply was not HTTP
  kStalled,      // first_byte or idle timeout
  kTooLarge,     // more than max_reply_bytes
  kStopped,      // on_data returned false
  kDeadline,
  kCancelled,
};

struct HttpReply {
  HttpEnd end = HttpEnd::kComplete;
  std::string what;                            // the reason in words, if not complete
  int status = 0;                              // 0: no reply arrived
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;                            // the part that arrived, unless it went to on_data
};

/// All calls on the executor's thread. Must outlive its requests.
class HttpClient {
 public:
  explicit HttpClient(const core::Executor& executor);
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  /// Sends a request. All failures are reported in the reply. A request that ends early (deadline,
  /// cancellation, on_data) closes its connection at once, even before Fetch returns.
  core::Task<HttpReply> Fetch(HttpRequest request, core::Deadline deadline,
                              core::Cancellation* cancellation = nullptr);

  const core::Executor& executor() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace zermelo::llm
