#include "cli/mcp/mcp_setup.h"

#include <algorithm>
#include <boost/asio/this_coro.hpp>
#include <charconv>
#include <fmt/format.h>
#include <set>

#include "cli/context.h"
#include "cli/places.h"
#include "cli/terminal/interrupt.h"
#include "core/process/machine.h"
#include "engine/learning.h"
#include "engine/models/llama_server.h"
#include "engine/premise_source.h"

namespace zermelo::cli {

namespace fs = std::filesystem;
using core::Result;
using serve::mcp::JobRequest;
using serve::mcp::ProofBudget;
using serve::mcp::ProofMeans;

namespace {

constexpr size_t kMaxWorkers = 64;
constexpr size_t kMaxSources = 16;  // each has an open index

serve::ProjectsOptions ForProjects(const LeanOptions& lean, const McpOptions& options,
                                   const fs::path& base, bool anywhere) {
  serve::ProjectsOptions projects;
  std::error_code ignored;
  projects.base = fs::weakly_canonical(fs::absolute(base), ignored);
  for (const std::string& root : options.roots) {
    projects.roots.push_back(fs::weakly_canonical(fs::absolute(root), ignored));
  }
  if (options.roots.empty() && !anywhere) projects.roots.push_back(projects.base);
  projects.find_lean = [lean](fs::path near) { return FindLean(lean, std::move(near)); };
  return projects;
}

serve::mcp::LeanToolsOptions ForLean(const McpOptions& options, Premises& premises) {
  serve::mcp::LeanToolsOptions lean;
  lean.axioms = [trust = options.trust, config = options.models.config](const fs::path& near) {
    return trust.Axioms(config, near);
  };
  lean.kernel = options.trust.Kernel();
  // A configuration that cannot be read is reported by the first job.
  lean.states = [states = options.states,
                 config = options.models.config](const serve::Source& source) {
    return states.With(source.toolchain(), config, source.folder).value_or(false);
  };
  if (!options.strategy.no_premises) {
    lean.premises = [&premises](const serve::Project& project) {
      return premises.Of(project.toolchain);
    };
  }
  return lean;
}

/// A text that was sent gets no new folder.
engine::LearningRequest LearningRequestFor(const McpOptions& options, const JobRequest& job) {
  engine::LearningRequest request;
  request.file = job.file.empty() ? job.source.folder / "sent.lean" : job.file;
  request.reads = !options.models.recording.RecordsOrReplays();
  request.makes_folder = !job.file.empty();
  return request;
}

/// A client names models of the configuration; a GGUF file is loaded only if --model names it.
core::Status CheckFilesOf(const std::vector<std::string>& named,
                          const std::vector<std::string>& own) {
  for (const std::string& name : named) {
    if (!engine::IsGguf(name) || std::ranges::find(own, name) != own.end()) continue;
    return core::Fail(core::ErrorCode::kUsage,
                      fmt::format("the GGUF file {} is not a model of this server", name),
                      "start it with --model FILE, or add a [models.NAME] section with the path "
                      "to zermelo.toml");
  }
  return {};
}

Result<ProofMeans> MeansFor(const core::Executor& executor, const McpOptions& options,
                            Premises& premises, const JobRequest& job) {
  ProofMeans means;
  const serve::Source& source = job.source;
  const ProofBudget& budget = job.budget;
  const fs::path& near = source.folder;
  auto found = premises.Of(source.project->toolchain);
  if (!found) return core::Fail(found.error());
  means.premises = std::move(*found);
  StrategyOptions strategy = options.strategy;
  if (!budget.strategy.empty()) strategy.name = budget.strategy;
  auto parameters = strategy.Make(options.models.config, near, options.models.seed);
  if (!parameters) return core::Fail(parameters.error());
  ModelOptions wanted = options.models;
  if (!budget.models.empty()) wanted.models = budget.models;
  if (auto allowed = CheckFilesOf(wanted.models, options.models.models); !allowed) {
    return core::Fail(allowed.error());
  }
  const auto& [samples, tokens, dollars] = budget.limits;
  if (samples) wanted.budget.samples = samples;
  if (tokens) wanted.budget.tokens = tokens;
  if (dollars) wanted.budget.dollars = dollars;
  auto models = wanted.Make(executor, near, strategy.ForModels(*parameters));
  if (!models) return core::Fail(models.error());
  auto axioms = options.trust.Axioms(options.models.config, near);
  if (!axioms) return core::Fail(axioms.error());
  const auto learns = options.learning.AreOn(options.models.config, near);
  if (!learns) return core::Fail(learns.error());
  if (*learns && !strategy.no_builtin)
    means.learning = engine::LearningFor(LearningRequestFor(options, job));
  means.strategy = *parameters;
  means.models = std::move(*models);
  means.axioms = std::move(*axioms);
  means.kernel = options.trust.Kernel();
  means.builtin = !options.strategy.no_builtin;
  const auto states = options.states.With(*source.project->toolchain, options.models.config, near);
  if (!states) return core::Fail(states.error());
  means.states = *states;
  return means;
}

serve::mcp::JobsOptions ForJobs(const core::Executor& executor, const McpOptions& options,
                                Premises& premises, serve::mcp::LeanTools& tools) {
  serve::mcp::JobsOptions jobs;
  jobs.at_once = options.jobs;
  jobs.claim_place = [&tools] { return tools.ClaimPlace(); };
  // The servers of GGUF files keep running from one job to the next.
  const auto servers = std::make_shared<std::set<std::shared_ptr<engine::LlamaServer>>>();
  jobs.means = [executor, options, &premises, servers](const JobRequest& job) {
    auto means = MeansFor(executor, options, premises, job);
    if (!means || !means->models) return means;
    for (const auto& server : means->models->servers()) servers->insert(server);
    return means;
  };
  return jobs;
}

}  // namespace

Result<std::shared_ptr<retrieve::Retriever>> Premises::Of(
    const std::shared_ptr<const lean::Toolchain>& toolchain) {
  const auto found = std::ranges::find(known_, toolchain, &Known::toolchain);
  if (found != known_.end()) {
    std::rotate(found, found + 1, known_.end());
    return known_.back().source;
  }
  const fs::path near = toolchain->project.empty() ? fs::path(".") : toolchain->project;
  auto source = PremisesOf(options_.strategy, options_.models.config, *toolchain, executor_, near);
  if (!source) return core::Fail(source.error());
  if (known_.size() == kMaxSources) known_.erase(known_.begin());
  known_.push_back({toolchain, std::shared_ptr<retrieve::Retriever>(std::move(*source))});
  return known_.back().source;
}

size_t DefaultWorkers(std::optional<uint64_t> memory) {
  const core::Machine machine = core::DescribeMachine();
  const uint64_t by_memory = memory.value_or(machine.available_memory_bytes) / kBytesPerLean;
  return std::clamp<size_t>(std::min<uint64_t>(machine.cores, by_memory), 1, kMaxWorkers);
}

CLI::Validator SizeValidator() {
  return {[](std::string& text) -> std::string {
            uint64_t value = 0;
            const char* const last = text.data() + text.size();
            const auto [end, error] = std::from_chars(text.data(), last, value);
            const std::string unit(end, last);
            int shift = -1;
            if (unit.empty()) shift = 0;
            if (unit == "M" || unit == "MB" || unit == "MiB") shift = 20;
            if (unit == "G" || unit == "GB" || unit == "GiB") shift = 30;
            if (error != std::errc() || shift < 0 || value == 0 || value >> (63 - shift) != 0) {
              return "'" + text + "' is not a size (examples: 8G, 512M)";
            }
            text = fmt::format("{}", value << shift);
            return "";
          },
          "SIZE", "size"};
}

void McpOptions::AddTo(CLI::App& verb) {
  const std::string group = "Model Context Protocol";
  verb.add_option("--root", roots, "Serve only files in this folder (repeatable)")
      ->check(CLI::ExistingDirectory)
      ->type_name("DIR")
      ->allow_extra_args(false)
      ->group(group);
  AddJobsTo(verb, group);
}

void McpOptions::AddJobsTo(CLI::App& verb, const std::string& group) {
  verb.add_option("--jobs", jobs, "Number of proof jobs at once; others wait (default: 1)")
      ->check(Between(1, 256))
      ->type_name("N")
      ->group(group);
  states.AddTo(verb, group);
  learning.AddTo(verb, group);
}

void AddSparesTo(CLI::App& verb, size_t& spares) {
  verb.add_option(
          "--spares", spares,
          "Maximum number of spare Lean processes, one for each list of imports in use, so that "
          "imports need not be loaded again after a time-out or crash (default: 0)")
      ->check(Between(0, 64))
      ->type_name("N");
}

void StdioOptions::AddTo(CLI::App& verb) {
  verb.add_option("--project", project, "Folder for relative paths and for texts without a project")
      ->check(CLI::ExistingDirectory)
      ->capture_default_str()
      ->type_name("DIR");
  verb.add_option(
          "--workers", workers,
          "Number of Lean processes for all projects together (default: one per core, if there "
          "are 2 GB of memory for each)")
      ->check(Between(1, 1024))
      ->type_name("N");
  verb.add_option("--memory", memory,
                  "Memory limit for all Lean processes, e.g. 8G; sets the default of --workers "
                  "and stops idle processes")
      ->transform(SizeValidator())
      ->type_name("SIZE");
  AddSparesTo(verb, spares);
}

void StdioOptions::AddGroupsTo(CLI::App& verb) {
  mcp.strategy.AddTo(verb);
  mcp.models.AddTo(verb);
  mcp.trust.AddTo(verb);
  lean.AddTo(verb);
}

lean::PoolOptions StdioOptions::Pool() const {
  lean::PoolOptions pool;
  pool.workers = workers == 0 ? DefaultWorkers(memory) : workers;
  if (memory) pool.max_total_bytes = *memory;
  if (memory) pool.worker.max_resident_bytes = *memory;
  pool.spares = spares;
  // A configuration that cannot be read is reported where it is needed, by the first proof.
  if (auto places = FindPlaces(mcp.models.config, project)) {
    pool.places = std::move(places->list);
    if (!places->unused.empty()) fmt::print(stderr, "zermelo: warning: {}\n", places->unused);
  }
  pool.on_place = [](const lean::remote::PlaceEvent& event) {
    std::fputs(("zermelo: " + Describe(event) + "\n").c_str(), stderr);
  };
  return pool;
}

McpServer::McpServer(const core::Executor& executor, lean::Pool& pool, const LeanOptions& lean,
                     const McpOptions& options, const fs::path& base, bool anywhere)
    : projects(ForProjects(lean, options, base, anywhere)),
      premises(executor, options),
      lean_tools(executor, projects, pool, ForLean(options, premises)),
      jobs(executor, projects, pool, ForJobs(executor, options, premises, lean_tools)),
      tools(lean_tools, jobs),
      protocol(tools, ZERMELO_VERSION) {}

core::Task<void> McpServer::Close() {
  co_await jobs.Close();
  co_await lean_tools.Close();
}

core::Task<int> WithServer(StdioOptions options, lean::PoolOptions workers,
                           std::function<core::Task<int>(McpServer&, core::Cancellation&)> use) {
  const auto executor = co_await boost::asio::this_coro::executor;
  // Every check names its own Lean.
  lean::Pool pool(executor, lean::Toolchain(), workers);
  McpServer server(executor, pool, options.lean, options.mcp, options.project, /*anywhere=*/true);
  core::Cancellation stop;
  const InterruptGuard interrupt(executor, [&] { stop.Request(); });
  const int exit_code = co_await use(server, stop);
  pool.Close();
  co_await server.Close();
  co_return interrupt.interrupted() ? 130 : exit_code;
}

}  // namespace zermelo::cli
