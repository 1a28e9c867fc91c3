// `zermelo runs`, `zermelo events` and `zermelo blueprint`: show what a run database contains.
#include "store/runs.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/context.h"
#include "cli/options/run_options.h"
#include "cli/prove.h"
#include "cli/terminal/progress.h"
#include "cli/verbs.h"
#include "core/files/file.h"
#include "core/json.h"
#include "core/names.h"
#include "core/text.h"
#include "record/events.h"
#include "strategy/registry.h"
#include "strategy/strategy.h"
#include "view/blueprint.h"
#include "view/page.h"
#include "view/run_json.h"
#include "view/run_reader.h"
#include "view/subgoal_tree.h"

namespace zermelo::cli {

namespace fs = std::filesystem;
using core::ErrorCode;
using core::Fail;
using core::Result;
using nlohmann::json;
using view::AllEvents;
using view::EventJson;
using view::FindRun;
using view::Parsed;
using view::SummaryJson;

namespace {

constexpr size_t kEventsAtOnce = 1000;

struct RunsOptions {
  std::string database;
  std::string html;  // file to write; empty: none
  std::string file;  // --file of `resume`
  int64_t id = 0;
  size_t count = 20;
  bool as_json = false;
  bool as_dot = false;
  bool quiet = false;
  std::vector<std::string> kinds;
};

/// A database and its runs.
struct Opened {
  std::unique_ptr<store::Database> database;
  std::unique_ptr<store::Runs> runs;
};

Result<Opened> Open(const RunsOptions& options) {
  const auto path = FindRunDatabase(options.database);
  if (!path) return Fail(path.error());
  auto database = store::Database::Open(*path, store::Access::kReadOnly);
  if (!database) return Fail(database.error());
  Opened opened;
  opened.runs = std::make_unique<store::Runs>(**database);
  opened.database = std::move(*database);
  return opened;
}

int List(const RunsOptions& options) {
  const auto opened = Open(options);
  if (!opened) return Report(opened.error());
  const auto runs = opened->runs->Newest(options.count);
  if (!runs) return Report(runs.error());
  if (options.as_json) {
    json output{{"database", opened->database->path().string()}, {"runs", json::array()}};
    for (const store::Run& run : *runs) output["runs"].push_back(SummaryJson(run));
    fmt::print("{}\n", core::Dump(output));
    return 0;
  }
  for (const store::Run& run : *runs) {
    const json summary = SummaryJson(run);
    const std::string proved =
        summary["proved"].is_null()
            ? "-"
            : fmt::format("{}/{}", summary["proved"].dump(), summary["theorems"].dump());
    fmt::print("{:>5}  {}  {:<8}  {:>7}  {:>8}  {}\n", run.id, run.started, run.state, proved,
               ShortDuration(run.seconds), run.file);
  }
  return 0;
}

/// One line per role: "reasoner: 12 calls, 41200 tokens in, 3200 out, $0.0123".
void PrintRoles(const json& result) {
  if (!result.is_object()) return;
  const json roles = result.value("roles", json::object());
  for (const auto& [role, spent] : roles.items()) {
    fmt::print("{}: {}, {} tokens in, {} out, ${:.4f}\n", role,
               core::Counted(spent.value("calls", size_t{0}), "call"),
               spent.value("prompt_tokens", int64_t{0}),
               spent.value("completion_tokens", int64_t{0}), spent.value("dollars", 0.0));
  }
}

/// Adds "seconds=10", "agent.keep=3": what a request says beyond `defaults`, in the names of --set.
void AddSettings(const json& value, const json& defaults, const std::string& name,
                 std::vector<std::string>* out) {
  if (value.is_object()) {
    for (const auto& [key, inner] : value.items()) {
      const bool prefixed = !name.empty() && name != "strategy";
      AddSettings(inner, defaults.is_object() ? defaults.value(key, json()) : json(),
                  prefixed ? name + "." + key : key, out);
    }
    return;
  }
  const bool empty = value.is_null() || value == false || (value.is_array() && value.empty()) ||
                     (value.is_string() && value.get_ref<const std::string&>().empty());
  if (defaults.is_null() ? empty : value == defaults) return;
  out->push_back(name + "=" + strategy::AsText(value));
}

std::string Settings(const json& request) {
  json defaults{{"kernel", "on"}, {"readers", 1}, {"file", request.value("file", "")}};
  for (const strategy::Strategy* each : strategy::AllStrategies()) {
    defaults["strategy"][std::string(each->name())] = each->Defaults();
  }
  std::vector<std::string> settings;
  AddSettings(request, defaults, /*name=*/"", &settings);
  return fmt::format("{} (all settings: --json)", fmt::join(settings, ", "));
}

/// Whether a run is an attempt of `zermelo eval --record-runs`.
bool IsAttempt(const json& request) {
  return request.is_object() && request.value("verb", json()) == "eval";
}

int WritePage(const RunsOptions& options) {
  const auto path = FindRunDatabase(options.database);
  if (!path) return Report(path.error());
  auto reader = view::RunReader::Open(*path);
  if (!reader) return Report(reader.error());
  const auto whole = reader->Whole(options.id);
  if (!whole) return Report(whole.error());
  const auto written = core::WriteFileAtomically(options.html, view::RunPage(*whole));
  return written ? 0 : Report(written.error());
}

int Show(const RunsOptions& options) {
  if (!options.html.empty()) return WritePage(options);
  const auto opened = Open(options);
  if (!opened) return Report(opened.error());
  const auto run = FindRun(*opened->runs, options.id);
  if (!run) return Report(run.error());
  if (options.as_json) {
    const auto whole = view::RunJson(*opened->runs, *run);
    if (!whole) return Report(whole.error());
    fmt::print("{}\n", core::Dump(*whole));
    return 0;
  }
  const auto theorems = opened->runs->Theorems(options.id);
  if (!theorems) return Report(theorems.error());
  const auto kinds = opened->runs->Kinds(options.id);
  if (!kinds) return Report(kinds.error());
  const auto subgoals = AllEvents(*opened->runs, options.id, view::SubgoalEventKinds());
  if (!subgoals) return Report(subgoals.error());
  const json lean = Parsed(run->toolchain);
  fmt::print("run {}: {}, started {}, {} of work\n", run->id, run->state, run->started,
             ShortDuration(run->seconds));
  fmt::print("file: {}\nLean: {} ({})\nZermelo: {}\nrequest: {}\n", run->file,
             lean.value("version", "?"), lean.value("kind", "?"), run->program,
             Settings(view::ShownRequest(*run)));
  std::string counts;
  for (const auto& [kind, count] : *kinds) {
    counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", count, kind);
  }
  fmt::print("events: {}\n", counts);
  PrintRoles(Parsed(run->result));
  fmt::print("{}", view::DrawSubgoals(*subgoals));
  for (const auto& theorem : *theorems) {
    fmt::print("{} {} (line {})  {}, {} tried{}{}\n", Mark(theorem.status), theorem.name,
               theorem.line, ShortDuration(theorem.seconds), theorem.samples,
               theorem.message.empty() ? "" : ": ", theorem.message);
    for (size_t at = 0; at < theorem.proof.size();) {
      const size_t end = std::min(theorem.proof.find('\n', at), theorem.proof.size());
      fmt::print("    {}\n", theorem.proof.substr(at, end - at));
      at = end + 1;
    }
  }
  if (run->state != "finished" && !IsAttempt(Parsed(run->request))) {
    fmt::print("to resume: {}\n", ResumeCommand(opened->database->path(), run->id));
  }
  return 0;
}

int Resume(const RunsOptions& options) {
  fs::path database;
  json request;
  {
    const auto opened = Open(options);
    if (!opened) return Report(opened.error());
    const auto run = FindRun(*opened->runs, options.id);
    if (!run) return Report(run.error());
    database = fs::absolute(opened->database->path());
    request = Parsed(run->request);
  }
  if (IsAttempt(request)) {
    return Report(
        {ErrorCode::kUsage,
         fmt::format("run {} is an attempt of an evaluation, which is not resumed by itself",
                     options.id),
         "run the command of the evaluation again"});
  }
  if (!options.file.empty())
    request["file"] = fs::absolute(options.file).lexically_normal().string();
  return ResumeProve(request, database, options.id, options.as_json, options.quiet);
}

core::Status CheckKinds(store::Runs& runs, const RunsOptions& options) {
  const auto present = runs.Kinds(options.id);
  if (!present) return Fail(present.error());
  std::vector<std::string> known(record::event::kAll.begin(), record::event::kAll.end());
  for (const auto& [kind, count] : *present) known.push_back(kind);
  for (const std::string& kind : options.kinds) {
    if (std::find(known.begin(), known.end(), kind) != known.end()) continue;
    return Fail(ErrorCode::kUsage, "there are no events of kind '" + kind + "'",
                core::DidYouMean(kind, known));
  }
  return {};
}

int PrintEvents(const RunsOptions& options) {
  const auto opened = Open(options);
  if (!opened) return Report(opened.error());
  const auto run = FindRun(*opened->runs, options.id);
  if (!run) return Report(run.error());
  if (auto known = CheckKinds(*opened->runs, options); !known) return Report(known.error());
  view::StepChanges changes;
  for (int64_t from = 0; std::ferror(stdout) == 0;) {
    const auto events = opened->runs->Events(options.id, from, kEventsAtOnce, options.kinds);
    if (!events) return Report(events.error());
    if (events->empty()) break;
    for (const store::Event& event : *events) {
      std::string line;
      if (options.as_json) {
        json object = EventJson(event);
        changes.AddTo(object);
        line = core::Dump(object);
      } else {
        line = fmt::format("{:>6} {:>9.3f}s  {:<14} {}", event.seq, event.at, event.kind,
                           event.fields);
      }
      std::fputs((line + "\n").c_str(), stdout);  // a closed pipe ends the loop
    }
    from = events->back().seq + 1;
  }
  return 0;
}

int PrintBlueprint(const RunsOptions& options) {
  const auto opened = Open(options);
  if (!opened) return Report(opened.error());
  const auto run = FindRun(*opened->runs, options.id);
  if (!run) return Report(run.error());
  const auto events = AllEvents(*opened->runs, options.id, view::BlueprintEvents());
  if (!events) return Report(events.error());
  json blueprint = view::ReadBlueprint(*events);
  if (options.as_dot) {
    fmt::print("{}", view::BlueprintDot(blueprint));
  } else if (options.as_json) {
    blueprint["run"] = options.id;
    blueprint["file"] = run->file;
    fmt::print("{}\n", core::Dump(blueprint));
  } else if (blueprint["theorems"].empty()) {
    fmt::print("run {} has no lemmas\n", options.id);
  } else {
    fmt::print("{}", view::BlueprintText(blueprint));
  }
  return 0;
}

void AddDatabase(CLI::App& app, RunsOptions& options) {
  app.add_option("--run-db", options.database,
                 "Run database (default: the nearest .zermelo/runs.db in this folder or above)")
      ->type_name("FILE");
}

void AddId(CLI::App& app, RunsOptions& options) {
  app.add_option("id", options.id, "Number of the run")->required()->type_name("ID");
}

}  // namespace

void AddRuns(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<RunsOptions>();
  CLI::App* verb = app.add_subcommand("runs", "List, show or resume recorded runs");
  verb->footer("Example:\n  zermelo runs\n  zermelo runs show 3\n  zermelo runs resume 3");
  AddDatabase(*verb, *options);
  verb->add_option("-n,--count", options->count, "Maximum number of runs (default: 20)")
      ->type_name("N");
  verb->add_flag("--json", options->as_json, "Print one JSON object on stdout");
  verb->require_subcommand(0, 1);
  verb->callback([verb, options, &exit_code] {
    if (verb->get_subcommands().empty()) exit_code = List(*options);
  });

  CLI::App* show = verb->add_subcommand("show", "Show a run's request, events and results");
  AddId(*show, *options);
  AddDatabase(*show, *options);
  CLI::Option* json_flag =
      show->add_flag("--json", options->as_json, "Print one JSON object on stdout");
  show->add_option("--html", options->html,
                   "Write the run, with all its events, as a self-contained page")
      ->excludes(json_flag)
      ->type_name("FILE");
  show->callback([options, &exit_code] { exit_code = Show(*options); });

  CLI::App* resume = verb->add_subcommand("resume", "Resume a run that did not finish");
  resume->footer("Recorded replies of Lean and of models are reused, not requested again.");
  AddId(*resume, *options);
  AddDatabase(*resume, *options);
  resume->add_option("--file", options->file, "The run's Lean file, if it has moved")
      ->check(CLI::ExistingFile)
      ->type_name("FILE");
  resume->add_flag("--json", options->as_json, "Print one JSON object on stdout");
  resume->add_flag("-q,--quiet", options->quiet, "Print only errors");
  resume->callback([options, &exit_code] { exit_code = Resume(*options); });
}

void AddEvents(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<RunsOptions>();
  CLI::App* verb = app.add_subcommand("events", "Print the events of a recorded run");
  verb->footer("Example:\n  zermelo events 3 --jsonl --kind selected,backed_up");
  AddId(*verb, *options);
  AddDatabase(*verb, *options);
  verb->add_flag("--jsonl", options->as_json,
                 "Print one JSON object per line, with requests and replies");
  verb->add_option("--kind", options->kinds, "Print only events of these kinds (docs/runs.md)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("KIND[,KIND...]");
  verb->callback([options, &exit_code] { exit_code = PrintEvents(*options); });
}

void AddBlueprint(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<RunsOptions>();
  CLI::App* verb = app.add_subcommand("blueprint", "Print the lemmas of a recorded run");
  verb->footer("Example:\n  zermelo blueprint 3 --dot | dot -Tsvg > blueprint.svg");
  AddId(*verb, *options);
  AddDatabase(*verb, *options);
  CLI::Option* dot = verb->add_flag("--dot", options->as_dot, "Print a graph for Graphviz");
  verb->add_flag("--json", options->as_json, "Print one JSON object on stdout")->excludes(dot);
  verb->callback([options, &exit_code] { exit_code = PrintBlueprint(*options); });
}

}  // namespace zermelo::cli
