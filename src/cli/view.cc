#include <algorithm>
#include <boost/asio/this_coro.hpp>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>

#include "cli/context.h"
#include "cli/options/run_options.h"
#include "cli/terminal/interrupt.h"
#include "cli/verbs.h"
#include "core/process/subprocess.h"
#include "serve/http/handle.h"
#include "serve/http/http_server.h"
#include "serve/run_pages.h"
#include "view/run_reader.h"

namespace zermelo::cli {

using core::Task;

namespace {

struct ViewOptions {
  std::optional<int64_t> run;
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

/// kUsage if the run that is asked for is not in the database.
core::Status CheckRun(const std::filesystem::path& database, const std::optional<int64_t>& run) {
  auto reader = view::RunReader::Open(database);
  if (!reader) return core::Fail(reader.error());
  if (!run) return {};
  const auto ended = reader->Ended(*run);
  if (!ended) return core::Fail(ended.error());
  return {};
}

Task<int> RunView(ViewOptions options) {
  const auto executor = co_await boost::asio::this_coro::executor;
  const auto database = FindRunDatabase(options.database);
  if (!database) co_return Report(database.error());
  const auto known = CheckRun(*database, options.run);
  if (!known) co_return Report(known.error());
  const std::string key = serve::NewHandle();
  serve::RunViewer viewer(executor, *database, key);
  auto server =
      serve::HttpServer::Listen(executor, "127.0.0.1", options.port, serve::HttpLimits(), viewer);
  if (!server) co_return Report(server.error());
  const InterruptGuard interrupt(executor, [&] { (*server)->Stop(); });
  const std::string url =
      fmt::format("{}/#{}key={}", (*server)->url(),
                  options.run ? fmt::format("run={}&", *options.run) : std::string(), key);
  std::fputs((url + "\n").c_str(), stdout);
  std::fflush(stdout);
  fmt::print(stderr, "zermelo: showing {} until Ctrl-C\n", database->string());
  if (!options.no_browser && HasScreen()) co_await OpenBrowser(url);
  co_await (*server)->Run();
  co_return 0;
}

}  // namespace

void AddView(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<ViewOptions>();
  CLI::App* verb = app.add_subcommand("view", "Show recorded runs in a browser, live");
  verb->footer(
      "Example:\n  zermelo view\n  zermelo view 3\n\n"
      "Prints the address of the page and opens it. Only this machine can connect, and only with\n"
      "the key in the address. `zermelo runs show 3 --html FILE` writes a page to send elsewhere.");
  verb->add_option("id", options->run, "Number of the run (default: a list of all)")
      ->type_name("ID");
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
