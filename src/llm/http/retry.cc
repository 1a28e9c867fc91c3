#include "llm/http/retry.h"

#include <algorithm>
#include <cmath>
#include <curl/curl.h>
#include <fmt/format.h>

#include "core/text.h"

namespace zermelo::llm {

using core::Duration;
using core::Error;
using core::ErrorCode;

namespace {

using ReplyHeaders = std::map<std::string, std::string>;

std::optional<std::string> Header(const ReplyHeaders& headers, const std::string& name) {
  const auto found = headers.find(name);
  return found == headers.end() ? std::nullopt : std::optional(found->second);
}

std::optional<Duration> DurationHeader(const ReplyHeaders& headers, const std::string& name) {
  const auto value = Header(headers, name);
  return value ? ParseDuration(*value) : std::nullopt;
}

/// Seconds until an HTTP date.
std::optional<Duration> UntilDate(const std::string& date) {
  const time_t at = curl_getdate(date.c_str(), nullptr);
  if (at < 0) return std::nullopt;
  return core::FromSeconds(std::clamp(std::difftime(at, std::time(nullptr)), 0.0, 86400.0));
}

/// OpenAI reports separately for requests and tokens when the limit is reset; the limit that was
/// hit counts.
std::optional<Duration> UntilReset(const ReplyHeaders& headers) {
  std::optional<Duration> pause;
  for (const char* what : {"requests", "tokens"}) {
    const auto left = Header(headers, std::string("x-ratelimit-remaining-") + what);
    const auto reset = DurationHeader(headers, std::string("x-ratelimit-reset-") + what);
    if (reset && (!left || *left == "0")) pause = std::max(pause.value_or(Duration()), *reset);
  }
  return pause;
}

std::optional<Duration> AskedPause(const HttpReply& reply) {
  if (const auto ms = DurationHeader(reply.headers, "retry-after-ms")) return *ms / 1000;
  if (const auto after = Header(reply.headers, "retry-after")) {
    if (const auto seconds = ParseDuration(*after)) return seconds;
    if (const auto until = UntilDate(*after)) return until;
  }
  return reply.status == 429 ? UntilReset(reply.headers) : std::nullopt;
}

/// Whether a message has one of these words, in upper or lower case.
bool Says(const std::string& message, std::initializer_list<const char*> words) {
  const std::string lower = core::InLowerCase(message);
  return std::ranges::any_of(
      words, [&](const char* word) { return lower.find(word) != std::string::npos; });
}

/// The error of a request that is too long, has fields unknown to the server, or is refused for a
/// reason of its own. What is refused for want of money is not refused for what it says.
Error Refusal(int status, const std::string& what, const std::string& message) {
  if (Says(message,
           {"context length", "context size", "context window", "maximum context", "max_model_len",
            "context limit", "prompt is too long", "max_new_tokens", "maximum number of tokens"})) {
    return {ErrorCode::kTooLong, what,
            "prompt and max_tokens exceed the model's context: lower max_tokens in its "
            "`sampling`, or start the server with a larger context"};
  }
  if (Says(message, {"unknown name", "extra inputs", "extra fields", "unrecognized request",
                     "unsupported parameter", "unknown field", "unexpected keyword",
                     "additional properties", "not permitted"})) {
    return {ErrorCode::kUsage, what,
            "the server does not accept a field of the request: check its `dialect`"};
  }
  const bool unpaid = Says(message, {"credit", "billing", "quota", "balance", "payment", "fund"});
  const bool is_about_the_prompt = (status == 400 || status == 413 || status == 422) && !unpaid;
  return {is_about_the_prompt ? ErrorCode::kRefused : ErrorCode::kUsage, what, ""};
}

}  // namespace

Failure DescribeFailure(const HttpReply& reply, std::optional<ServerError> error) {
  Failure failure{.end = reply.end, .what = reply.what};
  failure.server = error ? *error : ParseError(reply.body, reply.status);
  if (reply.status >= 300 && reply.status < 400) {
    failure.server.message = "the server redirects to " +
                             Header(reply.headers, "location").value_or("an unknown address");
  }
  failure.pause = AskedPause(reply);
  if (!failure.pause) failure.pause = failure.server.retry_after;
  return failure;
}

bool MayRepeat(const Failure& failure) {
  switch (failure.end) {
    case HttpEnd::kUnreachable:
    case HttpEnd::kBroken:
    case HttpEnd::kStalled:
      return true;
    case HttpEnd::kComplete:
    case HttpEnd::kStopped:  // at an error in a stream
      break;
    default:
      return false;
  }
  if (failure.server.kind == "insufficient_quota") return false;  // OpenAI: out of credit
  switch (failure.server.status) {
    case 408:  // Request Timeout
    case 409:  // Conflict
    case 425:  // Too Early
    case 429:  // Too Many Requests
      return true;
    case 501:  // Not Implemented
    case 505:  // HTTP Version Not Supported
      return false;
    default:  // below 300: an unusable body
      return failure.server.status >= 500 || failure.server.status < 300;
  }
}

std::optional<Duration> DelayBeforeRetry(const RetryPolicy& policy, const Failure& failure,
                                         int failures, double random) {
  if (failures >= policy.max_failures || !MayRepeat(failure)) return std::nullopt;
  if (failure.pause && *failure.pause > policy.max_pause) return std::nullopt;
  const double delay =
      std::min(core::Seconds(policy.max_delay),
               core::Seconds(policy.first_delay) * std::pow(policy.growth, failures - 1));
  return core::FromSeconds(delay * (1 - policy.jitter * random));
}

Error ToError(const Failure& failure, const std::string& url, const std::string& key_variable) {
  const auto& [status, kind, message, retry_after] = failure.server;
  const auto error = [&](ErrorCode code, const std::string& what, std::string hint = "") {
    return Error{code, url + ": " + what, std::move(hint)};
  };
  switch (failure.end) {
    case HttpEnd::kUnreachable:
      return error(ErrorCode::kEnvironment, failure.what,
                   "check that the model server is running at this address");
    case HttpEnd::kTls:
      return error(ErrorCode::kEnvironment, failure.what,
                   "set ca_file if the server has its own certificate authority");
    case HttpEnd::kComplete:
    case HttpEnd::kStopped:
      break;
    default:
      return error(ErrorCode::kEnvironment, failure.what);
  }
  if (status < 300)
    return error(ErrorCode::kEnvironment, "invalid reply: " + message,
                 "check that this is the address of a model server");
  std::string what = fmt::format("status {}: {}", status, message);
  if (failure.pause) what += fmt::format(" (retry after {:.0f} s)", core::Seconds(*failure.pause));
  if (MayRepeat(failure) || status >= 500) return error(ErrorCode::kEnvironment, what);
  if (status == 401 || status == 403) {
    return error(ErrorCode::kUsage, what,
                 key_variable.empty()
                     ? "set key_env to the name of the environment variable with the API key"
                     : "check the key in the environment variable " + key_variable);
  }
  if (status == 404)
    return error(ErrorCode::kUsage, what, "check the name of the model and the address");
  return Refusal(status, url + ": " + what, message);
}

}  // namespace zermelo::llm
