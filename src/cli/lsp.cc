#include <boost/asio/this_coro.hpp>
#include <fmt/format.h>
#include <memory>
#include <unistd.h>

#include "cli/mcp/mcp_setup.h"
#include "cli/terminal/interrupt.h"
#include "cli/verbs.h"
#include "serve/lsp/stdio.h"

namespace zermelo::cli {

using core::Task;

namespace {

struct LspOptions {
  StdioOptions stdio;
  double seconds = 60;  // for each `sorry`
};

/// The models that write proofs or tactics; none if the configuration cannot be read, which the
/// first proof reports.
std::vector<std::string> ModelsNear(const std::string& config, const std::filesystem::path& near) {
  std::vector<std::string> names;
  const auto found = FindConfig(config, near);
  if (!found) return names;
  for (const auto& [name, model] : found->models) {
    if (!model.formats.empty()) names.push_back(name);
  }
  return names;
}

Task<int> RunLsp(LspOptions options) {
  const auto executor = co_await boost::asio::this_coro::executor;
  const StdioOptions& stdio = options.stdio;
  // Every check names its own Lean.
  lean::Pool pool(executor, lean::Toolchain(), stdio.Pool());
  McpServer server(executor, pool, stdio.lean, stdio.mcp, stdio.project, /*anywhere=*/true);
  core::Cancellation stop;
  const InterruptGuard interrupt(executor, [&] { stop.Request(); });
  serve::lsp::ServerOptions serving;
  serving.version = ZERMELO_VERSION;
  serving.seconds = options.seconds;
  serving.models = [config = stdio.mcp.models.config](const std::filesystem::path& near) {
    return ModelsNear(config, near);
  };
  const auto served =
      co_await serve::lsp::ServeStdio(server.projects, server.jobs, std::move(serving),
                                      STDIN_FILENO, STDOUT_FILENO, serve::StreamLimits(), stop);
  pool.Close();
  co_await server.Close();
  if (interrupt.interrupted()) co_return 130;
  if (served) co_return 0;
  Report(served.error());
  co_return 1;
}

}  // namespace

void AddLsp(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<LspOptions>();
  CLI::App* verb = app.add_subcommand(
      "lsp", "Serve editors: prove sorrys in place, beside Lean's own language server");
  verb->footer(
      "Example, for an editor's settings:\n"
      "  zermelo lsp --memory 8G --time 2m\n\n"
      "It speaks the Language Server Protocol on standard input and output. See docs/editors.md\n"
      "for VS Code, Neovim, Emacs and Helix.");
  options->stdio.AddTo(*verb);
  verb->add_option("--time", options->seconds,
                   "Time limit per theorem, e.g. 30s or 5m (default: 60s)")
      ->transform(DurationValidator())
      ->type_name("TIME");
  options->stdio.mcp.AddJobsTo(*verb, "Options");
  options->stdio.AddGroupsTo(*verb);
  verb->callback([options, &exit_code] {
    boost::asio::io_context io;
    exit_code = core::RunToEnd(io, RunLsp(*options));
  });
}

}  // namespace zermelo::cli
