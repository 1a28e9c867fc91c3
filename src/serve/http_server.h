// HTTP/1.1 on one thread, bounded in every direction: headers, bodies, connections, and the time
// that each step may take. TLS is left to a proxy.
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
  std::string query;          // what stands behind its `?`, as sent
  std::string authorization;  // the header, or empty
  std::string body;
  // All, by their names in small letters; what a client sends twice is joined by ", ".
  std::map<std::string, std::string> headers = {};
};

struct HttpResponse {
  int status = 200;
  std::string body;
  std::string content_type = "application/json";
  std::optional<int> retry_after = {};              // seconds
  std::string allow = {};                           // methods, with 405
  std::map<std::string, std::string> headers = {};  // beside these
};

/// What clients are told when something is wrong: {"detail": WHAT}.
HttpResponse ErrorResponse(int status, const std::string& what);

/// One answered request. Times in seconds, sizes in bytes.
struct AccessRecord {
  std::string client;  // address and port
  std::string method;
  std::string path;
  int status = 0;  // 499: the client went away
  size_t bytes_in = 0;
  size_t bytes_out = 0;
  double seconds = 0;
};

/// What the server does with a request. Called on the executor's thread; answers may take long.
class HttpHandler {
 public:
  virtual ~HttpHandler() = default;
  /// `client_gone` is requested when nobody waits for the answer any more.
  virtual core::Task<HttpResponse> Handle(HttpRequest request, core::Cancellation& client_gone) = 0;
  virtual void Answered(const AccessRecord& record) = 0;
};

struct HttpLimits {
  uint32_t header_bytes = 16U << 10U;                     // more: 431
  uint64_t body_bytes = 10ULL << 20U;                     // more: 413
  uint64_t bodies_bytes = 256ULL << 20U;                  // of all requests at once; more: 429
  size_t connections = 512;                               // more wait in the kernel
  core::Duration header_time = std::chrono::seconds(10);  // from the first byte; more: 408
  core::Duration body_time = std::chrono::seconds(60);    // more: 408
  core::Duration idle_time = std::chrono::seconds(75);    // then a connection is closed
  core::Duration write_time = std::chrono::seconds(60);   // then the client counts as gone
  core::Duration linger_time = std::chrono::seconds(5);   // for a refused body to be sent and read
};

class HttpServer {
 public:
  /// kEnvironment when the address cannot be listened on. Port 0 takes a free one. `handler` must
  /// outlive the server.
  static core::Result<std::unique_ptr<HttpServer>> Listen(const core::Executor& executor,
                                                          const std::string& host, uint16_t port,
                                                          HttpLimits limits, HttpHandler& handler);
  ~HttpServer();

  /// "http://127.0.0.1:8000".
  std::string url() const;
  /// Serves until Stop, then until what was accepted is answered.
  core::Task<void> Run();
  /// Takes no more connections or requests, and lets Run return.
  void Stop();

 private:
  struct Impl;
  explicit HttpServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace zermelo::serve
