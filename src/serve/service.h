// The HTTP service: routes, authorization, access log and metrics.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "engine/premise_source.h"
#include "serve/http/http_server.h"
#include "serve/kimina.h"
#include "serve/mcp/http.h"
#include "serve/metrics.h"
#include "serve/runs/run_jobs.h"
#include "serve/runs/run_pages.h"
#include "serve/verifier.h"

namespace zermelo::serve {

struct ServiceOptions {
  std::string api_key;                          // empty: no authorization
  std::function<void(const std::string&)> log;  // called with a JSON object per request; or empty
  mcp::HttpEndpoint* mcp = nullptr;             // serves /mcp; null: 404; must outlive the service
  engine::PremiseSource* premises = nullptr;    // serves searches; null: 503; must outlive as well
  RunPages* runs = nullptr;     // serves recorded runs; null: 404; must outlive as well
  RunJobs* jobs = nullptr;      // starts runs; null: 404; must outlive as well
  bool opaque_reasons = false;  // clients get verdicts only; reasons are logged (opaque.h)
};

class Service : public HttpHandler {
 public:
  /// `verifier` must outlive the service.
  Service(const core::Executor& executor, Verifier& verifier, ServiceOptions options);

  core::Task<HttpResponse> Handle(HttpRequest request, core::Cancellation& client_gone) override;
  void Answered(const AccessRecord& record) override;

 private:
  struct Route;
  static const std::vector<Route>& Routes();
  static const Route* FindRoute(std::string_view path);

  core::Task<HttpResponse> Front(HttpRequest request, core::Cancellation& client_gone);
  core::Task<HttpResponse> Runs(HttpRequest request, core::Cancellation& client_gone);
  core::Task<HttpResponse> Health(HttpRequest request, core::Cancellation& client_gone);
  core::Task<HttpResponse> Jobs(HttpRequest request, core::Cancellation& client_gone);
  core::Task<HttpResponse> Metrics(HttpRequest request, core::Cancellation& client_gone);
  core::Task<HttpResponse> KiminaCheck(HttpRequest request, core::Cancellation& client_gone);
  core::Task<HttpResponse> KiminaVerify(HttpRequest request, core::Cancellation& client_gone);
  using KiminaResult = nlohmann::json(const std::string&, const Snippet&, const Verification&);
  core::Task<HttpResponse> Kimina(kimina::Batch batch, KiminaResult* result,
                                  core::Cancellation& client_gone);
  core::Task<HttpResponse> Reward(HttpRequest request, core::Cancellation& client_gone);
  core::Task<HttpResponse> Mcp(HttpRequest request, core::Cancellation& client_gone);
  core::Task<HttpResponse> LeanSearch(HttpRequest request, core::Cancellation& client_gone);
  core::Task<HttpResponse> Loogle(HttpRequest request, core::Cancellation& client_gone);
  core::Task<HttpResponse> Execute(HttpRequest request, core::Cancellation& client_gone);
  core::Task<std::vector<Verification>> CheckAll(std::vector<Snippet> snippets,
                                                 core::Cancellation& client_gone);
  /// With opaque reasons, logs those of a verdict (a Verification or Judgement) and removes them.
  template <class Verdict>
  void HideIfOpaque(std::vector<Verdict>& verdicts) const;

  /// Throws BadRequest if the batch can never fit into the queue; null if it does not fit now.
  std::unique_ptr<Verifier::Ticket> Admit(size_t checks);
  HttpResponse Busy() const;
  /// 429 or 503 if the outcome is that the text could not be checked.
  std::optional<HttpResponse> Unavailable(VerificationStatus outcome,
                                          const std::string& error) const;

  const core::Executor executor_;
  Verifier& verifier_;
  const ServiceOptions options_;
  RequestMetrics metrics_;
};

}  // namespace zermelo::serve
