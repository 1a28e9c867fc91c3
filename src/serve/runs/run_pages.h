// Recorded runs over HTTP: the page, and the data that it requests.
//
//     GET /api/runs?count=N              the latest runs, as `zermelo runs --json`
//     GET /api/runs/3                    a run, as `zermelo runs show 3 --json`
//     GET /api/runs/3/events             its events as server-sent events, until it ends
//     GET /api/runs/3/events/17          one event, with its request and its answer
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "serve/http/http_server.h"

namespace zermelo::serve {

class RunPages {
 public:
  static constexpr std::string_view kPrefix = "/api/runs";

  /// `database` need not exist yet.
  RunPages(core::Executor executor, std::filesystem::path database)
      : executor_(std::move(executor)), database_(std::move(database)) {}

  /// Whether a path begins with kPrefix.
  static bool Serves(std::string_view path);

  /// The page itself, which holds no data.
  static HttpResponse Page();
  /// A GET of a path that it serves. The caller has authorized the client. Blocks while SQLite
  /// works.
  HttpResponse Get(const HttpRequest& request) const;

 private:
  HttpResponse List(const HttpRequest& request) const;
  HttpResponse Follow(int64_t run, const HttpRequest& request) const;

  const core::Executor executor_;
  const std::filesystem::path database_;
};

/// Serves the page and the runs of a database, and nothing else, to clients that have the key.
class RunViewer : public HttpHandler {
 public:
  RunViewer(const core::Executor& executor, std::filesystem::path database, std::string key)
      : pages_(executor, std::move(database)), key_(std::move(key)) {}

  core::Task<HttpResponse> Handle(HttpRequest request, core::Cancellation& client_gone) override;
  void Answered(const AccessRecord& /*record*/) override {}

 private:
  const RunPages pages_;
  const std::string key_;
};

}  // namespace zermelo::serve
