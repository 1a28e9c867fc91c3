#include "cli/prove.h"

#include <boost/asio/this_coro.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/context.h"
#include "cli/options/model_options.h"
#include "cli/options/prove_request.h"
#include "cli/options/strategy_options.h"
#include "cli/places.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/progress.h"
#include "cli/verbs.h"
#include "core/files/file.h"
#include "core/text.h"
#include "engine/learning.h"
#include "engine/premise_source.h"
#include "engine/project_imports.h"
#include "engine/prove_file.h"
#include "engine/recorded_run.h"
#include "lean/versions.h"

namespace zermelo::cli {

namespace fs = std::filesystem;
using core::Task;
using engine::TheoremResult;
using nlohmann::json;

namespace {

/// Shows the job on stderr, and forwards Ctrl-C to it.
class ProveDisplay : public engine::ProveListener {
 public:
  ProveDisplay(const core::Executor& executor, Progress::Mode mode)
      : progress_(mode), interrupt_(executor, [this] {
          progress_.Print(
              "stopping; proofs found so far are still verified (Ctrl-C again: quit now)");
          if (!how_to_resume_.empty()) progress_.Print("to resume later: " + how_to_resume_);
          cancellation_.Request();
        }) {}

  void Phase(const std::string& what) override {
    progress_.PrintPlain(what + " …");
    progress_.Clear();
    progress_.Show(what + " …");
  }
  void TheoremStarted(size_t index, size_t count, const TheoremResult& theorem) override {
    prefix_ = fmt::format("{} {}/{} {}", Bar(index, count, 10), index + 1, count, theorem.name);
    started_ = core::Clock::now();
    progress_.Clear();
    progress_.Show(prefix_);
  }
  void Trying(const std::string& tactic) override {
    const double seconds = core::Seconds(core::Clock::now() - started_);
    progress_.Show(fmt::format("{}  {}  {}", prefix_, ShortDuration(seconds), tactic));
  }
  void TheoremEnded(const TheoremResult& theorem) override {
    std::string line = fmt::format("{} {}  {}, {} tried", Mark(Name(theorem.status)), theorem.name,
                                   ShortDuration(theorem.seconds), theorem.samples);
    if (!theorem.progress.empty() && theorem.message.empty()) line += ", " + theorem.progress;
    if (theorem.proofs.size() > 1) line += fmt::format(", {} proofs", theorem.proofs.size());
    if (!theorem.message.empty()) line += ": " + theorem.message;
    progress_.Print(line);
    const std::string shown = theorem.auxiliary + theorem.proof;
    for (size_t at = 0; at < shown.size();) {
      const size_t end = std::min(shown.find('\n', at), shown.size());
      progress_.Print("    " + shown.substr(at, end - at));
      at = end + 1;
    }
  }
  core::Cancellation& cancellation() { return cancellation_; }
  void TheoremChanged(const TheoremResult& theorem) override {
    progress_.Print(
        fmt::format("{} {}: {}", Mark(Name(theorem.status)), theorem.name, theorem.message));
  }
  Progress& progress() { return progress_; }
  /// The command to show at Ctrl-C.
  void set_how_to_resume(std::string command) { how_to_resume_ = std::move(command); }

 private:
  Progress progress_;
  core::Cancellation cancellation_;
  InterruptGuard interrupt_;
  std::string prefix_;
  std::string how_to_resume_;
  core::Clock::time_point started_;
};

json ToJson(const ProveOptions& options, const strategy::StrategyParameters& strategy,
            const lean::Toolchain& toolchain, const engine::ProveResult& result, double seconds) {
  json theorems = json::array();
  for (const TheoremResult& theorem : result.theorems) {
    json entry = theorem;
    if (!strategy.all) entry.erase("proofs");
    theorems.push_back(std::move(entry));
  }
  return {{"file", options.file},          {"lean", LeanJson(toolchain)},
          {"strategy", strategy.strategy}, {"theorems", std::move(theorems)},
          {"notes", result.notes},         {"seconds", seconds}};
}

/// "kimina: 50 % of the samples, 12 for $0.0100, 9 usable, 1 in a proof; 2 calls failed: …".
void PrintMembers(const std::vector<policy::MemberReport>& members, Progress& progress) {
  for (const policy::MemberReport& member : members) {
    if (member.share == 0) continue;  // the built-in policy is free and always asked
    std::string line =
        fmt::format("  {}: {:.0f} % of the samples, {} for ${:.4f}, {} usable, {} in a proof",
                    member.name, 100 * member.share, member.spending.samples,
                    member.spending.dollars, member.proposed, member.succeeded);
    if (member.failures > 0) {
      line +=
          fmt::format("; {} failed: {}", core::Counted(member.failures, "call"), member.last_error);
    }
    progress.Print(line);
  }
}

/// "reasoner: 12 calls, 41200 tokens in, 3200 out, $0.0123", one line each.
void PrintRoles(const std::map<std::string, llm::Spending>& roles, Progress& progress) {
  if (roles.size() < 2) return;
  for (const auto& [role, spent] : roles) {
    progress.Print(fmt::format("  {}: {}, {} tokens in, {} out, ${:.4f}", role,
                               core::Counted(static_cast<size_t>(spent.calls), "call"),
                               spent.prompt_tokens, spent.completion_tokens, spent.dollars));
  }
}

/// Detects before the search, not after it, that the result cannot be written.
core::Status CheckWritable(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    return core::Fail(core::ErrorCode::kInput, path.string() + " is a directory",
                      "name a file with --out FILE");
  }
  return core::CheckCreatable(path);
}

/// Where the proofs go. With --in-place a file that was edited during the run stays as it is, and
/// they go beside it.
fs::path ProofsPath(const ProveOptions& options, const std::string& original) {
  if (!options.in_place) return options.OutPath();
  const auto present = core::ReadTextFile(options.file);
  if (present && *present == original) return options.file;
  return fs::path(options.file).replace_extension(".proved.lean");
}

core::Error WasEdited(const std::string& file, const fs::path& proofs) {
  return {.code = core::ErrorCode::kInput,
          .message = file + " changed during the run and was left as it is",
          .hint = fmt::format("{} contains the proofs, but not your changes: copy the proofs from "
                              "there, or run the command again",
                              proofs.string())};
}

/// The proofs, the receipt and the lemmas: as many as can be written. Clears `proofs` if that file
/// cannot. Returns the first error.
core::Status WriteResults(const ProveOptions& options, fs::path& proofs,
                          const engine::ProveResult& result, Progress& progress) {
  core::Status status;
  const auto write = [&status](const fs::path& path, const std::string& text) {
    const auto written = core::WriteFileAtomically(path, text);
    if (!written && status) status = written;
    return written.has_value();
  };
  std::error_code ignored;
  if (result.proofs() > 0) {
    if (!write(proofs, result.text)) proofs.clear();
  } else if (proofs != options.file && fs::exists(proofs, ignored)) {
    progress.Print(fmt::format("note: {} is of an earlier run", proofs.string()));
  }
  if (!options.receipt.empty() && !result.receipt.is_null()) {
    write(options.receipt, result.receipt.dump(1) + "\n");
  }
  if (!result.lemmas_text.empty() && write(options.LemmasPath(), result.lemmas_text)) {
    progress.Print("proved lemmas: " + options.LemmasPath().string());
  }
  return status;
}

engine::ProveRequest RequestFor(const ProveOptions& options, std::string text) {
  engine::ProveRequest request;
  request.text = std::move(text);
  request.imported = options.imported;
  request.theorems = options.theorems;
  request.time_per_theorem = core::FromSeconds(options.seconds);
  request.workers = options.workers;
  request.readers = options.readers;
  if (options.states.use == "on") request.state_servers = options.workers;
  return request;
}

/// `proofs`: the file that has them; empty: none.
void Summarise(const ProveOptions& options, const lean::Toolchain& toolchain,
               const engine::ProveResult& result, const fs::path& proofs, double seconds,
               Progress& progress) {
  for (const std::string& note : result.notes) progress.Print("note: " + note);
  if (result.theorems.empty()) {
    progress.Print("there is no sorry to fill in " + options.file);
    return;
  }
  const size_t from_open = result.proofs() - result.proved();
  progress.Print(fmt::format(
      "{} of {} proved{} in {} with Lean {} ({}){}", result.proved(), result.theorems.size(),
      from_open > 0 ? fmt::format(", {} from theorems without proofs", from_open) : "",
      ShortDuration(seconds), toolchain.version, Name(toolchain.kind),
      result.proofs() > 0 && !proofs.empty() ? ": " + proofs.string() : ""));
  for (const TheoremResult& theorem : result.theorems) {
    if (!HasProof(theorem)) continue;
    progress.Print(engine::KernelsLine(theorem.kernels));  // one verdict on the whole file
    break;
  }
  if (result.proofs() > 0 && !lean::KnownProblems(toolchain.version).empty()) {
    progress.Print(fmt::format(
        "warning: Lean {} has known kernel bugs; re-check important proofs with {} or later (see "
        "zermelo doctor)",
        toolchain.version, lean::kNoKnownProblems));
  }
}

/// Starts or resumes recording; null if the run is not recorded. An unwritable default database is
/// only a warning.
core::Result<std::unique_ptr<engine::RecordedRun>> BeginRun(const ProveOptions& options,
                                                            const engine::RunIdentity& identity,
                                                            std::optional<int64_t> resumed) {
  if (resumed) return engine::RecordedRun::Resume(options.runs.database, *resumed, identity);
  if (options.runs.no_record) return nullptr;
  const bool named = !options.runs.database.empty();
  const fs::path database =
      named ? fs::path(options.runs.database) : engine::DefaultRunDatabase(options.file);
  auto run = engine::RecordedRun::Begin(fs::absolute(database), identity, ToRequest(options));
  if (run || named) return run;
  if (options.quiet) return nullptr;
  fmt::print(stderr, "zermelo: note: this run is not recorded: {}\n", run.error().message);
  if (!run.error().hint.empty()) fmt::print(stderr, "  {}\n", run.error().hint);
  return nullptr;
}

record::RunJournalOptions JournalOptions(const ProveOptions& options, ProveDisplay& display) {
  record::RunJournalOptions journal;
  journal.tracing = options.runs.trace;
  journal.records_tactics = options.runs.record_tactics;
  journal.on_lost_record = [&display, asks = !options.models.models.empty()](const auto& error) {
    display.progress().Print("warning: this run is no longer recorded: " + error.message);
    if (!error.hint.empty()) display.progress().Print("  " + error.hint);
    if (!asks) return;
    display.progress().Print("stopping: paid model replies would be lost");
    display.cancellation().Request();
  };
  return journal;
}

/// What the job learns from.
engine::Learning ProjectLearning(const ProveOptions& options, Progress& progress) {
  if (!options.Learns()) return {};
  engine::LearningRequest request;
  request.file = options.file;
  request.reads = !options.models.recording.RecordsOrReplays();
  // Who wants no files, or names their place, gets no new folder.
  request.makes_folder = !options.runs.no_record && options.runs.database.empty();
  engine::Learning learning = engine::LearningFor(request);
  if (!learning.note.empty()) progress.Print("note: " + learning.note);
  return learning;
}

/// The object "run" of --json output: where the run is recorded.
json RunJson(const engine::RecordedRun& run) {
  return {{"id", run.id()}, {"database", run.database().string()}};
}

void PrintHowToResume(const engine::RecordedRun& run) {
  fmt::print(stderr, "  to resume: {}\n", ResumeCommand(run.database(), run.id()));
}

Task<int> RunProve(ProveOptions options, std::optional<int64_t> resumed) {
  const auto started = core::Clock::now();
  auto text = core::ReadTextFile(options.file);
  if (!text) co_return Report(text.error());
  for (const fs::path& path : {options.OutPath(), fs::path(options.receipt)}) {
    if (path.empty()) continue;
    if (auto writable = CheckWritable(path); !writable) co_return Report(writable.error());
  }
  const auto toolchain = co_await FindLean(options.lean, fs::absolute(options.file).parent_path());
  if (!toolchain) co_return Report(toolchain.error());

  const auto executor = co_await boost::asio::this_coro::executor;
  const fs::path folder = fs::absolute(options.file).parent_path();
  if (!options.parameters) {
    auto made = options.strategy.Make(options.models.config, folder, options.models.seed);
    if (!made) co_return Report(made.error());
    options.parameters = *made;
    if (!options.models.recording.replay.empty()) strategy::MakeSequential(*options.parameters);
  }
  // Decided here for the whole run: a resumed one asks the state server again for what it was
  // asked, whatever has become of the reasons.
  const auto states = options.states.With(*toolchain, options.models.config, folder);
  if (!states) co_return Report(states.error());
  options.states.use = *states ? "on" : "off";
  const auto premises =
      PremisesOf(options.strategy, options.models.config, *toolchain, executor, folder);
  if (!premises) co_return Report(premises.error());
  if (!resumed) {
    const auto learns = options.learning.AreOn(options.models.config, folder);
    if (!learns) co_return Report(learns.error());
    options.learning.off = !*learns;
    if (!options.strategy.no_builtin) options.imported = engine::ReadImported(options.file, *text);
  }
  engine::RunIdentity identity;
  identity.file = fs::absolute(options.file).lexically_normal().string();
  identity.text = *text;
  identity.program = ZERMELO_VERSION;
  identity.toolchain = engine::DescribeToolchain(*toolchain);
  const auto run = BeginRun(options, identity, resumed);
  if (!run) co_return Report(run.error());
  ProveDisplay display(executor, Progress::ModeFor(options.quiet));
  std::unique_ptr<record::RunJournal> journal;
  if (*run) {
    journal = std::make_unique<record::RunJournal>(executor, &(*run)->record(),
                                                   JournalOptions(options, display));
    display.set_how_to_resume(ResumeCommand((*run)->database(), (*run)->id()));
  }
  auto for_models = options.strategy.ForModels(*options.parameters);
  for_models.journal = journal.get();
  const auto models = options.models.Make(executor, folder, std::move(for_models));
  if (!models) {
    if (*run) (*run)->DiscardIfEmpty();
    co_return Report(models.error());
  }
  const auto loaded =
      co_await LoadModels(models->get(), display.progress(), display.cancellation());
  if (!loaded && !display.cancellation().requested()) {
    if (*run) (*run)->DiscardIfEmpty();
    co_return Report(loaded.error());
  }
  auto request = RequestFor(options, std::move(*text));
  const auto axioms = options.trust.Axioms(options.models.config, folder);
  if (!axioms) co_return Report(axioms.error());
  request.allowed_axioms = *axioms;
  request.kernel = options.trust.Kernel();
  request.models = models->get();
  request.journal = journal.get();
  request.premises = premises->get();
  request.strategy = *options.parameters;
  request.builtin = !options.strategy.no_builtin;
  request.lemmas = true;
  request.shorten = options.shorten;
  const engine::Learning learning = ProjectLearning(options, display.progress());
  learning.ApplyTo(request);
  auto places = FindPlaces(options.models.config, folder);
  if (!places) co_return Report(places.error());
  if (!places->unused.empty()) display.progress().Print("warning: " + places->unused);
  request.pool.places = std::move(places->list);
  request.pool.on_place = [&display](const lean::remote::PlaceEvent& event) {
    display.progress().Print("note: " + Describe(event));
  };
  const auto result =
      co_await engine::ProveFile(*toolchain, std::move(request), display, display.cancellation());
  display.progress().Clear();
  if (!result) {
    const int code = Report(result.error());
    if (*run && !(*run)->DiscardIfEmpty()) PrintHowToResume(**run);
    co_return code;
  }
  fs::path proofs = ProofsPath(options, identity.text);
  const bool edited = proofs != options.OutPath();
  const auto written = WriteResults(options, proofs, *result, display.progress());
  if (*run && written) {  // else it stays open, and a resumed run writes the files
    if (auto kept = (*run)->Finish(*result); !kept) static_cast<void>(Report(kept.error()));
  }
  const double seconds = core::Seconds(core::Clock::now() - started);
  if (*premises && !(*premises)->Note().empty()) {
    display.progress().Print("note: " + (*premises)->Note());
  }
  Summarise(options, *toolchain, *result, proofs, seconds, display.progress());
  if (*models) {
    display.progress().Print("models: " + (*models)->budget().Summary());
    PrintMembers((*models)->members(), display.progress());
    PrintRoles(result->roles(), display.progress());
  }
  if (options.as_json) {
    json output = ToJson(options, *options.parameters, *toolchain, *result, seconds);
    if (*run) output["run"] = RunJson(**run);
    if (*models) {
      output["models"] = (*models)->budget().models();
      output["members"] = (*models)->members();
      output["roles"] = result->roles();
    }
    fmt::print("{}\n", output.dump());
  }
  if (!written) {
    const int code = Report(written.error());
    if (*run) PrintHowToResume(**run);
    co_return code;
  }
  if (result->proofs() > 0 && edited) {
    co_return Report(WasEdited(options.file, proofs));
  }
  if (result->interrupted) co_return 130;
  if (result->has_faults && options.theorems.empty()) co_return 1;
  co_return result->proved() == result->theorems.size() ? 0 : 1;
}

/// The strategies, their presets and their parameters, as the registration has them.
std::string HelpOnStrategies() {
  std::string strategies, presets, parameters;
  for (const strategy::Strategy* each : strategy::AllStrategies()) {
    strategies += fmt::format("\n  {:<11}  {}", each->name(), each->summary());
    for (const strategy::Preset& preset : each->Presets()) {
      presets += fmt::format("\n  {:<17}  {}", fmt::format("{}={}", each->name(), preset.name),
                             preset.summary);
    }
    const json defaults = each->Defaults();
    for (const strategy::Parameter& parameter : each->Parameters()) {
      const std::string value = strategy::AsText(defaults.at(std::string(parameter.name)));
      parameters +=
          fmt::format("\n  {:<35}  {}",
                      fmt::format("{}.{}={}", each->name(), parameter.name, value), parameter.help);
    }
  }
  return strategies + "\n\nPresets for --set:" + presets +
         "\n\nParameters for --set, with their defaults:" + parameters;
}

}  // namespace

int ResumeProve(const json& request, const fs::path& database, int64_t id, bool as_json,
                bool quiet) {
  auto options = FromRequest(request);
  if (!options) return Report(options.error());
  options->runs.database = database.string();
  options->as_json = as_json;
  options->quiet = quiet;
  boost::asio::io_context io;
  return core::RunToEnd(io, RunProve(std::move(*options), id));
}

void AddProve(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<ProveOptions>();
  CLI::App* verb = app.add_subcommand("prove", "Fill the sorrys of a Lean file with proofs");
  verb->footer(
      "Example:\n  zermelo prove Basic.lean --theorem add_comm' --time 2m\n"
      "  zermelo prove Basic.lean --model kimina --samples 64 --dollars 0.50\n"
      "  zermelo prove Basic.lean --strategy rmaxts --model deepseek --all\n\n"
      "Strategies (docs/strategies.md):" +
      HelpOnStrategies());
  verb->add_option("file", options->file, "Lean file to prove")->required()->type_name("FILE");
  verb->add_option("-t,--theorem", options->theorems, "Prove only this theorem (repeatable)")
      ->type_name("NAME")
      ->allow_extra_args(false);
  CLI::Option* out =
      verb->add_option("-o,--out", options->out, "Output file (default: FILE.proved.lean)")
          ->type_name("FILE");
  verb->add_option("--receipt", options->receipt,
                   "Also write a receipt of the verdict on the proofs (docs/receipts.md)")
      ->type_name("FILE");
  verb->add_flag("--shorten", options->shorten,
                 "Leave out of each proof what it does not need (at most 10 s for each)");
  verb->add_flag("-i,--in-place", options->in_place, "Write the proofs into FILE itself")
      ->excludes(out);
  verb->add_option("--time", options->seconds,
                   "Time limit per theorem, e.g. 30s or 5m (default: 60s)")
      ->transform(DurationValidator())
      ->type_name("TIME");
  options->states.AddTo(*verb);
  options->learning.AddTo(*verb);
  verb->add_option("-j,--workers", options->workers, "Number of Lean processes (default: 2)")
      ->check(Between(1, 256))
      ->type_name("N");
  verb->add_flag("--json", options->as_json, "Print one JSON object on stdout");
  verb->add_flag("-q,--quiet", options->quiet, "Print only errors");
  options->trust.AddTo(*verb);
  options->lean.AddTo(*verb);
  options->strategy.AddTo(*verb);
  options->models.AddTo(*verb);
  options->runs.AddTo(*verb);
  verb->callback([options, &exit_code] {
    boost::asio::io_context io;
    exit_code = core::RunToEnd(io, RunProve(*options, std::nullopt));
  });
}

}  // namespace zermelo::cli
