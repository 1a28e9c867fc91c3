// `zermelo trace`: the tactics of a project's own proofs, with their states.
#include <algorithm>
#include <boost/asio/this_coro.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/context.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/progress.h"
#include "cli/verbs.h"
#include "core/text.h"
#include "data/trace/trace_project.h"
#include "engine/prove_file.h"

namespace zermelo::cli {

namespace fs = std::filesystem;
using core::Task;
using nlohmann::json;

namespace {

struct TraceOptions {
  LeanOptions lean;
  std::string project;
  std::string out = "trace.jsonl";
  size_t workers = 0;  // 0: one for each processor
  double seconds = 600;
  bool as_json = false;
  bool quiet = false;
};

json ToJson(const data::TraceReport& report) {
  return {{"files", report.files},       {"known", report.known},     {"failed", report.failed},
          {"theorems", report.theorems}, {"tactics", report.tactics}, {"seconds", report.seconds}};
}

void Print(const data::TraceReport& report, const std::string& out, Progress& progress) {
  const double rate = static_cast<double>(report.tactics) / std::max(report.seconds, 1e-3);
  progress.Print(
      fmt::format("{}: {} of {} in {} ({:.1f}/s){}{}", out, core::Counted(report.tactics, "tactic"),
                  core::Counted(report.theorems, "theorem"), core::Counted(report.files, "file"),
                  rate, report.known > 0 ? fmt::format(", {} known", report.known) : "",
                  report.failed > 0 ? fmt::format(", {} failed", report.failed) : ""));
}

size_t WorkersFor(const TraceOptions& options) {
  if (options.workers > 0) return options.workers;
  return std::max(1U, std::thread::hardware_concurrency());
}

Task<int> RunTrace(TraceOptions options) {
  const auto executor = co_await boost::asio::this_coro::executor;
  std::error_code error;
  const fs::path root = fs::canonical(options.project, error);
  const auto toolchain = co_await FindLean(options.lean, root);
  if (!toolchain) co_return Report(toolchain.error());
  lean::Pool pool(executor, *toolchain, engine::SearchPoolOptions(WorkersFor(options)));
  Progress progress(Progress::ModeFor(options.quiet));
  const InterruptGuard interrupt(executor, [&] { pool.Close(); });
  data::TraceRequest request;
  request.root = root;
  request.out = options.out;
  request.limit = core::FromSeconds(options.seconds);
  size_t tactics = 0;
  request.on_file = [&](const std::string& file, size_t count, const std::string& why) {
    tactics += count;
    if (!why.empty()) progress.Print(fmt::format("{}: {}", file, why));
    const auto line = fmt::format("{} traced, last {}", core::Counted(tactics, "tactic"), file);
    progress.Show(line);
    progress.PrintPlain(line);
  };
  const auto report = co_await data::TraceProject(pool, std::move(request));
  pool.Close();
  progress.Clear();
  if (interrupt.interrupted()) {
    progress.Print("stopped; run the same command to resume");
    co_return core::ExitCode(core::ErrorCode::kCancelled);
  }
  if (!report) co_return Report(report.error());
  Print(*report, options.out, progress);
  if (options.as_json) fmt::print("{}\n", ToJson(*report).dump());
  co_return report->failed > 0 ? 1 : 0;
}

}  // namespace

void AddTrace(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<TraceOptions>();
  CLI::App* verb = app.add_subcommand(
      "trace", "Write every tactic of a project's proofs, with the states around it");
  verb->footer(
      "Example:\n  zermelo trace my-project --out trace.jsonl\n"
      "  zermelo export sft --from trace.jsonl --format bfs-prover\n\n"
      "The project must be built. A trace that was stopped continues with the same command. Exit "
      "code 1: a file\ncould not be traced. docs/training.md describes the output.");
  verb->add_option("project", options->project, "Folder of a project, or one Lean file")
      ->required()
      ->check(CLI::ExistingPath)
      ->type_name("PROJECT");
  verb->add_option("-o,--out", options->out, "File to write or to continue (default: trace.jsonl)")
      ->type_name("FILE");
  verb->add_option("--workers", options->workers,
                   "Number of Lean processes (default: one per processor)")
      ->check(Between(1, 256))
      ->type_name("N");
  verb->add_option("--time", options->seconds,
                   "Time limit per file, e.g. 90s or 10m (default: 10m)")
      ->transform(DurationValidator())
      ->type_name("TIME");
  verb->add_flag("--json", options->as_json, "Print one JSON object on stdout");
  verb->add_flag("-q,--quiet", options->quiet, "Print only errors");
  options->lean.AddTo(*verb);
  verb->callback([options, &exit_code] {
    boost::asio::io_context io;
    exit_code = core::RunToEnd(io, RunTrace(*options));
  });
}

}  // namespace zermelo::cli
