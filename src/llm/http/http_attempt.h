// The parts of a call, each carried out by one HTTP request at a time.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "llm/client_config.h"
#include "llm/http/completion_assembler.h"
#include "llm/http/http_client.h"
#include "llm/http/retry.h"
#include "llm/model.h"

namespace zermelo::llm {

/// An endpoint with everything that a request needs.
struct Route {
  EndpointConfig config;
  const Dialect* dialect;
  std::string url;                   // without a slash at the end
  std::vector<std::string> headers;  // including the key
};

/// State that the requests of one call share.
struct Call {
  explicit Call(const CallContext& context);
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  /// Records an error; the first one is kept. A permanent refusal (kUsage) also ends the other
  /// requests.
  void Fail(const core::Error& reason);

  const core::Deadline deadline;
  core::Cancellation stop;
  const core::Cancellation::Subscription subscription;
  const core::Clock::time_point begun = core::Clock::now();
  Usage usage;
  int attempts = 0;
  std::optional<core::Error> error;
};

/// The outcome of one HTTP request.
struct Tried {
  std::optional<Failure> failure;
  std::optional<core::Error> refused;  // the request cannot be built for this endpoint
  bool progress = false;               // something arrived that need not be requested again
  int64_t tokens = 0;
};

/// A part of a call, to be tried until it is done. Must not outlive the arguments of its creation.
class HttpAttempt {
 public:
  virtual ~HttpAttempt() = default;
  virtual bool Done() const = 0;
  /// The maximum number of tokens that the next request may cost.
  virtual int64_t MaxTokens() const = 0;
  virtual core::Task<Tried> Try(const Route& route) = 0;
};

/// Requests the completions at some places of an assembler.
std::unique_ptr<HttpAttempt> MakeGenerateAttempt(HttpClient& http, const ClientConfig& config,
                                                 const Request& request, Call& call,
                                                 CompletionAssembler& assembler,
                                                 std::vector<size_t> places);

/// Requests the vectors of some texts; `vectors` is filled when it is done.
std::unique_ptr<HttpAttempt> MakeEmbedAttempt(HttpClient& http, const ClientConfig& config,
                                              Call& call, std::vector<std::string> texts,
                                              std::vector<std::vector<float>>& vectors);

/// A request to an endpoint, without its body.
HttpRequest MakeHttpRequest(const Route& route, const ClientConfig& config,
                            const std::string& path);

}  // namespace zermelo::llm
