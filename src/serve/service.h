// What the server offers: which path does what, who may ask, and what happened.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "engine/premise_source.h"
#include "serve/http_server.h"
#include "serve/kimina.h"
#include "serve/mcp_http.h"
#include "serve/metrics.h"
#include "serve/verifier.h"

namespace zermelo::serve {

struct ServiceOptions {
  std::string api_key;                          // empty: everybody may ask
  std::function<void(const std::string&)> log;  // one JSON object for each request; may be empty
  mcp::HttpEndpoint* mcp = nullptr;             // at /mcp; null: there is none; must outlive it
  engine::PremiseSource* premises = nullptr;    // null: searches are answered with 503
};

class Service : public HttpHandler {
 public:
  /// `verifier` must outlive it.
  Service(const core::Executor& executor, Verifier& verifier, ServiceOptions options);

  core::Task<HttpResponse> Handle(HttpRequest request, core::Cancellation& client_gone) override;
  void Answered(const AccessRecord& record) override;

 private:
  struct Route;
  static const std::vector<Route>& Routes();
  static const Route* FindRoute(std::string_view path);

  bool Authorized(const std::string& header) const;
  core::Task<HttpResponse> Health(HttpRequest request, core::Cancellation& client_gone);
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
  core::Task<std::vector<Verification>> CheckAll(const std::vector<Snippet>& snippets,
                                                 core::Cancellation& client_gone);

  /// Throws BadRequest when the batch can never fit; nothing when it does not fit now.
  std::unique_ptr<Verifier::Ticket> Admit(size_t checks);
  HttpResponse Busy() const;
  /// 429 or 503 when an outcome says that nothing is known about a text.
  std::optional<HttpResponse> Unavailable(Outcome outcome, const std::string& error) const;

  const core::Executor executor_;
  Verifier& verifier_;
  const ServiceOptions options_;
  RequestMetrics metrics_;
};

}  // namespace zermelo::serve
