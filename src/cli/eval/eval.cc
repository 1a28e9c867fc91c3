#include <boost/asio/this_coro.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/eval/eval_display.h"
#include "cli/eval/eval_setup.h"
#include "cli/options/model_options.h"
#include "cli/places.h"
#include "cli/verbs.h"
#include "core/files/file.h"
#include "core/hash/sha256.h"
#include "core/json.h"
#include "core/text.h"
#include "engine/prove_file.h"
#include "eval/folder.h"
#include "eval/library/library_dataset.h"
#include "eval/report/compare.h"
#include "eval/statement_check.h"
#include "lean/pool.h"

namespace zermelo::cli {

namespace fs = std::filesystem;
using core::Task;
using eval::Dataset;
using nlohmann::json;

namespace {

constexpr int kInterrupted = 130;
constexpr int kNotVerified = 3;  // as for other environment errors

core::Result<Dataset> Selected(core::Result<Dataset> dataset, const EvalPlan& plan) {
  if (!dataset) return dataset;
  if (auto selected = eval::Select(*dataset, plan.selection); !selected) {
    return core::Fail(selected.error());
  }
  return dataset;
}

/// The problems of a library, some of which may have to be made first.
Task<core::Result<Dataset>> LoadLibrary(eval::LibraryName name, const EvalOptions& options,
                                        const EvalPlan& plan, const lean::Toolchain& toolchain) {
  const auto executor = co_await boost::asio::this_coro::executor;
  Progress progress(Progress::ModeFor(options.quiet));
  core::Cancellation cancellation;
  const InterruptGuard interrupt(executor, [&] { cancellation.Request(); });
  eval::LibraryRequest request;
  request.name = std::move(name);
  request.split = plan.selection.split;
  request.on_progress = [&](size_t done, size_t total, const std::string& module) {
    const std::string line = fmt::format("{} {}/{} generating problems from {}",
                                         Bar(done, total, 16), done, total, module);
    progress.Show(line);
    progress.PrintPlain(line);
  };
  auto made = co_await eval::MakeLibraryDataset(toolchain, std::move(request), cancellation);
  if (!made && cancellation.requested()) {
    co_return core::Fail(core::ErrorCode::kCancelled, "stopped while generating the problems",
                         "run the same command to resume");
  }
  co_return Selected(std::move(made), plan);
}

void PrintNotes(const Dataset& dataset, const lean::Toolchain& toolchain, Progress& progress) {
  for (const std::string& note : dataset.notes) progress.Print("note: " + note);
  if (dataset.problems.empty()) return;
  const std::string& stated = dataset.problems.front().lean;
  const std::string wanted = stated.starts_with("v") ? stated.substr(1) : stated;
  if (wanted.empty() || toolchain.version.starts_with(wanted)) return;
  progress.Print(fmt::format("note: the dataset was written for Lean {}; this is {}", wanted,
                             toolchain.version));
}

// --- --dry-run

/// Elaborates every statement and shows each result.
class DryRun {
 public:
  DryRun(const core::Executor& executor, const lean::Toolchain& toolchain, const Dataset& dataset,
         const EvalPlan& plan, Progress::Mode mode)
      : executor_(executor),
        dataset_(dataset),
        plan_(plan),
        pool_(executor, toolchain, engine::SearchPoolOptions(plan.runner.workers)),
        progress_(mode),
        interrupt_(executor,
                   [this] {
                     stopped_ = true;
                     pool_.Close();
                   }),
        checks_(dataset.problems.size()) {}

  Task<core::Status> Run() {
    core::TaskGroup lanes(executor_);
    for (size_t i = 0; i < plan_.runner.workers; ++i) lanes.Spawn(Lane());
    co_await lanes.Join();
    progress_.Clear();
    if (error_) co_return core::Fail(*error_);
    co_return core::Status();
  }

  bool stopped() const { return stopped_; }
  Progress& progress() { return progress_; }
  size_t invalid() const {
    return static_cast<size_t>(std::ranges::count_if(
        checks_, [](const auto& check) { return check && !check->elaborates; }));
  }
  /// Statements that were not reached before it was stopped.
  size_t unchecked() const {
    return static_cast<size_t>(
        std::ranges::count_if(checks_, [](const auto& check) { return !check; }));
  }

  json Json(const lean::Toolchain& toolchain, double seconds) const {
    return {{"dataset", dataset_.name},
            {"format", dataset_.format},
            {"commit", dataset_.commit},
            {"lean", toolchain.version},
            {"problems", dataset_.problems.size()},
            {"invalid", invalid()},
            {"unchecked", unchecked()},
            {"seconds", seconds},
            {"notes", dataset_.notes},
            {"list", List()}};
  }

 private:
  json List() const {
    json list = json::array();
    for (size_t i = 0; i < dataset_.problems.size(); ++i) {
      const eval::Problem& problem = dataset_.problems[i];
      json entry = {{"name", problem.name},           {"split", problem.split},
                    {"category", problem.category},   {"theorem", problem.theorem},
                    {"file", problem.source.file},    {"line", problem.source.line},
                    {"sha256", problem.source.sha256}};
      entry["elaborates"] = json();
      if (const auto& check = checks_[i]) {
        entry["elaborates"] = check->elaborates;
        if (!check->why.empty()) entry["why"] = check->why;
      }
      list.push_back(std::move(entry));
    }
    return list;
  }

  Task<void> Lane() {
    while (!stopped_ && !error_ && next_ < checks_.size()) {
      const size_t i = next_++;
      const eval::Problem& problem = dataset_.problems[i];
      progress_.Show(
          fmt::format("{} {}/{} {}", Bar(i, checks_.size(), 16), i, checks_.size(), problem.name));
      auto checked = co_await eval::CheckStatement(pool_, problem, plan_.runner.statement_limit);
      if (!checked) {
        if (!stopped_ && !error_) error_ = checked.error();
        co_return;
      }
      std::string line = fmt::format("{} {}", checked->elaborates ? "✓" : "∅", problem.name);
      if (!problem.split.empty()) line += "  " + problem.split;
      if (!problem.category.empty()) line += "  " + problem.category;
      if (!checked->elaborates) line += "\n    " + checked->why;
      progress_.Print(line);
      checks_[i] = std::move(*checked);
    }
  }

  const core::Executor executor_;
  const Dataset& dataset_;
  const EvalPlan& plan_;
  lean::Pool pool_;
  Progress progress_;
  InterruptGuard interrupt_;
  std::vector<std::optional<eval::StatementCheck>> checks_;
  size_t next_ = 0;
  bool stopped_ = false;
  std::optional<core::Error> error_;
};

Task<int> RunDryRun(const EvalOptions& options, const EvalPlan& plan, const Dataset& dataset,
                    const lean::Toolchain& toolchain) {
  const auto executor = co_await boost::asio::this_coro::executor;
  const auto started = core::Clock::now();
  DryRun dry_run(executor, toolchain, dataset, plan, Progress::ModeFor(options.quiet));
  PrintNotes(dataset, toolchain, dry_run.progress());
  const auto done = co_await dry_run.Run();
  if (!done) co_return Report(done.error());
  const size_t count = dataset.problems.size();
  const size_t unchecked = dry_run.unchecked();
  dry_run.progress().Print(fmt::format(
      "{} of {} statements of {} ({}) elaborate with Lean {}; {} do not{}",
      count - dry_run.invalid() - unchecked, count, dataset.name, dataset.format, toolchain.version,
      dry_run.invalid(), unchecked > 0 ? fmt::format("; {} were not checked", unchecked) : ""));
  if (options.as_json) {
    const json output = dry_run.Json(toolchain, core::Seconds(core::Clock::now() - started));
    fmt::print("{}\n", core::Dump(output));
  }
  if (dry_run.stopped()) co_return kInterrupted;
  co_return dry_run.invalid() == 0 ? 0 : 1;
}

// --- --write-problems

int WriteProblems(const EvalOptions& options, const Dataset& dataset) {
  const auto written =
      core::WriteFileAtomically(options.write_problems, eval::RowsOf(dataset.problems));
  if (!written) return Report(written.error());
  Progress progress(Progress::ModeFor(options.quiet));
  for (const std::string& note : dataset.notes) progress.Print("note: " + note);
  progress.Print(fmt::format("{} of {} in {}", core::Counted(dataset.problems.size(), "problem"),
                             dataset.name, options.write_problems));
  return 0;
}

// --- the run

int PrintResult(const EvalOptions& options, const eval::Summary& summary, const fs::path& out) {
  if (options.as_json) {
    if (summary.unverified > 0 || summary.left > 0 || !summary.contradictions.empty()) {
      fmt::print(stderr, "zermelo: {}\n", summary.first_line);
    }
    fmt::print("{}\n", eval::ShortJson(summary).dump());
  } else {
    fmt::print("{}  report: {}\n", SummaryText(summary), (out / "report.html").string());
  }
  return summary.unverified > 0 || !summary.contradictions.empty() ? kNotVerified : 0;
}

json SessionJson(const eval::RunnerOptions& runner, double seconds, size_t results) {
  return {{"ended", eval::UtcNow()},
          {"seconds", seconds},
          {"results", results},
          {"jobs", runner.jobs},
          {"workers", runner.workers}};
}

Task<int> RunEvaluation(EvalOptions options, EvalPlan plan, const Dataset& dataset,
                        const lean::Toolchain& toolchain) {
  const auto executor = co_await boost::asio::this_coro::executor;
  core::Config config;
  if (!options.models.empty()) {
    auto found = FindConfig(options.config, fs::current_path());
    if (!found) co_return Report(found.error());
    config = std::move(*found);
  }
  AddModelFiles(options.models, config);
  SetModels(options, config, executor, plan.runner);
  // Made here, too: to report a wrong name or key before Lean starts, and to keep the servers of
  // GGUF files running from one attempt to the next.
  std::unique_ptr<engine::Models> kept;
  if (plan.runner.make_models) {
    auto made = plan.runner.make_models(plan.runner.budget, plan.runner.seed, nullptr);
    if (!made) co_return Report(made.error());
    kept = *std::move(made);
  }
  if (plan.out.empty()) plan.out = "eval-" + eval::FileNameFor(dataset.name);
  if (options.record_runs) plan.runner.recording.folder = plan.out;
  plan.runner.recording.tactics = options.record_tactics;
  if (dataset.format != eval::kLibraryFormat) plan.runner.dataset = fs::absolute(options.dataset);
  const auto states = options.states.With(toolchain, options.config, fs::current_path());
  if (!states) co_return Report(states.error());
  plan.runner.states = *states;
  auto places = FindPlaces(options.config, fs::current_path());
  if (!places) co_return Report(places.error());
  plan.runner.pool.places = std::move(places->list);
  const auto taught = CopyTaught(options, plan.out);
  if (!taught) co_return Report(taught.error());
  const auto manifest = DescribeEvaluation(options, plan, dataset, toolchain, config);
  if (auto begun = eval::BeginEvaluation(plan.out, manifest); !begun) {
    co_return Report(begun.error());
  }
  auto log = eval::ResultLog::Open(plan.out / "results.jsonl");
  if (!log) co_return Report(log.error());
  auto results = eval::ReadResults(plan.out / "results.jsonl");
  if (!results) co_return Report(results.error());

  const size_t total = dataset.problems.size() * plan.runner.runs;
  EvalDisplay display(executor, Progress::ModeFor(options.quiet), plan.out, *results, total);
  PrintNotes(dataset, toolchain, display.progress());
  if (!places->unused.empty()) display.progress().Print("warning: " + places->unused);
  if (!taught->empty()) display.progress().Print("note: " + *taught);
  display.progress().Print(
      fmt::format("{} problems of {} ({}), {}, budget {}, {}, {} at once, Lean {} ({})",
                  dataset.problems.size(), dataset.name, dataset.format,
                  options.models.empty() ? "built-in policy" : manifest.models,
                  ToText(plan.runner.budget), core::Counted(plan.runner.runs, "run"),
                  plan.runner.jobs, toolchain.version, Name(toolchain.kind)));
  if (!results->empty()) {
    display.progress().Print("resuming with " + core::Counted(results->size(), "result"));
  }
  const auto loaded = co_await LoadModels(kept.get(), display.progress(), display.cancellation());
  if (!loaded && !display.cancellation().requested()) co_return Report(loaded.error());
  const auto started = core::Clock::now();
  const size_t before = results->size();
  const auto premises = PremisesOf(options.strategy, options.config, toolchain, executor,
                                   ProjectNear(options, dataset));
  if (!premises) co_return Report(premises.error());
  plan.runner.premises = premises->get();
  learn::Knowledge knowledge;
  if (auto set = SetLearning(options, plan.out, knowledge, plan.runner); !set) {
    co_return Report(set.error());
  }
  plan.runner.pool.on_place = [&display](const lean::remote::PlaceEvent& event) {
    display.progress().Print("note: " + Describe(event));
  };
  const auto report = co_await eval::RunProblems(toolchain, dataset.problems, plan.runner, *results,
                                                 *log, display, display.cancellation());
  display.progress().Clear();
  json session = SessionJson(plan.runner, core::Seconds(core::Clock::now() - started),
                             results->size() - before);
  session["lean_checks"] = report.lean_checks;
  session["without_result"] = report.without_result;
  if (auto added = eval::AddSession(plan.out, session); !added) co_return Report(added.error());
  const auto summary = eval::WriteSummary(plan.out);
  if (!summary) co_return Report(summary.error());
  const int code = PrintResult(options, *summary, plan.out);
  if (report.error) co_return Report(*report.error);
  if (display.cancellation().requested()) {
    fmt::print(stderr, "zermelo: stopped; run the same command to resume\n");
    co_return kInterrupted;
  }
  co_return code;
}

int NoDataset() {
  return Report(
      {core::ErrorCode::kUsage, "no DATASET given", "name one; see: zermelo eval --help"});
}

Task<int> RunEval(EvalOptions options) {
  if (options.dataset.empty()) co_return NoDataset();
  if (auto named = NameModelsOfRoles(options); !named) co_return Report(named.error());
  const auto plan = PlanOf(options);
  if (!plan) co_return Report(plan.error());
  const auto library = eval::ParseLibraryName(options.dataset);
  if (!library) co_return Report(library.error());
  core::Result<Dataset> dataset;
  if (!*library) {
    dataset = Selected(eval::LoadDataset(options.dataset, plan->load), *plan);
    if (!dataset) co_return Report(dataset.error());
  }
  const bool only_writes = !options.write_problems.empty();
  if (only_writes && !*library) co_return WriteProblems(options, *dataset);
  const auto toolchain = co_await FindLean(options.lean, ProjectNear(options, *dataset));
  if (!toolchain) co_return Report(toolchain.error());
  if (*library) dataset = co_await LoadLibrary(**library, options, *plan, *toolchain);
  if (!dataset) co_return Report(dataset.error());
  if (only_writes) co_return WriteProblems(options, *dataset);
  if (options.dry_run) co_return co_await RunDryRun(options, *plan, *dataset, *toolchain);
  co_return co_await RunEvaluation(options, *plan, *dataset, *toolchain);
}

// --- merge and compare

struct MergeOptions {
  std::vector<std::string> shards;
  std::string out;
  bool as_json = false;
};

/// --out, or the folder that contains all shards.
core::Result<fs::path> MergedFolder(const MergeOptions& options) {
  if (!options.out.empty()) return fs::path(options.out);
  std::error_code ignored;
  const auto parent_of = [&](const std::string& shard) {
    const fs::path full = fs::absolute(shard, ignored).lexically_normal();
    return (full.has_filename() ? full : full.parent_path()).parent_path();
  };
  const fs::path parent = parent_of(options.shards.front());
  for (const std::string& shard : options.shards) {
    if (parent_of(shard) == parent) continue;
    return core::Fail(core::ErrorCode::kUsage, "the shards are in different folders",
                      "name the folder of the merged evaluation with --out DIR");
  }
  return parent;
}

int RunMerge(const MergeOptions& options) {
  const auto into = MergedFolder(options);
  if (!into) return Report(into.error());
  const std::vector<fs::path> shards(options.shards.begin(), options.shards.end());
  if (auto merged = eval::Merge(shards, *into); !merged) return Report(merged.error());
  const auto summary = eval::WriteSummary(*into);
  if (!summary) return Report(summary.error());
  EvalOptions output;
  output.as_json = options.as_json;
  return PrintResult(output, *summary, *into);
}

void PrintComparison(const std::string& a, const std::string& b,
                     const eval::Comparison& comparison) {
  fmt::print("{} problems: both solved {}, neither {}, only A {}, only B {}; McNemar p = {:.4g}\n",
             comparison.problems, comparison.both, comparison.neither, comparison.only_a.size(),
             comparison.only_b.size(), comparison.p);
  for (const std::string& note : comparison.notes) fmt::print("  note: {}\n", note);
  for (const auto& [name, only] :
       {std::pair(a, &comparison.only_a), std::pair(b, &comparison.only_b)}) {
    fmt::print("only {}:\n", name);
    for (const std::string& problem : *only) fmt::print("  {}\n", problem);
  }
}

int RunCompare(const std::string& a, const std::string& b, bool as_json) {
  const auto first = eval::ReadEvaluation(a);
  if (!first) return Report(first.error());
  const auto second = eval::ReadEvaluation(b);
  if (!second) return Report(second.error());
  const auto comparison =
      eval::Compare(first->manifest, first->results, second->manifest, second->results);
  if (!comparison) return Report(comparison.error());
  if (as_json) {
    fmt::print("{}\n", eval::ToJson(*comparison).dump());
  } else {
    PrintComparison(a, b, *comparison);
  }
  return 0;
}

}  // namespace

void AddEval(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<EvalOptions>();
  CLI::App* verb = app.add_subcommand("eval", "Run a prover on a benchmark and report the results");
  verb->require_subcommand(0, 1);
  verb->footer(
      "Examples:\n  zermelo eval miniF2F-lean4 --split test --dry-run\n"
      "  zermelo eval minif2f.jsonl --split test --model kimina --budget 16x6400 --runs 4\n"
      "  zermelo eval merge runs/shard-*\n  zermelo eval compare runs/a runs/b\n"
      "Exit codes: 0 done, solved or not, 1 (--dry-run) a statement does not elaborate,\n"
      "2 usage error, 3 Lean could not run or judge, 130 interrupted.");
  options->AddTo(*verb);

  auto merge = std::make_shared<MergeOptions>();
  CLI::App* merge_verb = verb->add_subcommand("merge", "Merge the shards of an evaluation");
  merge_verb->add_option("folders", merge->shards, "Folders of the shards")
      ->required()
      ->type_name("DIR");
  merge_verb
      ->add_option("-o,--out", merge->out,
                   "Folder of the merged evaluation (default: the one that contains all shards)")
      ->type_name("DIR");
  merge_verb->add_flag("--json", merge->as_json, "Print one JSON object on stdout");
  merge_verb->callback([merge, &exit_code] { exit_code = RunMerge(*merge); });

  auto sides = std::make_shared<std::pair<std::string, std::string>>();
  auto as_json = std::make_shared<bool>(false);
  CLI::App* compare_verb =
      verb->add_subcommand("compare", "Compare two evaluations problem by problem (McNemar)");
  compare_verb->add_option("a", sides->first, "Folder of one evaluation")
      ->required()
      ->type_name("A");
  compare_verb->add_option("b", sides->second, "Folder of the other evaluation")
      ->required()
      ->type_name("B");
  compare_verb->add_flag("--json", *as_json, "Print one JSON object on stdout");
  compare_verb->callback([sides, as_json, &exit_code] {
    exit_code = RunCompare(sides->first, sides->second, *as_json);
  });

  verb->callback([options, verb, &exit_code] {
    if (!verb->get_subcommands().empty()) return;
    boost::asio::io_context io;
    exit_code = core::RunToEnd(io, RunEval(*options));
  });
}

}  // namespace zermelo::cli
