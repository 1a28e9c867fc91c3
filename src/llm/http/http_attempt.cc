#include "llm/http/http_attempt.h"

#include <algorithm>

#include "llm/http/sse.h"
#include "llm/usage.h"

namespace zermelo::llm {

using core::Error;
using core::ErrorCode;
using core::Fail;
using core::Result;
using core::Task;

Call::Call(const CallContext& context)
    : deadline(context.deadline), subscription(context.cancellation, [this] { stop.Request(); }) {}

void Call::Fail(const Error& reason) {
  if (!error) error = reason;
  if (reason.code == ErrorCode::kUsage || reason.code == ErrorCode::kRefused) stop.Request();
}

HttpRequest MakeHttpRequest(const Route& route, const ClientConfig& config,
                            const std::string& path) {
  return {.url = route.url + path,
          .headers = route.headers,
          .ca_file = route.config.ca_file,
          .direct = route.config.direct,
          .timeouts = route.config.timeouts,
          .max_reply_bytes = config.max_reply_bytes};
}

namespace {

bool Succeeded(const HttpReply& reply) { return reply.status >= 200 && reply.status < 300; }

/// Reads the events of a streamed reply, or the whole reply of a server that does not stream.
class StreamReader {
 public:
  explicit StreamReader(CompletionAssembler::Response& response) : response_(response) {}

  /// False: the rest of the stream is not needed.
  bool Feed(std::string_view bytes) {
    if (!has_events_) plain_ += bytes;
    sse_.Feed(bytes);
    return TakeEvents() && !response_.MayStop();
  }
  /// To be called at the end of the stream.
  void Finish() {
    if (error_ || regular_) return;
    sse_.Finish();
    if (TakeEvents() && !has_events_) TakeWhole(plain_);
  }
  /// Takes a reply that was not streamed.
  void TakeWhole(std::string_view body) {
    const auto reply = ParseReply(body);
    if (!reply) {
      error_ = reply.error();
      return;
    }
    response_.Add(*reply, /*streamed=*/false);
    regular_ = true;
  }
  /// Whether the reply marked its end.
  bool regular() const { return regular_; }
  const std::optional<ServerError>& error() const { return error_; }

 private:
  bool TakeEvents() {
    for (;;) {
      const auto event = sse_.Next();
      if (!event) error_ = ServerError{.status = 200, .message = event.error().message};
      if (!event || !*event) return !error_;
      has_events_ = true;
      plain_.clear();
      if (**event == "[DONE]") {
        regular_ = true;
        continue;
      }
      const auto piece = ParseReply(**event);
      if (!piece) {
        error_ = piece.error();
        return false;
      }
      response_.Add(*piece, /*streamed=*/true);
    }
  }

  CompletionAssembler::Response& response_;
  SseParser sse_;
  std::string plain_;  // until the first event
  bool has_events_ = false;
  bool regular_ = false;
  std::optional<ServerError> error_;
};

/// Requests the completions at some places of a call.
class GenerateAttempt final : public HttpAttempt {
 public:
  GenerateAttempt(HttpClient& http, const ClientConfig& config, const Request& request, Call& call,
                  CompletionAssembler& assembler, std::vector<size_t> places)
      : http_(http),
        config_(config),
        request_(request),
        call_(call),
        assembler_(assembler),
        places_(std::move(places)),
        prompt_tokens_(EstimatePromptTokens(request)) {}

  bool Done() const override { return assembler_.Missing(places_).empty(); }
  int64_t MaxTokens() const override {
    return prompt_tokens_ + static_cast<int64_t>(assembler_.Missing(places_).size()) *
                                request_.sampling.max_tokens.value_or(kDefaultMaxTokens);
  }
  Task<Tried> Try(const Route& route) override;

 private:
  std::vector<size_t> NextPlaces(const Dialect& dialect) const;
  Portion PortionFor(const std::vector<size_t>& places) const;
  Result<HttpRequest> MakeRequest(const Route& route, const Portion& portion) const;
  Tried Judge(const HttpReply& reply, CompletionAssembler::Response& response,
              const StreamReader& stream);

  HttpClient& http_;
  const ClientConfig& config_;
  const Request& request_;
  Call& call_;
  CompletionAssembler& assembler_;
  const std::vector<size_t> places_;
  const int64_t prompt_tokens_;
};

/// As many missing places as one request can fill; with a seed, only consecutive ones.
std::vector<size_t> GenerateAttempt::NextPlaces(const Dialect& dialect) const {
  std::vector<size_t> places = assembler_.Missing(places_);
  size_t count = 1;
  while (dialect.n && count < places.size() &&
         (!request_.sampling.seed || places[count] == places[0] + count)) {
    ++count;
  }
  places.resize(count);
  return places;
}

Portion GenerateAttempt::PortionFor(const std::vector<size_t>& places) const {
  Portion portion{.n = static_cast<int>(places.size()), .stream = config_.stream};
  if (request_.sampling.seed) portion.seed = *request_.sampling.seed + places[0];
  return portion;
}

Result<HttpRequest> GenerateAttempt::MakeRequest(const Route& route, const Portion& portion) const {
  const auto path = RequestPath(*route.dialect, request_);
  if (!path) return Fail(path.error());
  auto body =
      RequestBody(*route.dialect, route.config.model, request_, portion, route.config.extra_body);
  if (!body) return Fail(body.error());
  HttpRequest http = MakeHttpRequest(route, config_, *path);
  http.body = std::move(*body);
  return http;
}

Task<Tried> GenerateAttempt::Try(const Route& route) {
  const std::vector<size_t> places = NextPlaces(*route.dialect);
  auto http = MakeRequest(route, PortionFor(places));
  if (!http) {
    Tried tried;
    tried.refused = http.error();
    co_return tried;
  }
  CompletionAssembler::Response response(assembler_, places);
  StreamReader stream(response);
  if (config_.stream) http->on_data = [&](std::string_view bytes) { return stream.Feed(bytes); };
  const HttpReply reply = co_await http_.Fetch(std::move(*http), call_.deadline, &call_.stop);
  if (reply.end == HttpEnd::kComplete && Succeeded(reply)) {
    config_.stream ? stream.Finish() : stream.TakeWhole(reply.body);
  }
  co_return Judge(reply, response, stream);
}

Tried GenerateAttempt::Judge(const HttpReply& reply, CompletionAssembler::Response& response,
                             const StreamReader& stream) {
  Tried tried;
  const bool ended = reply.end == HttpEnd::kComplete || reply.end == HttpEnd::kStopped;
  const bool broke = response.End(stream.regular());
  tried.progress = response.Begun();
  if (!Succeeded(reply) || !ended || stream.error()) {
    tried.failure = DescribeFailure(reply, stream.error());
  } else if (broke) {
    tried.failure =
        Failure{.end = HttpEnd::kBroken, .what = "the stream ended before the reply was complete"};
  } else if (!tried.progress) {
    tried.failure = DescribeFailure(reply, ServerError{.status = 200, .message = "no completion"});
  }
  const bool left = reply.end == HttpEnd::kDeadline || reply.end == HttpEnd::kCancelled;
  if (!tried.progress && !left) return tried;
  const Usage used = response.UsedTokens(prompt_tokens_);
  call_.usage += used;
  tried.tokens = used.prompt_tokens + used.completion_tokens;
  return tried;
}

/// Requests the vectors of some consecutive texts.
class EmbedAttempt final : public HttpAttempt {
 public:
  EmbedAttempt(HttpClient& http, const ClientConfig& config, Call& call,
               std::vector<std::string> texts, std::vector<std::vector<float>>& vectors)
      : http_(http), config_(config), call_(call), texts_(std::move(texts)), vectors_(vectors) {}

  bool Done() const override { return !vectors_.empty(); }
  int64_t MaxTokens() const override {
    int64_t sum = 0;
    for (const std::string& text : texts_) sum += EstimateTokens(text);
    return sum;
  }
  Task<Tried> Try(const Route& route) override {
    HttpRequest http = MakeHttpRequest(route, config_, "/embeddings");
    http.body = EmbeddingBody(route.config.model, texts_);
    const HttpReply reply = co_await http_.Fetch(std::move(http), call_.deadline, &call_.stop);
    co_return Judge(reply);
  }

 private:
  Tried Judge(const HttpReply& reply) {
    Tried tried;
    if (reply.end != HttpEnd::kComplete || !Succeeded(reply)) {
      tried.failure = DescribeFailure(reply, std::nullopt);
      return tried;
    }
    auto parsed = ParseEmbeddings(reply.body, texts_.size());
    if (!parsed) {
      tried.failure = DescribeFailure(reply, parsed.error());
      return tried;
    }
    vectors_ = std::move(parsed->vectors);
    const Usage used =
        parsed->usage.value_or(Usage{.prompt_tokens = MaxTokens(), .estimated = true});
    call_.usage += used;
    tried.tokens = used.prompt_tokens;
    tried.progress = true;
    return tried;
  }

  HttpClient& http_;
  const ClientConfig& config_;
  Call& call_;
  const std::vector<std::string> texts_;
  std::vector<std::vector<float>>& vectors_;
};

}  // namespace

std::unique_ptr<HttpAttempt> MakeGenerateAttempt(HttpClient& http, const ClientConfig& config,
                                                 const Request& request, Call& call,
                                                 CompletionAssembler& assembler,
                                                 std::vector<size_t> places) {
  return std::make_unique<GenerateAttempt>(http, config, request, call, assembler,
                                           std::move(places));
}

std::unique_ptr<HttpAttempt> MakeEmbedAttempt(HttpClient& http, const ClientConfig& config,
                                              Call& call, std::vector<std::string> texts,
                                              std::vector<std::vector<float>>& vectors) {
  return std::make_unique<EmbedAttempt>(http, config, call, std::move(texts), vectors);
}

}  // namespace zermelo::llm
