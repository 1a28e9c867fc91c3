// Which requests are asked again, when, and what is said when they are not. All of it is here.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "core/deadline.h"
#include "core/error.h"
#include "llm/http_client.h"
#include "llm/reply_parser.h"

namespace zermelo::llm {

struct RetryPolicy {
  int max_failures = 8;  // in a row, of one request
  core::Duration first_delay = std::chrono::milliseconds(500);
  double growth = 2;  // of the delay, with each failure
  core::Duration max_delay = std::chrono::seconds(60);
  double jitter = 0.5;  // a delay is multiplied by a random number in [1 - jitter, 1]
  core::Duration max_pause = std::chrono::minutes(15);  // a server that asks for more is given up
  bool operator==(const RetryPolicy&) const = default;
};

/// An HTTP request that gave no answer.
struct Failure {
  HttpEnd end = HttpEnd::kComplete;
  ServerError server;  // when complete
  std::string what;    // the connection's trouble, when not
  /// How long the server wants to be left alone.
  std::optional<core::Duration> pause;
};

/// Reads a reply that is no success, or whose body `error` says is none. The pause is taken from
/// Retry-After (seconds or a date), retry-after-ms, Gemini's body, or OpenAI's x-ratelimit-reset-*.
Failure DescribeFailure(const HttpReply& reply, std::optional<ServerError> error);

/// Whether the same request may succeed later: not when it is refused (4xx, but 408, 409, 425 and
/// 429), the money is spent, the certificate is wrong or the answer too large.
bool MayRepeat(const Failure& failure);

/// How long to wait before the next try after `failures` in a row (from 1); nothing: give up.
/// `random` is in [0, 1). A pause is not part of it: it holds for all requests to the server.
std::optional<core::Duration> DelayBeforeRetry(const RetryPolicy& policy, const Failure& failure,
                                               int failures, double random);

/// The failure in words, for the caller. `url`: what was asked; `key_variable`: see EndpointConfig.
core::Error ToError(const Failure& failure, const std::string& url,
                    const std::string& key_variable);

}  // namespace zermelo::llm
