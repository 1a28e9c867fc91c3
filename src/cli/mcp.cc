#include <boost/asio/this_coro.hpp>
#include <csignal>
#include <fmt/format.h>
#include <memory>
#include <unistd.h>

#include "cli/interrupt.h"
#include "cli/mcp_setup.h"
#include "cli/verbs.h"
#include "core/text.h"
#include "serve/mcp/stdio.h"

namespace zermelo::cli {

using core::Task;

namespace {

Task<int> RunMcp(StdioOptions options) {
  const auto executor = co_await boost::asio::this_coro::executor;
  const lean::PoolOptions limits = options.Pool();
  // Every check names its own Lean.
  lean::Pool pool(executor, lean::Toolchain(), limits);
  McpServer server(executor, pool, options.lean, options.mcp, options.project, /*anywhere=*/true);
  core::Cancellation stop;
  const InterruptGuard interrupt(executor, [&] { stop.Request(); });
  fmt::print(stderr, "zermelo: serving MCP ({} and {}) on standard input and output, {}\n",
             serve::mcp::kModernVersion, serve::mcp::kLegacyVersion,
             core::Counted(limits.workers, "Lean worker"));
  co_await serve::mcp::ServeStdio(server.protocol, STDIN_FILENO, STDOUT_FILENO,
                                  serve::mcp::StdioLimits(), stop);
  pool.Close();
  co_await server.jobs.Close();
  co_return interrupt.interrupted() ? 130 : 0;
}

}  // namespace

void AddMcp(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<StdioOptions>();
  CLI::App* verb = app.add_subcommand(
      "mcp", "Serve the Model Context Protocol for coding agents on standard input and output");
  verb->footer(
      "Example, for an agent that takes a command line:\n"
      "  zermelo mcp --project ~/my-lake-project --memory 8G\n\n"
      "See docs/mcp.md for its tools and for how to register it with common agents.\n"
      "`zermelo serve` offers the same over HTTP at /mcp.");
  options->AddTo(*verb);
  options->mcp.AddTo(*verb);
  options->AddGroupsTo(*verb);
  verb->callback([options, &exit_code] {
    boost::asio::io_context io;
    exit_code = core::RunToEnd(io, RunMcp(*options));
  });
}

}  // namespace zermelo::cli
