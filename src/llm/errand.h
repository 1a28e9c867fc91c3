// What a call needs from servers, one HTTP request at a time.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "llm/client_config.h"
#include "llm/gathering.h"
#include "llm/http_client.h"
#include "llm/model.h"
#include "llm/retry.h"

namespace zermelo::llm {

/// An endpoint as it is used.
struct Route {
  EndpointConfig config;
  const Dialect* dialect;
  std::string url;                   // without a slash at its end
  std::vector<std::string> headers;  // with the key
};

/// What the requests of one call share.
struct Call {
  explicit Call(const CallContext& context);
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  /// The first error stays. When the server refuses for good, the other requests end too.
  void Fail(const core::Error& reason);

  const core::Deadline deadline;
  core::Cancellation stop;
  const core::Cancellation::Subscription subscription;
  const core::Clock::time_point begun = core::Clock::now();
  Usage usage;
  int attempts = 0;
  std::optional<core::Error> error;
};

/// What one HTTP request came to.
struct Tried {
  std::optional<Failure> failure;
  std::optional<core::Error> refused;  // by us: it cannot be sent
  bool progress = false;               // something arrived that need not be asked for again
  int64_t tokens = 0;
};

/// A part of a call that is asked for until it is done. Must not outlive what it was made with.
class Errand {
 public:
  virtual ~Errand() = default;
  virtual bool Done() const = 0;
  /// The most that the next request may cost.
  virtual int64_t MaxTokens() const = 0;
  virtual core::Task<Tried> Try(const Route& route) = 0;
};

/// The completions at some places of a gathering.
std::unique_ptr<Errand> MakeGenerateErrand(HttpClient& http, const ClientConfig& config,
                                           const Request& request, Call& call, Gathering& gathering,
                                           std::vector<size_t> places);

/// The vectors of some texts; `vectors` is filled when it is done.
std::unique_ptr<Errand> MakeEmbedErrand(HttpClient& http, const ClientConfig& config, Call& call,
                                        std::vector<std::string> texts,
                                        std::vector<std::vector<float>>& vectors);

/// A request to an endpoint, but for its body.
HttpRequest MakeHttpRequest(const Route& route, const ClientConfig& config,
                            const std::string& path);

}  // namespace zermelo::llm
