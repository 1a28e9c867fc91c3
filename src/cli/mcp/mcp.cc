#include <fmt/format.h>
#include <memory>
#include <unistd.h>

#include "cli/mcp/mcp_call.h"
#include "cli/mcp/mcp_setup.h"
#include "cli/verbs.h"
#include "core/text.h"
#include "serve/mcp/stdio.h"

namespace zermelo::cli {

using core::Task;

namespace {

Task<int> Serve(McpServer& server, core::Cancellation& stop) {
  co_await serve::mcp::ServeStdio(server.protocol, STDIN_FILENO, STDOUT_FILENO,
                                  serve::mcp::StdioLimits(), stop);
  co_return 0;
}

Task<int> RunMcp(StdioOptions options) {
  const lean::PoolOptions workers = options.Pool();
  fmt::print(stderr, "zermelo: serving MCP ({} and {}) on standard input and output, {}\n",
             serve::mcp::kModernVersion, serve::mcp::kLegacyVersion,
             core::Counted(workers.workers, "Lean worker"));
  co_return co_await WithServer(options, workers, Serve);
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
  verb->require_subcommand(0, 1);
  AddMcpCall(*verb, options, exit_code);
  AddMcpTools(*verb, exit_code);
  verb->callback([verb, options, &exit_code] {
    if (!verb->get_subcommands().empty()) return;
    boost::asio::io_context io;
    exit_code = core::RunToEnd(io, RunMcp(*options));
  });
}

}  // namespace zermelo::cli
