#include <atomic>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/context.h"
#include "cli/options/model_options.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/progress.h"
#include "cli/verbs.h"
#include "engine/premise_source.h"
#include "retrieve/indexer.h"
#include "retrieve/library_modules.h"
#include "retrieve/ranking/embeddings.h"

namespace zermelo::cli {

namespace fs = std::filesystem;
using core::Result;
using core::Task;
using nlohmann::json;
using retrieve::IndexReport;

namespace {

struct IndexOptions {
  LeanOptions lean;
  fs::path project = ".";
  std::string index;       // --index
  std::string embeddings;  // --embeddings
  std::string config;
  bool as_json = false;
  bool quiet = false;
};

/// Shows progress, and stops the work at Ctrl-C.
struct Watch {
  explicit Watch(const core::Executor& executor, bool quiet)
      : progress(Progress::ModeFor(quiet)), interrupt(executor, [this] {
          progress.Print("stopping; finished work is kept (Ctrl-C again: quit now)");
          stop = true;
        }) {}
  Progress progress;
  std::atomic<bool> stop = false;
  InterruptGuard interrupt;
};

/// Reads the modules on another thread, so that this one can handle Ctrl-C.
Task<Result<IndexReport>> UpdateOnThread(retrieve::IndexRequest request, Watch& watch) {
  const auto executor = co_await boost::asio::this_coro::executor;
  auto done = std::make_shared<core::OneShot<Result<IndexReport>>>(executor);
  request.stop = &watch.stop;
  request.progress = [&watch, executor](const retrieve::IndexProgress& at) {
    boost::asio::post(executor, [&watch, at] {
      watch.progress.Show(fmt::format("{} {}/{} modules, {} declarations",
                                      Bar(at.done, at.count, 20), at.done, at.count, at.premises));
    });
  };
  std::thread worker([&request, executor, done] {
    auto report = retrieve::UpdateIndex(request);
    boost::asio::post(
        executor, [done, report = std::move(report)]() mutable { done->Set(std::move(report)); });
  });
  auto report = co_await done->Wait(core::Deadline());
  worker.join();
  co_return *std::move(report);
}

Task<Result<retrieve::EmbeddingReport>> Embed(const IndexOptions& options, const fs::path& file,
                                              Watch& watch) {
  const auto executor = co_await boost::asio::this_coro::executor;
  const auto config = FindConfig(options.config, options.project);
  if (!config) co_return core::Fail(config.error());
  const auto model = engine::EmbeddingModel::Create(executor, *config, options.embeddings);
  if (!model) co_return core::Fail(model.error());
  retrieve::EmbeddingRequest request;
  request.index = file;
  request.model = options.embeddings;
  request.embed = (*model)->Function();
  request.stop = [&watch] { return watch.stop.load(); };
  request.progress = [&watch](size_t done, size_t count) {
    watch.progress.Show(fmt::format("{} {}/{} embedded", Bar(done, count, 20), done, count));
  };
  co_return co_await retrieve::EmbedPremises(std::move(request));
}

Task<int> RunIndex(IndexOptions options) {
  const auto started = core::Clock::now();
  const auto executor = co_await boost::asio::this_coro::executor;
  const auto toolchain = co_await FindLean(options.lean, fs::absolute(options.project));
  if (!toolchain) co_return Report(toolchain.error());
  const fs::path file = options.index.empty() ? retrieve::DefaultIndexFile(toolchain->search_path)
                                              : fs::path(options.index);
  Watch watch(executor, options.quiet);
  watch.progress.PrintPlain("reading compiled modules …");
  retrieve::IndexRequest request;
  request.file = file;
  request.search_path = toolchain->search_path;
  const auto report = co_await UpdateOnThread(std::move(request), watch);
  watch.progress.Clear();
  if (!report) co_return Report(report.error());
  for (const std::string& note : report->notes) watch.progress.Print("note: skipped " + note);
  const double seconds = core::Seconds(core::Clock::now() - started);
  watch.progress.Print(fmt::format("{} declarations of {} modules ({} read, {} removed) in {}: {}",
                                   report->premises, report->modules, report->read, report->removed,
                                   ShortDuration(seconds), file.string()));
  json output{{"index", file.string()},        {"modules", report->modules},
              {"read", report->read},          {"removed", report->removed},
              {"premises", report->premises},  {"notes", report->notes},
              {"interrupted", report->stopped}};
  if (!options.embeddings.empty() && !watch.stop) {
    watch.progress.PrintPlain("computing embeddings …");
    const auto embedded = co_await Embed(options, file, watch);
    watch.progress.Clear();
    if (!embedded) co_return Report(embedded.error());
    watch.progress.Print(fmt::format("{} texts embedded; {} declarations have a vector",
                                     embedded->embedded, embedded->vectors));
    output["embeddings"] = {{"model", options.embeddings},
                            {"embedded", embedded->embedded},
                            {"vectors", embedded->vectors}};
  }
  output["seconds"] = core::Seconds(core::Clock::now() - started);
  if (options.as_json) fmt::print("{}\n", output.dump());
  co_return watch.stop ? 130 : 0;
}

}  // namespace

void AddIndex(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<IndexOptions>();
  CLI::App* verb =
      app.add_subcommand("index", "Index the theorems of a library for search, prove and serve");
  verb->footer(
      "Example:\n  zermelo index --project ~/my-project\n"
      "  zermelo index --embeddings minilm     (a model of zermelo.toml with /v1/embeddings)\n\n"
      "Later calls read only modules that have changed. See docs/retrieval.md.");
  verb->add_option("--project", options->project, "Lake project whose modules to index")
      ->check(CLI::ExistingDirectory)
      ->capture_default_str()
      ->type_name("DIR");
  verb->add_option("--embeddings", options->embeddings,
                   "Also compute embeddings with this model of zermelo.toml")
      ->type_name("MODEL");
  verb->add_option("--index", options->index,
                   "Index file (default: one per search path, in the user's cache)")
      ->type_name("FILE");
  verb->add_option("--config", options->config,
                   "Configuration file (default: the nearest zermelo.toml)")
      ->envname("ZERMELO_CONFIG")
      ->type_name("FILE");
  verb->add_flag("--json", options->as_json, "Print one JSON object on stdout");
  verb->add_flag("-q,--quiet", options->quiet, "Print only errors");
  options->lean.AddTo(*verb);
  verb->callback([options, &exit_code] {
    boost::asio::io_context io;
    exit_code = core::RunToEnd(io, RunIndex(*options));
  });
}

}  // namespace zermelo::cli
