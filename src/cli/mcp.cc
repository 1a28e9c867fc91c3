#include <boost/asio/this_coro.hpp>
#include <csignal>
#include <cstdlib>
#include <fmt/format.h>
#include <memory>
#include <unistd.h>

#include "cli/interrupt.h"
#include "cli/mcp_setup.h"
#include "cli/verbs.h"
#include "core/text.h"
#include "serve/mcp/stdio.h"

namespace zermelo::cli {

namespace fs = std::filesystem;
using core::Task;

namespace {

struct StdioOptions {
  LeanOptions lean;
  McpOptions mcp;
  fs::path project = ".";
  size_t workers = 0;              // 0: DefaultWorkers
  std::optional<uint64_t> memory;  // limit for all Lean processes
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
  verb->add_option("--project", options->project,
                   "Folder for relative paths and for texts without a project")
      ->check(CLI::ExistingDirectory)
      ->capture_default_str()
      ->type_name("DIR");
  verb->add_option("--workers", options->workers,
                   "Number of Lean processes for all projects together (default: one per core, as "
                   "far as there are 2 GB of memory for each)")
      ->check(Between(1, 1024))
      ->type_name("N");
  verb->add_option("--memory", options->memory,
                   "Memory limit for all Lean processes, e.g. 8G; sets the default of --workers "
                   "and stops idle processes")
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
