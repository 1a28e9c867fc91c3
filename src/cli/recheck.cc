#include <algorithm>
#include <boost/asio/this_coro.hpp>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/context.h"
#include "cli/options/paranoid_options.h"
#include "cli/options/run_options.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/progress.h"
#include "cli/verbs.h"
#include "core/cancellation.h"
#include "core/files/file.h"
#include "core/json.h"
#include "engine/acceptance/outcome.h"
#include "engine/receipt/receipt.h"
#include "eval/folder.h"
#include "store/runs.h"
#include "view/run_json.h"

namespace zermelo::cli {

namespace fs = std::filesystem;
using core::ErrorCode;
using core::Fail;
using core::Result;
using core::Task;
using engine::Outcome;
using nlohmann::json;

namespace {

struct RecheckOptions {
  LeanOptions lean;
  std::vector<std::string> subjects;  // receipts, run IDs, folders of evaluations
  std::string database;               // --run-db
  std::string project;                // --project
  ParanoidOptions paranoid;
  bool allow_programs = false;
  double seconds = 600;
  bool as_json = false;
  bool quiet = false;
};

/// A receipt, and the folder whose project's Lean judges it.
struct NamedReceipt {
  std::string name;
  json receipt;
  fs::path near;
};

Result<NamedReceipt> FromFile(const fs::path& file) {
  const auto text = core::ReadTextFile(file);
  if (!text) return Fail(text.error());
  NamedReceipt subject;
  subject.name = file.string();
  subject.near = fs::absolute(file).parent_path();
  auto receipt = core::ParseJson(*text);
  if (!receipt) return Fail(core::ErrorIn(file, receipt.error()));
  subject.receipt = *std::move(receipt);
  return subject;
}

Result<std::vector<NamedReceipt>> FromEvaluation(const fs::path& folder) {
  const auto evaluation = eval::ReadEvaluation(folder);
  if (!evaluation) return Fail(evaluation.error());
  const auto files = eval::ReceiptFiles(folder);
  if (!files) return Fail(files.error());
  std::vector<NamedReceipt> subjects;
  for (const fs::path& file : *files) {
    auto subject = FromFile(file);
    if (!subject) return Fail(subject.error());
    subjects.push_back(*std::move(subject));
  }
  if (subjects.empty()) {
    return Fail(ErrorCode::kInput, folder.string() + " has no receipts",
                "it has no proofs, or an older Zermelo found them");
  }
  return subjects;
}

Result<NamedReceipt> FromRun(const std::string& named, int64_t id) {
  const auto path = FindRunDatabase(named);
  if (!path) return Fail(path.error());
  const auto database = store::Database::Open(*path, store::Access::kReadOnly);
  if (!database) return Fail(database.error());
  store::Runs runs(**database);
  const auto run = view::FindRun(runs, id);
  if (!run) return Fail(run.error());
  const json result = view::Parsed(run->result);
  if (!result.is_object() || !result.contains("receipt")) {
    return Fail(ErrorCode::kInput, fmt::format("run {} has no receipt", id),
                "it proved nothing, or an older Zermelo recorded it");
  }
  NamedReceipt subject;
  subject.name = fmt::format("run {}", id);
  subject.receipt = result["receipt"];
  subject.near = fs::path(run->file).parent_path();
  return subject;
}

Result<std::vector<NamedReceipt>> ReceiptsNamed(const RecheckOptions& options) {
  std::vector<NamedReceipt> all;
  for (const std::string& named : options.subjects) {
    std::error_code ignored;
    if (fs::is_directory(named, ignored)) {
      auto subjects = FromEvaluation(named);
      if (!subjects) return Fail(subjects.error());
      std::ranges::move(*subjects, std::back_inserter(all));
      continue;
    }
    const bool is_id = named.size() < 10 && named.find_first_not_of("0123456789") == named.npos;
    const bool is_run = is_id && !fs::exists(named, ignored);
    auto subject = is_run ? FromRun(options.database, std::stoll(named)) : FromFile(named);
    if (!subject) return Fail(subject.error());
    all.push_back(*std::move(subject));
  }
  for (NamedReceipt& subject : all) {
    // What is no receipt is said before any Lean starts.
    if (const auto proof = engine::ProofOf(subject.receipt); !proof)
      return Fail(proof.error().code, subject.name + ": " + proof.error().message,
                  proof.error().hint);
    if (!options.project.empty()) subject.near = options.project;
  }
  return all;
}

/// What all receipts of one project share.
struct Bench {
  lean::Toolchain toolchain;
  std::shared_ptr<engine::LibraryReader> library;
  std::shared_ptr<engine::ImportsJudge> imports;
};

/// What became of one receipt: a new one, or why there is none.
struct Rechecked {
  Outcome outcome = Outcome::kInfrastructure;
  json receipt;
  json changes = json::array();
  std::string error = {};
};

Rechecked Compared(const json& before, json now) {
  Rechecked result;
  engine::ParseOutcome(now["outcome"].get<std::string>(), &result.outcome);
  result.changes = engine::ReceiptChanges(before, now);
  result.receipt = std::move(now);
  return result;
}

Rechecked Failed(const core::Error& error) {
  Rechecked result;
  // What is wrong with the statement here (a package is missing) says nothing about the proof.
  const bool input = error.code == ErrorCode::kInput || error.code == ErrorCode::kUsage;
  result.outcome = input ? Outcome::kInfrastructure : engine::OutcomeOf(error);
  result.error = error.message;
  return result;
}

json ToJson(const NamedReceipt& subject, const Rechecked& result) {
  json object{{"receipt", subject.name},
              {"before", subject.receipt.value("outcome", json())},
              {"outcome", Name(result.outcome)},
              {"changes", result.changes},
              {"now", result.receipt}};
  if (!result.error.empty()) object["error"] = result.error;
  return object;
}

void Print(const NamedReceipt& subject, const Rechecked& result, Progress& progress) {
  std::string changed;
  for (const json& change : result.changes)
    changed += (changed.empty() ? "" : ", ") + change["what"].get<std::string>();
  progress.Print(fmt::format("{} {}: {}, was {}{}",
                             result.outcome == Outcome::kAccepted ? "✓" : "✗", subject.name,
                             Name(result.outcome), subject.receipt.value("outcome", "?"),
                             changed.empty() ? "; nothing changed" : "; changed: " + changed));
  if (!result.error.empty()) progress.Print("    " + result.error);
  if (result.receipt.is_null()) return;
  for (const json& theorem : result.receipt.value("theorems", json::array())) {
    for (const json& reason : theorem["reasons"])
      progress.Print("    " + reason["message"].get<std::string>());
  }
  for (const char* what : {"reasons", "hints"}) {
    for (const json& each : result.receipt.value(what, json::array()))
      progress.Print("    " + each["message"].get<std::string>());
  }
}

Task<int> RunRecheck(RecheckOptions options) {
  const auto subjects = ReceiptsNamed(options);
  if (!subjects) co_return Report(subjects.error());
  const auto executor = co_await boost::asio::this_coro::executor;
  core::Cancellation cancellation;
  Progress progress(Progress::ModeFor(options.quiet));
  const InterruptGuard interrupt(executor, [&] {
    progress.Print("stopping (Ctrl-C again: quit now)");
    cancellation.Request();
  });
  std::map<fs::path, Bench> benches;  // by project
  json all = json::array();
  int code = 0;
  for (const NamedReceipt& subject : *subjects) {
    if (cancellation.requested()) co_return core::ExitCode(ErrorCode::kCancelled);
    const fs::path project = lean::FindProject(fs::absolute(subject.near));
    if (!benches.contains(project)) {
      auto found = co_await FindLean(options.lean, fs::absolute(subject.near));
      if (!found) co_return Report(found.error());
      auto library = engine::Acceptance::NewLibrary(executor, *found);
      auto imports = std::make_shared<engine::ImportsJudge>(executor);
      benches.emplace(project, Bench{*std::move(found), std::move(library), std::move(imports)});
    }
    const Bench& bench = benches.at(project);
    progress.Show("judging " + subject.name);
    engine::RecheckLimits limits;
    limits.deadline = core::Deadline::After(core::FromSeconds(options.seconds));
    limits.paranoid = options.paranoid.on;
    limits.others = options.paranoid.Limits(progress);
    limits.cancellation = &cancellation;
    limits.allow_programs = options.allow_programs;
    limits.library = bench.library;
    limits.imports = bench.imports;
    auto now =
        co_await engine::JudgeAgain(subject.receipt, executor, bench.toolchain, std::move(limits));
    progress.Clear();
    if (!now && now.error().code == ErrorCode::kCancelled) co_return Report(now.error());
    const Rechecked result = now ? Compared(subject.receipt, std::move(*now)) : Failed(now.error());
    Print(subject, result, progress);
    all.push_back(ToJson(subject, result));
    code = std::max(code, ExitCode(result.outcome));
  }
  if (options.as_json) {
    json output;
    output["receipts"] = std::move(all);
    fmt::print("{}\n", core::Dump(output));
  }
  co_return code;
}

}  // namespace

void AddRecheck(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<RecheckOptions>();
  CLI::App* verb = app.add_subcommand(
      "recheck", "Judge accepted proofs again, and say what changed since their receipts");
  verb->footer(
      "Example:\n  zermelo recheck receipt.json\n  zermelo recheck 12 --json\n"
      "  zermelo recheck runs/kimina --project ~/newer-lean\n\nExit code 0 if every proof is "
      "accepted now, 1 if one is not, 3 if one could not be judged. See docs/receipts.md.");
  verb->add_option("receipt", options->subjects, "Receipts, IDs of runs, or folders of evaluations")
      ->required()
      ->type_name("RECEIPT|RUN|EVAL");
  verb->add_option("--project", options->project,
                   "Judge with the Lean of this project (default: that of the receipt's folder)")
      ->check(CLI::ExistingDirectory)
      ->type_name("DIR");
  verb->add_option("--run-db", options->database,
                   "Run database (default: the nearest .zermelo/runs.db)")
      ->type_name("FILE");
  verb->add_option("--time", options->seconds,
                   "Time limit per receipt, e.g. 90s or 10m (default: 10m)")
      ->transform(DurationValidator())
      ->type_name("TIME");
  options->paranoid.AddTo(*verb);
  verb->add_flag(
      "--allow-programs", options->allow_programs,
      "Also judge receipts whose rules allow programs; their code runs inside Lean again");
  verb->add_flag("--json", options->as_json, "Print one JSON object on stdout");
  verb->add_flag("-q,--quiet", options->quiet, "Print only errors");
  options->lean.AddTo(*verb);
  verb->callback([options, &exit_code] {
    boost::asio::io_context io;
    exit_code = core::RunToEnd(io, RunRecheck(*options));
  });
}

}  // namespace zermelo::cli
