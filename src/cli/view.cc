#include <boost/asio/this_coro.hpp>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string>

#include "cli/context.h"
#include "cli/options/run_options.h"
#include "cli/terminal/interrupt.h"
#include "cli/verbs.h"
#include "core/json.h"
#include "core/process/subprocess.h"
#include "eval/folder.h"
#include "serve/http/bearer.h"
#include "serve/http/handle.h"
#include "serve/http/http_server.h"
#include "serve/runs/run_pages.h"
#include "view/page.h"
#include "view/run_reader.h"

namespace zermelo::cli {

namespace fs = std::filesystem;
using core::Task;

namespace {

struct ViewOptions {
  std::string what;  // a run's number or an evaluation's folder; empty: all runs
  std::string database;
  uint16_t port = 0;
  bool no_browser = false;
};

bool HasScreen() {
  const auto is_set = [](const char* name) { return std::getenv(name) != nullptr; };
  return is_set("DISPLAY") || is_set("WAYLAND_DISPLAY");
}

/// Asks the desktop to open an address. The browser outlives this program; failures are ignored.
Task<void> OpenBrowser(std::string url) {
  core::SubprocessOptions shell;
  shell.argv = {"/bin/sh", "-c", "exec setsid -f xdg-open \"$1\" >/dev/null 2>&1 </dev/null", "sh"};
  shell.argv.push_back(std::move(url));
  (void)co_await core::RunProcess(std::move(shell), "",
                                  core::Deadline::After(std::chrono::seconds(5)));
}

/// nullopt: all runs. kUsage: the text is not the number of a run.
core::Result<std::optional<int64_t>> RunNumber(const std::string& text) {
  if (text.empty()) return std::optional<int64_t>();
  int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc() && stop == end) return std::optional(number);
  return core::Fail(core::ErrorCode::kUsage,
                    "'" + text + "' is neither the number of a run nor a folder",
                    "list the runs with: zermelo runs");
}

/// kUsage if the run that is asked for is not in the database.
core::Status CheckRun(const std::filesystem::path& database, const std::optional<int64_t>& run) {
  auto reader = view::RunReader::Open(database);
  if (!reader) return core::Fail(reader.error());
  if (!run) return {};
  const auto ended = reader->Ended(*run);
  if (!ended) return core::Fail(ended.error());
  return {};
}

/// Serves the page and an evaluation, which is read anew for each request, to clients that have the
/// key.
class EvaluationViewer : public serve::HttpHandler {
 public:
  EvaluationViewer(fs::path folder, std::string key)
      : folder_(std::move(folder)), key_(std::move(key)) {}

  Task<serve::HttpResponse> Handle(serve::HttpRequest request,
                                   core::Cancellation& /*client_gone*/) override {
    const bool is_page = request.path == "/";
    if (!is_page && request.path != "/api/evaluation") {
      co_return serve::ErrorResponse(404, "Not Found");
    }
    if (request.method != "GET") {
      auto response = serve::ErrorResponse(405, "Method Not Allowed");
      response.allow = "GET";
      co_return response;
    }
    serve::HttpResponse response;
    if (is_page) {
      response = serve::RunPages::Page();
      response.body = view::LiveEvaluationPage();
      co_return response;
    }
    if (!serve::HasKey(request.authorization, key_)) {
      co_return serve::Unauthorized(request.authorization);
    }
    const auto report = eval::ReadReport(folder_);
    if (!report) co_return serve::ErrorResponse(503, report.error().message);
    response.body = core::Dump(*report);
    response.headers["Cache-Control"] = "no-store";
    co_return response;
  }
  void Answered(const serve::AccessRecord& /*record*/) override {}

 private:
  const fs::path folder_;
  const std::string key_;
};

/// What is shown: `place` is the part of the address that names it.
struct View {
  std::unique_ptr<serve::HttpHandler> handler;
  std::string what, place;
};

core::Result<View> OpenView(const core::Executor& executor, const ViewOptions& options,
                            const std::string& key) {
  std::error_code ignored;
  const auto run = RunNumber(options.what);  // `./3` is a folder
  if (!run && fs::is_directory(options.what, ignored)) {
    const auto readable = eval::ReadReport(options.what);
    if (!readable) return core::Fail(readable.error());
    return View{std::make_unique<EvaluationViewer>(options.what, key), options.what, ""};
  }
  if (!run) return core::Fail(run.error());
  const auto database = FindRunDatabase(options.database);
  if (!database) return core::Fail(database.error());
  if (auto known = CheckRun(*database, *run); !known) return core::Fail(known.error());
  return View{std::make_unique<serve::RunViewer>(executor, *database, key), database->string(),
              *run ? fmt::format("run={}&", **run) : std::string()};
}

Task<int> RunView(ViewOptions options) {
  const auto executor = co_await boost::asio::this_coro::executor;
  const std::string key = serve::NewHandle();
  const auto view = OpenView(executor, options, key);
  if (!view) co_return Report(view.error());
  auto server = serve::HttpServer::Listen(executor, "127.0.0.1", options.port, serve::HttpLimits(),
                                          *view->handler);
  if (!server) co_return Report(server.error());
  const InterruptGuard interrupt(executor, [&] { (*server)->Stop(); });
  const std::string url = fmt::format("{}/#{}key={}", (*server)->url(), view->place, key);
  std::fputs((url + "\n").c_str(), stdout);
  std::fflush(stdout);
  fmt::print(stderr, "zermelo: showing {} until Ctrl-C\n", view->what);
  if (!options.no_browser && HasScreen()) co_await OpenBrowser(url);
  co_await (*server)->Run();
  co_return 0;
}

}  // namespace

void AddView(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<ViewOptions>();
  CLI::App* verb = app.add_subcommand("view", "Show runs or an evaluation in a browser, live");
  verb->footer(
      "Example:\n  zermelo view\n  zermelo view 3\n  zermelo view runs/miniF2F\n\n"
      "Prints the address of the page and opens it. Only this machine can connect, and only with\n"
      "the key in the address. `zermelo runs show 3 --html FILE` writes a page to send elsewhere.");
  verb->add_option("what", options->what,
                   "Number of a run, or folder of an evaluation (default: a list of all runs)")
      ->type_name("ID|DIR");
  verb->add_option("--run-db", options->database,
                   "Run database (default: the nearest .zermelo/runs.db in this folder or above)")
      ->type_name("FILE");
  verb->add_option("--port", options->port, "Port to listen on (default: a free one)");
  verb->add_flag("--no-browser", options->no_browser, "Only print the address");
  verb->callback([options, &exit_code] {
    boost::asio::io_context io;
    exit_code = core::RunToEnd(io, RunView(*options));
  });
}

}  // namespace zermelo::cli
