#include <boost/asio/this_coro.hpp>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <memory>

#include "cli/context.h"
#include "cli/mcp/mcp_setup.h"
#include "cli/options/model_options.h"
#include "cli/places.h"
#include "cli/terminal/interrupt.h"
#include "cli/verbs.h"
#include "engine/acceptance/acceptance.h"
#include "engine/premise_source.h"
#include "serve/http/http_server.h"
#include "serve/service.h"
#include "serve/verifier.h"

namespace zermelo::cli {

namespace fs = std::filesystem;
using core::Task;

namespace {

constexpr const char* kKeyVariable = "ZERMELO_API_KEY";

struct ServeOptions {
  LeanOptions lean;
  McpOptions mcp;
  std::vector<std::string> origins;
  std::optional<uint64_t> memory;  // limit for all Lean processes
  std::string host = "127.0.0.1";
  uint16_t port = 8000;
  size_t workers = 0;  // 0: DefaultWorkers
  size_t spares = 0;
  fs::path project = ".";
  size_t queue = 256;
  bool quiet = false;
  bool opaque_reasons = false;
  bool allow_programs = false;
  std::string database;  // --run-db
};

serve::ServiceOptions ForService(const ServeOptions& options) {
  serve::ServiceOptions service;
  if (const char* key = std::getenv(kKeyVariable); key != nullptr) service.api_key = key;
  if (!options.quiet) {
    // Not fmt::print, which throws if stderr is closed.
    service.log = [](const std::string& line) { std::fputs((line + "\n").c_str(), stderr); };
  }
  return service;
}

/// The runs that the page shows: those that `zermelo prove` records for the project's files.
fs::path RunDatabaseOf(const ServeOptions& options) {
  return options.database.empty() ? options.project / ".zermelo" / "runs.db"
                                  : fs::path(options.database);
}

/// Runs that the page starts have the server's Lean, models and configuration.
serve::RunJobsOptions ForRunJobs(const ServeOptions& options) {
  serve::RunJobsOptions jobs;
  std::error_code ignored;
  jobs.program = fs::read_symlink("/proc/self/exe", ignored);
  jobs.project = fs::absolute(options.project);
  jobs.database = fs::absolute(RunDatabaseOf(options));
  jobs.at_once = options.mcp.jobs;
  const auto add = [&](const char* name, const std::string& value) {
    if (value.empty()) return;
    jobs.arguments.emplace_back(name);
    jobs.arguments.push_back(value);
  };
  add("--lean", options.lean.lean);
  add("--config", options.mcp.models.config);
  add("--states", options.mcp.states.use);
  for (const std::string& model : options.mcp.models.models) add("--model", model);
  if (options.mcp.learning.off) jobs.arguments.emplace_back("--no-learning");
  if (options.lean.no_sandbox) jobs.arguments.emplace_back("--no-sandbox");
  return jobs;
}

Task<int> RunServe(ServeOptions options) {
  const auto executor = co_await boost::asio::this_coro::executor;
  auto toolchain = co_await FindLean(options.lean, fs::absolute(options.project));
  if (!toolchain) co_return Report(toolchain.error());
  const std::string lean = fmt::format("Lean {} ({})", toolchain->version, Name(toolchain->kind));
  serve::VerifierOptions limits;
  limits.workers = options.workers == 0 ? DefaultWorkers(options.memory) : options.workers;
  limits.queue = options.queue;
  limits.kernel = options.mcp.trust.Kernel();
  limits.allow_programs = options.allow_programs;
  if (options.allow_programs) {
    engine::AcceptanceOptions judging;
    judging.kernel = limits.kernel;
    if (auto can = engine::CanAllowPrograms(judging, *toolchain); !can)
      co_return Report(can.error());
  }
  if (options.memory) limits.max_total_bytes = *options.memory;
  const auto config = FindConfig(options.mcp.models.config, options.project);
  if (!config) co_return Report(config.error());
  limits.spares = options.spares;
  auto places = FindPlaces(options.mcp.models.config, options.project);
  if (!places) co_return Report(places.error());
  limits.places = std::move(places->list);
  if (!places->unused.empty()) fmt::print(stderr, "zermelo: warning: {}\n", places->unused);
  limits.on_place = [](const lean::remote::PlaceEvent& event) {
    std::fputs(("zermelo: " + Describe(event) + "\n").c_str(), stderr);
  };
  engine::PremiseSourceOptions source;
  source.search_path = toolchain->search_path;
  source.config = *config;
  engine::PremiseSource premises(executor, std::move(source));
  serve::Verifier verifier(executor, std::move(*toolchain), limits);
  McpServer mcp(executor, verifier.shared_pool(), options.lean, options.mcp, options.project,
                /*anywhere=*/false);
  mcp.projects.Adopt(fs::absolute(options.project), verifier.shared_pool().own_setup().toolchain);
  serve::mcp::HttpOptions mcp_options;
  mcp_options.origins = options.origins;
  serve::mcp::HttpEndpoint endpoint(mcp.protocol, std::move(mcp_options));
  serve::ServiceOptions service_options = ForService(options);
  service_options.premises = &premises;
  serve::RunPages runs(executor, RunDatabaseOf(options));
  serve::RunJobs run_jobs(executor, ForRunJobs(options));
  service_options.opaque_reasons = options.opaque_reasons;
  if (!options.opaque_reasons) {
    service_options.mcp = &endpoint;
    service_options.runs = &runs;
    service_options.jobs = &run_jobs;
  }
  const bool open = service_options.api_key.empty();
  serve::Service service(executor, verifier, service_options);
  auto server =
      serve::HttpServer::Listen(executor, options.host, options.port, serve::HttpLimits(), service);
  if (!server) co_return Report(server.error());

  bool ready = false;
  const InterruptGuard interrupt(executor, [&] {
    if (!ready) return verifier.Close();
    fmt::print(stderr,
               "zermelo: stopping after accepted requests are answered (Ctrl-C again: stop now)\n");
    (*server)->Stop();
  });
  const auto warm = co_await verifier.WarmUp();
  if (interrupt.interrupted()) co_return 130;
  if (!warm) co_return Report(warm.error());
  ready = true;
  fmt::print(stderr, "zermelo: listening on {} with {}, {} workers, a queue of {}{}\n",
             (*server)->url(), lean, limits.workers, limits.queue,
             open ? fmt::format("; no API key required ({} is not set)", kKeyVariable) : "");
  co_await (*server)->Run();
  verifier.Close();
  co_await mcp.Close();
  co_await run_jobs.Close();
  co_return 0;
}

}  // namespace

void AddServe(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<ServeOptions>();
  CLI::App* verb = app.add_subcommand(
      "serve",
      "Serve a verifier, library search, MCP for coding agents and a page of runs over HTTP");
  verb->footer(fmt::format(
      "Example:\n  zermelo serve --port 8000 --workers 8 --project ~/mathlib4\n"
      "  curl -s localhost:8000/health\n\n"
      "Interfaces: docs/verifier-api.md, docs/mcp.md for agents (/mcp), docs/page.md for browsers "
      "(/). If {}\n"
      "is set, clients must send it as a bearer token. Ctrl-C finishes accepted requests;\n"
      "a second Ctrl-C stops at once.",
      kKeyVariable));
  verb->add_option("--host", options->host, "Address to listen on")->capture_default_str();
  verb->add_option("--port", options->port, "Port to listen on; 0 selects a free one")
      ->capture_default_str();
  verb->add_option(
          "--workers", options->workers,
          "Number of Lean processes (default: one per core, if there are 2 GB of memory for each)")
      ->check(Between(1, 1024));
  verb->add_option("--project", options->project, "Lake project that texts may import from")
      ->check(CLI::ExistingDirectory)
      ->capture_default_str()
      ->type_name("DIR");
  verb->add_option("--queue", options->queue,
                   "Maximum number of pending checks; others are refused with 429")
      ->check(Between(1, 1'000'000))
      ->capture_default_str();
  verb->add_flag("-q,--quiet", options->quiet, "Print no access log");
  verb->add_flag("--opaque-reasons", options->opaque_reasons,
                 "Answer with verdicts only, for training: reasons are logged, and /mcp and the "
                 "page of runs are off");
  verb->add_flag(
      "--allow-programs", options->allow_programs,
      "Also reward answers with code that runs inside Lean (`elab`, `simproc`, ...) if "
      "Zermelo's kernel accepts everything in the compiled file; needs the full sandbox");
  verb->add_option("--run-db", options->database,
                   "Run database that the page at / shows (default: .zermelo/runs.db in DIR)")
      ->type_name("FILE");
  verb->add_option("--memory", options->memory,
                   "Memory limit for all workers, e.g. 8G; sets the default of --workers and stops "
                   "idle workers")
      ->transform(SizeValidator())
      ->type_name("SIZE");
  AddSparesTo(*verb, options->spares);
  options->mcp.AddTo(*verb);
  verb->add_option(
          "--origin", options->origins,
          "Also allow pages from this origin to use /mcp (repeatable; local pages always may)")
      ->type_name("URL")
      ->allow_extra_args(false)
      ->group("Model Context Protocol");
  options->mcp.strategy.AddTo(*verb);
  options->mcp.models.AddTo(*verb);
  options->mcp.trust.AddTo(*verb);
  options->lean.AddTo(*verb);
  verb->callback([options, &exit_code] {
    boost::asio::io_context io;
    exit_code = core::RunToEnd(io, RunServe(*options));
  });
}

}  // namespace zermelo::cli
