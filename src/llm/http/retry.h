// The policy of retries: which requests are retried, when, and the error if they are not.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "core/deadline.h"
#include "core/error.h"
#include "llm/http/http_client.h"
#include "llm/reply_parser.h"

namespace zermelo::llm {

struct RetryPolicy {
  int max_failures = 8;  // consecutive failures of one request
  core::Duration first_delay = std::chrono::milliseconds(500);
  double growth = 2;  // of the delay, with each failure
  core::Duration max_delay = std::chrono::seconds(60);
  double jitter = 0.5;  // a delay is multiplied by a random number in [1 - jitter, 1]
  /// A longer pause is not waited for: the request fails.
  core::Duration max_pause = std::chrono::minutes(15);
  bool operator==(const RetryPolicy&) const = default;
};

/// An HTTP request without an answer.
struct Failure {
  HttpEnd end = HttpEnd::kComplete;
  ServerError server;  // if complete
  std::string what;    // the error of the connection, if not complete
  /// How long the server asks to wait.
  std::optional<core::Duration> pause;
};

/// Describes an unsuccessful reply, or one whose body contains `error`. The pause is taken from
/// Retry-After (seconds or a date), retry-after-ms, Gemini's body, or OpenAI's x-ratelimit-reset-*.
Failure DescribeFailure(const HttpReply& reply, std::optional<ServerError> error);

/// Whether the same request may succeed later. False if it is refused (4xx except 408, 409, 425 and
/// 429; 501; 505), the quota is spent, the certificate is not trusted, the reply is too large, or
/// the deadline or a cancellation ended it.
bool MayRepeat(const Failure& failure);

/// How long to wait before the next try after `failures` consecutive ones (from 1); nothing: give
/// up. `random` is in [0, 1). Does not include the pause, which applies to all requests to the
/// server.
std::optional<core::Duration> DelayBeforeRetry(const RetryPolicy& policy, const Failure& failure,
                                               int failures, double random);

/// The error for the caller. `url`: of the endpoint; `key_variable`: see EndpointConfig.
core::Error ToError(const Failure& failure, const std::string& url,
                    const std::string& key_variable);

}  // namespace zermelo::llm
