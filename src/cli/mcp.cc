#include <boost/asio/this_coro.hpp>
#include <csignal>
#include <cstdlib>
#include <fmt/format.h>
#include <memory>
#include <unistd.h>

#include "cli/interrupt.h"
#include "cli/mcp_setup.h"
#include "cli/verbs.h"
#include "serve/mcp_stdio.h"

namespace zermelo::cli {

namespace fs = std::filesystem;
using core::Task;

namespace {

struct StdioOptions {
  LeanOptions lean;
  McpOptions mcp;
  fs::path project = ".";
  size_t workers = 0;              // 0: as many as the memory holds
  std::optional<uint64_t> memory;  // of all Leans
};

lean::PoolOptions ForPool(const StdioOptions& options) {
  lean::PoolOptions pool;
  pool.workers = options.workers == 0 ? DefaultWorkers(options.memory) : options.workers;
  if (options.memory) pool.max_total_bytes = *options.memory;
  if (options.memory) pool.worker.max_resident_bytes = *options.memory;
  return pool;
}

Task<int> RunMcp(StdioOptions options) {
  const auto executor = co_await boost::asio::this_coro::executor;
  const lean::PoolOptions limits = ForPool(options);
  // Every check says which Lean it wants.
  lean::Pool pool(executor, lean::Toolchain(), limits);
  McpServer server(executor, pool, options.lean, options.mcp, options.project, /*anywhere=*/true);
  core::Cancellation stop;
  const InterruptGuard interrupt(executor, [&] { stop.Request(); });
  fmt::print(stderr, "zermelo: speaking MCP ({} and {}) on standard input and output, {} Lean{}\n",
             serve::mcp::kModernVersion, serve::mcp::kLegacyVersion, limits.workers,
             limits.workers == 1 ? "" : "s");
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
      "mcp", "Serve coding agents: the Model Context Protocol on standard input and output");
  verb->footer(
      "Example, for an agent that takes a command line:\n"
      "  zermelo mcp --project ~/my-lake-project --memory 8G\n\n"
      "docs/mcp.md tells how to register it with common agents, and what its tools are.\n"
      "Over HTTP the same is at /mcp of `zermelo serve`.");
  verb->add_option("--project", options->project,
                   "The folder that relative paths and texts without a project are in")
      ->check(CLI::ExistingDirectory)
      ->capture_default_str()
      ->type_name("DIR");
  verb->add_option("--workers", options->workers,
                   "Lean processes at once, of all projects together (default: one a core, while "
                   "there are 2 GB of memory for each)")
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
  verb->add_option("--memory", options->memory,
                   "Of all Leans together, e.g. 8G: sets how many there are, and ends idle ones")
      ->transform(SizeValidator())
      ->type_name("SIZE");
  options->mcp.AddTo(*verb);
  options->mcp.strategy.AddTo(*verb);
  options->mcp.models.AddTo(*verb);
  options->mcp.trust.AddTo(*verb);
  options->lean.AddTo(*verb);
  verb->callback([options, &exit_code] {
    boost::asio::io_context io;
    exit_code = core::RunToEnd(io, RunMcp(*options));
  });
}

}  // namespace zermelo::cli
