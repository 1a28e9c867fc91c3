#include "llm/client.h"

#include <algorithm>
#include <cstdlib>
#include <random>

#include "core/files/file.h"
#include "llm/endpoint.h"
#include "llm/http/http_attempt.h"
#include "llm/usage.h"

namespace zermelo::llm {

using core::Deadline;
using core::Error;
using core::ErrorCode;
using core::Fail;
using core::Result;
using core::Task;

namespace {

/// Replaces "${NAME}" by the value of the environment variable.
Result<std::string> Expand(const std::string& text) {
  const size_t begin = text.find("${");
  const size_t end = text.find('}', begin);
  if (begin == std::string::npos || end == std::string::npos) return text;
  const std::string name = text.substr(begin + 2, end - begin - 2);
  const char* const value = std::getenv(name.c_str());
  if (value == nullptr || *value == '\0') {
    return Fail(ErrorCode::kUsage, "the environment variable " + name + " is not set");
  }
  auto rest = Expand(text.substr(end + 1));
  if (!rest) return rest;
  return text.substr(0, begin) + value + *rest;
}

Result<std::vector<std::string>> Headers(const EndpointConfig& config) {
  std::vector<std::string> templates = config.headers;
  if (!config.key_variable.empty()) {
    templates.push_back("Authorization: Bearer ${" + config.key_variable + "}");
  }
  std::vector<std::string> headers = {"Content-Type: application/json"};
  for (const std::string& each : templates) {
    auto header = Expand(each);
    if (!header) return Fail(header.error());
    const bool printable = std::none_of(header->begin(), header->end(),
                                        [](unsigned char c) { return c < 0x20 || c == 0x7F; });
    const size_t colon = header->find(": ");
    if (!printable || colon == 0 || colon == std::string::npos) {
      return Fail(ErrorCode::kUsage,
                  "'" + each.substr(0, each.find(':')) +
                      "' is not an HTTP header of the form 'Name: value'",
                  "remove line breaks and other control characters from its value");
    }
    headers.push_back(std::move(*header));
  }
  return headers;
}

Result<Route> MakeRoute(const EndpointConfig& config) {
  Route route{.config = config, .dialect = &Describe(config.dialect), .url = config.url};
  while (route.url.ends_with('/')) route.url.pop_back();
  if (!route.url.starts_with("http://") && !route.url.starts_with("https://")) {
    return Fail(ErrorCode::kUsage, "'" + config.url + "' is not an http:// or https:// URL",
                "write the address of the model server as http://HOST:PORT/v1");
  }
  if (!config.ca_file.empty()) {
    const auto readable = core::ReadTextFile(config.ca_file);
    if (!readable) return Fail(readable.error());
  }
  auto headers = Headers(config);
  if (!headers) return Fail(headers.error());
  route.headers = std::move(*headers);
  return route;
}

std::vector<EndpointLimits> LimitsOf(const ClientConfig& config) {
  std::vector<EndpointLimits> limits;
  limits.reserve(config.endpoints.size());
  for (const auto& endpoint : config.endpoints) limits.push_back(endpoint.limits);
  return limits;
}

/// Whether the failure is the endpoint's fault, not the request's.
bool IsUnwell(const Failure& failure) {
  switch (failure.end) {
    case HttpEnd::kUnreachable:
    case HttpEnd::kTls:
    case HttpEnd::kBroken:
    case HttpEnd::kStalled:
      return true;
    default:
      return failure.server.status >= 500 || failure.server.status == 200;
  }
}

}  // namespace

struct Client::Impl {
  Impl(HttpClient& http, ClientConfig config, std::vector<Route> routes)
      : http(http),
        config(std::move(config)),
        routes(std::move(routes)),
        endpoints(http.executor(), LimitsOf(this->config)) {}

  Task<void> Persist(Call& call, HttpAttempt& attempt);
  Task<void> Sleep(core::Duration delay, Call& call);
  std::optional<core::Duration> Retry(Call& call, size_t endpoint, const Failure& failure,
                                      int failures);
  std::vector<std::unique_ptr<HttpAttempt>> Split(const Request& request, Call& call,
                                                  CompletionAssembler& assembler);
  Task<void> RunAll(Call& call, const std::vector<std::unique_ptr<HttpAttempt>>& attempts);

  HttpClient& http;
  const ClientConfig config;
  const std::vector<Route> routes;
  EndpointSet endpoints;
  std::mt19937_64 random{std::random_device()()};  // jitter must differ between processes
};

/// Sends requests until the attempt is done or a failure is final, which is stored in the call.
Task<void> Client::Impl::Persist(Call& call, HttpAttempt& attempt) {
  int failures = 0;
  std::optional<size_t> avoid;
  while (!attempt.Done()) {
    core::Duration delay(0);
    {
      auto lease = co_await endpoints.Acquire(attempt.MaxTokens(), avoid, call.deadline, call.stop);
      if (!lease) {
        call.Fail(lease.error());
        co_return;
      }
      const size_t endpoint = lease->endpoint();
      ++call.attempts;
      const Tried tried = co_await attempt.Try(routes[endpoint]);
      lease->SetTokens(tried.tokens);
      if (tried.refused) {
        call.Fail(*tried.refused);
        co_return;
      }
      if (tried.progress) failures = 0;
      avoid.reset();
      if (!tried.failure) {
        endpoints.NoteSuccess(endpoint);
        continue;
      }
      const auto again = Retry(call, endpoint, *tried.failure, ++failures);
      if (!again) co_return;
      delay = *again;
      avoid = endpoint;
    }
    // Other endpoints are tried without a delay.
    if (!attempt.Done() && failures >= static_cast<int>(routes.size())) co_await Sleep(delay, call);
  }
}

/// Notes a failure of an endpoint and returns the delay before the next try; nothing: give up.
std::optional<core::Duration> Client::Impl::Retry(Call& call, size_t endpoint,
                                                  const Failure& failure, int failures) {
  if (failure.end == HttpEnd::kDeadline) {
    call.Fail({ErrorCode::kTimeout, routes[endpoint].url + ": no answer before the deadline"});
    return std::nullopt;
  }
  if (failure.end == HttpEnd::kCancelled) {
    call.Fail({ErrorCode::kCancelled, "cancelled"});
    return std::nullopt;
  }
  if (IsUnwell(failure)) endpoints.NoteFailure(endpoint);
  if (failure.pause) endpoints.Pause(endpoint, std::min(*failure.pause, config.retry.max_pause));
  const double dice = std::uniform_real_distribution<double>()(random);
  const auto delay = DelayBeforeRetry(config.retry, failure, failures, dice);
  if (!delay) {
    const Route& route = routes[endpoint];
    call.Fail(ToError(failure, route.url, route.config.key_variable));
  }
  return delay;
}

Task<void> Client::Impl::Sleep(core::Duration delay, Call& call) {
  if (call.stop.requested()) co_return;
  core::Signal woken(http.executor());
  const core::Cancellation::Subscription subscription(call.stop, [&woken] { woken.Notify(); });
  co_await woken.Wait(call.deadline.Earlier(Deadline::After(delay)));
}

/// One attempt for all completions, or one for each if a server cannot return several, or if each
/// can be stopped at its fence and a repeated prompt costs little.
std::vector<std::unique_ptr<HttpAttempt>> Client::Impl::Split(const Request& request, Call& call,
                                                              CompletionAssembler& assembler) {
  const bool apart = std::any_of(routes.begin(), routes.end(), [&](const Route& route) {
    return !route.dialect->n || (request.stop_at_fence && route.dialect->caches_prompts);
  });
  std::vector<std::vector<size_t>> parts(apart ? static_cast<size_t>(request.sampling.n) : 1);
  for (size_t i = 0; i < static_cast<size_t>(request.sampling.n); ++i) {
    parts[apart ? i : 0].push_back(i);
  }
  std::vector<std::unique_ptr<HttpAttempt>> attempts;
  attempts.reserve(parts.size());
  for (auto& places : parts) {
    attempts.push_back(
        MakeGenerateAttempt(http, config, request, call, assembler, std::move(places)));
  }
  return attempts;
}

Task<void> Client::Impl::RunAll(Call& call,
                                const std::vector<std::unique_ptr<HttpAttempt>>& attempts) {
  core::TaskGroup group(http.executor());
  for (const auto& attempt : attempts) group.Spawn(Persist(call, *attempt));
  co_await group.Join();
}

Client::Client(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Client::~Client() = default;

const std::string& Client::name() const { return impl_->config.name; }

Result<std::unique_ptr<Client>> Client::Create(HttpClient& http, ClientConfig config) {
  const auto named = [&config](Error error) {
    error.message = "model " + config.name + ": " + error.message;
    return Fail(std::move(error));
  };
  if (config.endpoints.empty()) return named({ErrorCode::kUsage, "no endpoint is configured"});
  std::vector<Route> routes;
  for (const EndpointConfig& endpoint : config.endpoints) {
    auto route = MakeRoute(endpoint);
    if (!route) return named(route.error());
    routes.push_back(std::move(*route));
  }
  auto impl = std::make_unique<Impl>(http, std::move(config), std::move(routes));
  return std::unique_ptr<Client>(new Client(std::move(impl)));
}

Task<Result<Reply>> Client::Generate(Request request, CallContext context) {
  if (request.sampling.n < 1 || request.sampling.max_tokens.value_or(kDefaultMaxTokens) < 1) {
    co_return Fail(ErrorCode::kUsage, "n and max_tokens must be positive");
  }
  Call call(context);
  CompletionAssembler assembler(request, context.on_completion);
  const auto attempts = impl_->Split(request, call, assembler);
  co_await impl_->RunAll(call, attempts);

  Reply reply;
  reply.completions = assembler.Take();
  const bool cancelled = context.cancellation != nullptr && context.cancellation->requested();
  if (cancelled || reply.completions.empty()) {
    if (context.on_lost_usage && call.usage != Usage()) context.on_lost_usage(call.usage);
    if (cancelled) co_return Fail(ErrorCode::kCancelled, "cancelled");
    co_return Fail(call.error.value_or(
        Error{ErrorCode::kInternal, "the call ended with neither a completion nor an error"}));
  }
  reply.usage = call.usage;
  reply.model = assembler.model;
  reply.seconds = core::Seconds(core::Clock::now() - call.begun);
  reply.attempts = call.attempts;
  co_return reply;
}

Task<Result<Embeddings>> Client::Embed(std::vector<std::string> texts, CallContext context) {
  Call call(context);
  const size_t batch = impl_->config.max_embedding_batch;
  std::vector<std::vector<std::vector<float>>> vectors((texts.size() + batch - 1) / batch);
  std::vector<std::unique_ptr<HttpAttempt>> attempts;
  for (size_t i = 0; i < vectors.size(); ++i) {
    const auto begin = texts.begin() + static_cast<std::ptrdiff_t>(i * batch);
    const auto end =
        texts.begin() + static_cast<std::ptrdiff_t>(std::min((i + 1) * batch, texts.size()));
    attempts.push_back(MakeEmbedAttempt(impl_->http, impl_->config, call,
                                        std::vector<std::string>(begin, end), vectors[i]));
  }
  co_await impl_->RunAll(call, attempts);
  if (call.error) {
    if (context.on_lost_usage && call.usage != Usage()) context.on_lost_usage(call.usage);
    co_return Fail(*call.error);
  }
  Embeddings embeddings;
  for (auto& some : vectors) {
    std::move(some.begin(), some.end(), std::back_inserter(embeddings.vectors));
  }
  embeddings.usage = call.usage;
  co_return embeddings;
}

Task<Result<std::vector<ListedModel>>> Client::ListModels(size_t endpoint, CallContext context) {
  const Route& route = impl_->routes.at(endpoint);
  const HttpReply reply = co_await impl_->http.Fetch(
      MakeHttpRequest(route, impl_->config, "/models"), context.deadline, context.cancellation);
  std::optional<ServerError> error;
  if (reply.end == HttpEnd::kComplete && reply.status >= 200 && reply.status < 300) {
    auto models = ParseModels(reply.body);
    if (models) co_return std::move(*models);
    error = models.error();
  }
  if (reply.end == HttpEnd::kDeadline)
    co_return Fail(ErrorCode::kTimeout, route.url + ": no answer");
  if (reply.end == HttpEnd::kCancelled) co_return Fail(ErrorCode::kCancelled, "cancelled");
  co_return Fail(ToError(DescribeFailure(reply, error), route.url, route.config.key_variable));
}

}  // namespace zermelo::llm
