#include "serve/service.h"

#include <chrono>
#include <fmt/chrono.h>
#include <nlohmann/json.hpp>

#include "core/json.h"
#include "serve/http/bearer.h"
#include "serve/http/json_fields.h"
#include "serve/opaque.h"
#include "serve/premise_search.h"
#include "serve/rewards.h"

namespace zermelo::serve {

using core::Cancellation;
using core::Task;
using nlohmann::json;

namespace {

HttpResponse JsonResponse(const json& body) {
  HttpResponse response;
  response.body = core::Dump(body);
  return response;
}

std::string Now() {
  const auto now = std::chrono::system_clock::now();
  const auto seconds = std::chrono::floor<std::chrono::seconds>(now);
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(now - seconds);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(seconds)), left.count());
}

}  // namespace

struct Service::Route {
  std::string path;
  std::string method;  // empty: several, which the handler tells apart
  bool open = false;   // needs no key
  Task<HttpResponse> (Service::*handle)(HttpRequest, Cancellation&) = nullptr;
};

const std::vector<Service::Route>& Service::Routes() {
  static const std::vector<Route> routes = {
      {"/", "GET", true, &Service::Front},
      {"/health", "GET", true, &Service::Health},
      {"/metrics", "GET", false, &Service::Metrics},
      {"/api/check", "POST", false, &Service::KiminaCheck},
      {"/verify", "POST", false, &Service::KiminaVerify},
      {"/one_pass_verify_batch", "POST", false, &Service::KiminaVerify},
      {"/get_reward", "POST", false, &Service::Reward},
      {"/execute", "POST", false, &Service::Execute},
      {"/mcp", "POST", false, &Service::Mcp},
      {"/search", "POST", false, &Service::LeanSearch},
      {"/json", "GET", false, &Service::Loogle},
      {std::string(RunPages::kPrefix), "GET", false, &Service::Runs},
      {std::string(RunJobs::kPrefix), "", false, &Service::Jobs},
  };
  return routes;
}

const Service::Route* Service::FindRoute(std::string_view path) {
  path = path.substr(0, path.find('?'));
  if (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  if (RunPages::Serves(path)) path = RunPages::kPrefix;
  if (RunJobs::Serves(path)) path = RunJobs::kPrefix;
  for (const Route& route : Routes()) {
    if (route.path == path) return &route;
  }
  return nullptr;
}

Service::Service(const core::Executor& executor, Verifier& verifier, ServiceOptions options)
    : executor_(executor), verifier_(verifier), options_(std::move(options)) {}

Task<HttpResponse> Service::Handle(HttpRequest request, Cancellation& client_gone) {
  const Route* route = FindRoute(request.path);
  if (route == nullptr) co_return ErrorResponse(404, "Not Found");
  if (!route->method.empty() && request.method != route->method) {
    auto response = ErrorResponse(405, "Method Not Allowed");
    response.allow = route->method;
    co_return response;
  }
  if (!route->open && !HasKey(request.authorization, options_.api_key)) {
    co_return Unauthorized(request.authorization);
  }
  try {
    co_return co_await (this->*route->handle)(std::move(request), client_gone);
  } catch (const BadRequest& bad) {
    co_return ErrorResponse(bad.status(), bad.what());
  }
}

void Service::Answered(const AccessRecord& record) {
  const Route* route = FindRoute(record.path);
  metrics_.Add(route == nullptr ? "other" : route->path, record.status, record.seconds);
  if (!options_.log) return;
  json line;
  line["time"] = Now();
  line["client"] = record.client;
  line["method"] = record.method;
  line["path"] = record.path;
  line["status"] = record.status;
  line["bytes_in"] = record.bytes_in;
  line["bytes_out"] = record.bytes_out;
  line["seconds"] = record.seconds;
  options_.log(core::Dump(line));
}

Task<HttpResponse> Service::Health(HttpRequest /*request*/, Cancellation& /*client_gone*/) {
  HttpResponse response;
  response.body = R"({"status":"ok"})";
  co_return response;
}

/// Browsers get the page, programs the same as from /health.
Task<HttpResponse> Service::Front(HttpRequest request, Cancellation& client_gone) {
  const bool browser = request.headers["accept"].find("text/html") != std::string::npos;
  if (browser && options_.runs != nullptr) co_return RunPages::Page();
  co_return co_await Health(std::move(request), client_gone);
}

Task<HttpResponse> Service::Runs(HttpRequest request, Cancellation& /*client_gone*/) {
  if (options_.runs == nullptr) co_return ErrorResponse(404, "Not Found");
  co_return options_.runs->Get(request);
}

/// Without a key, only pages of this machine may start runs, as in /mcp.
Task<HttpResponse> Service::Jobs(HttpRequest request, Cancellation& /*client_gone*/) {
  if (options_.jobs == nullptr) co_return ErrorResponse(404, "Not Found");
  const bool trusted =
      !options_.api_key.empty() ||
      (options_.mcp != nullptr && options_.mcp->Welcome(request.headers["origin"]));
  if (!trusted) {
    co_return ErrorResponse(403, "requests from pages of this origin are not allowed");
  }
  if (request.method == "POST" &&
      !request.headers["content-type"].starts_with("application/json")) {
    co_return ErrorResponse(415, "the body must be application/json");
  }
  co_return options_.jobs->Handle(request);
}

Task<HttpResponse> Service::Metrics(HttpRequest /*request*/, Cancellation& /*client_gone*/) {
  HttpResponse response;
  response.content_type = "text/plain; version=0.0.4; charset=utf-8";
  response.body = PrometheusText(metrics_, verifier_);
  co_return response;
}

std::unique_ptr<Verifier::Ticket> Service::Admit(size_t checks) {
  const size_t queue = verifier_.options().queue;
  if (checks > queue) {
    throw BadRequest(413, fmt::format("a batch of {} never fits into the queue of {}; "
                                      "send smaller batches",
                                      checks, queue));
  }
  return verifier_.Admit(checks);
}

HttpResponse Service::Busy() const {
  auto response = ErrorResponse(429, "the queue is full");
  response.retry_after = verifier_.RetryAfter();
  return response;
}

std::optional<HttpResponse> Service::Unavailable(VerificationStatus outcome,
                                                 const std::string& error) const {
  if (outcome != VerificationStatus::kNoWorker && outcome != VerificationStatus::kNoLean)
    return std::nullopt;
  json body;
  body["detail"] = error;
  body["outcome"] = Name(OutcomeOf(outcome));
  auto response = JsonResponse(body);
  response.status = outcome == VerificationStatus::kNoWorker ? 429 : 503;
  response.retry_after = verifier_.RetryAfter();
  return response;
}

template <class Verdict>
void Service::HideIfOpaque(std::vector<Verdict>& verdicts) const {
  if (!options_.opaque_reasons) return;
  for (Verdict& verdict : verdicts) {
    json line = LoggedReasons(verdict);
    line["time"] = Now();
    if (options_.log) options_.log(core::Dump(line));
    HideReasons(verdict);
  }
}

Task<std::vector<Verification>> Service::CheckAll(std::vector<Snippet> snippets,
                                                  Cancellation& client_gone) {
  // Verdicts with and without the rules would show together what the rules are.
  for (Snippet& snippet : snippets) snippet.rules |= options_.opaque_reasons;
  std::vector<Verification> verifications(snippets.size());
  const auto check = [&](size_t i) -> Task<void> {
    verifications[i] = co_await verifier_.Check(snippets[i], client_gone);
  };
  core::TaskGroup checks(executor_);
  for (size_t i = 0; i < snippets.size(); ++i) checks.Spawn(check(i));
  co_await checks.Join();
  co_return verifications;
}

Task<HttpResponse> Service::KiminaCheck(HttpRequest request, Cancellation& client_gone) {
  auto batch = kimina::ParseCheck(ParseObject(request.body));
  request = {};  // the checks can take long
  co_return co_await Kimina(std::move(batch), &kimina::CheckResult, client_gone);
}

Task<HttpResponse> Service::KiminaVerify(HttpRequest request, Cancellation& client_gone) {
  auto batch = kimina::ParseVerify(ParseObject(request.body));
  request = {};
  co_return co_await Kimina(std::move(batch), &kimina::VerifyResult, client_gone);
}

Task<HttpResponse> Service::Kimina(kimina::Batch batch, KiminaResult* result,
                                   Cancellation& client_gone) {
  const auto ticket = Admit(batch.snippets.size());
  if (!ticket) co_return Busy();
  auto verifications = co_await CheckAll(batch.snippets, client_gone);
  for (const Verification& verification : verifications) {
    auto problem = Unavailable(verification.outcome, verification.error);
    if (problem) co_return std::move(*problem);
  }
  HideIfOpaque(verifications);
  json answer;
  for (size_t i = 0; i < verifications.size(); ++i) {
    answer["results"].push_back(result(batch.ids[i], batch.snippets[i], verifications[i]));
  }
  co_return JsonResponse(answer);
}

Task<HttpResponse> Service::Reward(HttpRequest request, Cancellation& client_gone) {
  const auto batch = openrlhf::Parse(ParseObject(request.body));
  const auto ticket = Admit(batch.samples.size());
  if (!ticket) co_return Busy();
  std::vector<Judgement> judgements(batch.samples.size());
  const auto judge = [&](size_t i) -> Task<void> {
    const auto& sample = batch.samples[i];
    judgements[i] =
        co_await verifier_.Judge(sample.statement, sample.candidate, batch.limit, client_gone);
  };
  core::TaskGroup judging(executor_);
  for (size_t i = 0; i < batch.samples.size(); ++i) judging.Spawn(judge(i));
  co_await judging.Join();
  for (const Judgement& judgement : judgements) {
    if (judgement.reasons.empty()) continue;
    auto problem = Unavailable(judgement.outcome, judgement.reasons.front());
    if (problem) co_return std::move(*problem);
  }
  HideIfOpaque(judgements);
  json answer = openrlhf::Answer(judgements, verifier_.pool().toolchain().version,
                                 verifier_.options().allow_programs);
  if (options_.opaque_reasons) answer["lean"]["warnings"] = json::array();
  co_return JsonResponse(answer);
}

Task<HttpResponse> Service::Mcp(HttpRequest request, Cancellation& client_gone) {
  if (options_.mcp == nullptr) co_return ErrorResponse(404, "Not Found");
  co_return co_await options_.mcp->Handle(std::move(request), client_gone);
}

Task<HttpResponse> Service::Execute(HttpRequest request, Cancellation& client_gone) {
  const auto execution = nemo_gym::Parse(ParseObject(request.body));
  const auto ticket = Admit(1);
  if (!ticket) co_return Busy();
  auto verifications = co_await CheckAll(std::vector<Snippet>(1, execution.snippet), client_gone);
  auto problem = Unavailable(verifications[0].outcome, verifications[0].error);
  if (problem) co_return std::move(*problem);
  HideIfOpaque(verifications);
  co_return JsonResponse(nemo_gym::Answer(execution, verifications[0]));
}

// ---- library search

Task<HttpResponse> Service::LeanSearch(HttpRequest request, Cancellation& /*client_gone*/) {
  constexpr auto kLimit = std::chrono::seconds(60);
  const LeanSearchRequest search = ParseLeanSearch(ParseObject(request.body));
  if (options_.premises == nullptr) co_return ErrorResponse(503, "there is no premise index");
  json answers = json::array();
  for (const std::string& text : search.queries) {
    retrieve::PremiseQuery query;
    query.text = text;
    query.limit = search.num_results;
    const auto found =
        co_await options_.premises->Search(std::move(query), core::Deadline::After(kLimit));
    if (!found) co_return ErrorResponse(503, found.error().message);
    answers.push_back(LeanSearchAnswer(*found));
  }
  co_return JsonResponse(answers);
}

Task<HttpResponse> Service::Loogle(HttpRequest request, Cancellation& /*client_gone*/) {
  if (options_.premises == nullptr) co_return ErrorResponse(503, "there is no premise index");
  const auto index = options_.premises->Index();
  if (!index) co_return ErrorResponse(503, index.error().message);
  const auto answer = LoogleAnswer(**index, QueryParameter(request.query, "q"));
  if (!answer) co_return ErrorResponse(503, answer.error().message);
  co_return JsonResponse(*answer);
}

}  // namespace zermelo::serve
