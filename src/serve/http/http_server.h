// An HTTP/1.1 server on one thread with limits on headers, bodies, connections and the time of each
// step. TLS is left to a proxy.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "core/async.h"
#include "core/cancellation.h"
#include "core/error.h"

namespace zermelo::serve {

struct HttpRequest {
  std::string method;
  std::string path;           // without the query, as sent
  std::string query;          // the part after `?`, as sent
  std::string authorization;  // the Authorization header; empty if absent
  std::string body;
  // All headers by lower-case name; repeated ones are joined by ", ".
  std::map<std::string, std::string> headers = {};
};

struct HttpResponse {
  int status = 200;
  std::string body;
  std::string content_type = "application/json";
  std::optional<int> retry_after = {};              // seconds; the Retry-After header
  std::string allow = {};                           // the Allow header of a 405
  std::map<std::string, std::string> headers = {};  // further headers
  // Set for a body that comes in pieces, in place of `body`: called, and what it returns sent,
  // until it returns nothing. Then, or when the client disconnects or the server stops, the
  // connection is closed. Must return within a second; an empty piece means that there is none yet.
  std::function<core::Task<std::optional<std::string>>()> next_piece = {};
};

/// The error response {"detail": WHAT}.
HttpResponse ErrorResponse(int status, const std::string& what);

/// One answered request. Times in seconds, sizes in bytes.
struct AccessRecord {
  std::string client;  // address and port
  std::string method;
  std::string path;
  int status = 0;  // 499: the client disconnected
  size_t bytes_in = 0;
  size_t bytes_out = 0;
  double seconds = 0;
};

/// Handles requests. Called on the executor's thread.
class HttpHandler {
 public:
  virtual ~HttpHandler() = default;
  /// May take long. `client_gone` is requested when the client disconnects. An exception becomes a
  /// 500.
  virtual core::Task<HttpResponse> Handle(HttpRequest request, core::Cancellation& client_gone) = 0;
  /// Called once for each request when it is answered or its client disconnects.
  virtual void Answered(const AccessRecord& record) = 0;
};

struct HttpLimits {
  uint32_t header_bytes = 16U << 10U;                     // more: 431
  uint64_t body_bytes = 10ULL << 20U;                     // more: 413
  uint64_t bodies_bytes = 256ULL << 20U;                  // of all open requests; more: 429
  size_t connections = 512;                               // further ones wait in the kernel
  core::Duration header_time = std::chrono::seconds(10);  // from the first byte; longer: 408
  core::Duration body_time = std::chrono::seconds(60);    // longer: 408
  core::Duration idle_time = std::chrono::seconds(75);    // before an idle connection is closed
  core::Duration write_time = std::chrono::seconds(60);   // longer: the client counts as gone
  core::Duration linger_time = std::chrono::seconds(5);   // for draining a refused body
};

class HttpServer {
 public:
  /// Binds and listens. Port 0 picks a free port. `handler` must outlive the server. Errors:
  /// kEnvironment if the server cannot listen on the address.
  static core::Result<std::unique_ptr<HttpServer>> Listen(const core::Executor& executor,
                                                          const std::string& host, uint16_t port,
                                                          HttpLimits limits, HttpHandler& handler);
  ~HttpServer();

  /// E.g. "http://127.0.0.1:8000".
  std::string url() const;
  /// Serves until Stop is called and all accepted requests are answered.
  core::Task<void> Run();
  /// Stops accepting connections and requests; Run then drains and returns.
  void Stop();

 private:
  struct Impl;
  explicit HttpServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace zermelo::serve
