#include <algorithm>
#include <boost/asio/this_coro.hpp>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/against.h"
#include "cli/context.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/progress.h"
#include "cli/verbs.h"
#include "core/files/file.h"
#include "core/text.h"
#include "engine/acceptance/file_errors.h"
#include "engine/acceptance/outcome.h"
#include "lean/import_errors.h"
#include "lean/pool.h"
#include "syntax/declarations.h"

namespace zermelo::cli {

namespace fs = std::filesystem;
using core::Result;
using core::Task;
using nlohmann::json;

namespace {

struct CheckOptions {
  LeanOptions lean;
  std::string against;
  TrustOptions trust;
  ParanoidOptions paranoid;
  std::string config;
  size_t jobs = 1;
  bool allow_more_imports = false;
  bool allow_programs = false;
  std::string receipt;
  std::vector<std::string> files;
  double seconds = 600;
  bool warnings_fail = false;
  bool as_json = false;
  bool quiet = false;
};

enum class Kind { kError, kSorry, kWarning, kNote };

const char* Name(Kind kind) {
  switch (kind) {
    case Kind::kError:
      return "error";
    case Kind::kSorry:
      return "sorry";
    case Kind::kWarning:
      return "warning";
    case Kind::kNote:
      return "note";
  }
  return "error";
}

/// One message and the declaration that it is about.
struct Finding {
  Kind kind = Kind::kError;
  syntax::Position begin;
  std::string theorem;  // empty: outside any declaration
  std::string message;
};

struct FileReport {
  std::string file;
  std::vector<Finding> findings;
  double seconds = 0;
  std::optional<core::Error> error = {};  // Lean did not finish it
  size_t Count(Kind kind) const {
    return static_cast<size_t>(std::ranges::count(findings, kind, &Finding::kind));
  }
  engine::Outcome Outcome() const {
    if (error) return engine::OutcomeOf(*error);
    if (Count(Kind::kError) > 0) return engine::Outcome::kRejected;
    return Count(Kind::kSorry) > 0 ? engine::Outcome::kOpen : engine::Outcome::kAccepted;
  }
  bool Clean(bool warnings_fail) const {
    return Count(Kind::kError) == 0 && Count(Kind::kSorry) == 0 &&
           (!warnings_fail || Count(Kind::kWarning) == 0);
  }
};

Finding Read(const lean::Diagnostic& d, const lean::Toolchain& toolchain) {
  Finding finding{.begin = d.begin, .message = d.message};
  if (SaysSorry(d)) {
    finding.kind = Kind::kSorry;
    finding.message = "has a sorry";
  } else if (engine::IsMissingLibraryCode(d)) {
    finding.kind = Kind::kNote;
    finding.message =
        "this Lean comes without the compiled code of its library, so it cannot run this; "
        "no proof is affected (" +
        d.message + ")";
  } else if (d.severity == lean::Severity::kWarning) {
    finding.kind = Kind::kWarning;
  } else if (const std::string hint = lean::ImportHint(d, toolchain); !hint.empty()) {
    finding.message += "\n  " + hint;
  }
  return finding;
}

FileReport MakeReport(const std::string& file, const std::string& text,
                      const lean::Toolchain& toolchain, const lean::CheckResult& result) {
  FileReport report{.file = file, .findings = {}, .seconds = result.seconds};
  const auto declarations = syntax::FindDeclarations(text);
  const core::LineIndex lines(text);
  for (const auto& d : result.diagnostics) {
    if (d.severity != lean::Severity::kError && d.severity != lean::Severity::kWarning) continue;
    Finding finding = Read(d, toolchain);
    const auto* const theorem = syntax::DeclarationAt(declarations, OffsetOf(lines, d.begin));
    if (theorem != nullptr) finding.theorem = theorem->DisplayName();
    report.findings.push_back(std::move(finding));
  }
  // Lean reports diagnostics in the order in which it finishes them.
  std::ranges::stable_sort(report.findings, {}, &Finding::begin);
  return report;
}

json ToJson(const FileReport& report, bool warnings_fail) {
  json messages = json::array();
  for (const Finding& f : report.findings) {
    messages.push_back({{"kind", Name(f.kind)},
                        {"line", f.begin.line + 1},
                        {"column", f.begin.character + 1},
                        {"theorem", f.theorem.empty() ? json() : json(f.theorem)},
                        {"message", f.message}});
  }
  return {{"file", report.file},
          {"clean", report.Clean(warnings_fail)},
          {"outcome", Name(report.Outcome())},
          {"errors", report.Count(Kind::kError)},
          {"sorries", report.Count(Kind::kSorry)},
          {"warnings", report.Count(Kind::kWarning)},
          {"messages", std::move(messages)},
          {"seconds", report.seconds}};
}

void PrintReport(const FileReport& report, Progress& progress) {
  for (const Finding& f : report.findings) {
    const std::string about = f.theorem.empty() ? "" : " [" + f.theorem + "]";
    progress.Print(fmt::format("{}:{}:{}: {}{}: {}", report.file, f.begin.line + 1,
                               f.begin.character + 1, Name(f.kind), about, f.message));
  }
  std::string summary;
  for (const auto& [kind, noun] :
       {std::pair(Kind::kError, "error"), std::pair(Kind::kSorry, "sorry"),
        std::pair(Kind::kWarning, "warning")}) {
    if (const size_t n = report.Count(kind); n > 0) {
      summary += (summary.empty() ? "" : ", ") + core::Counted(n, noun);
    }
  }
  progress.Print(fmt::format("{}: {} ({})", report.file, summary.empty() ? "clean" : summary,
                             ShortDuration(report.seconds)));
}

/// The report for a file that Lean could not finish; the other files are still checked.
FileReport Failed(const std::string& file, const core::Error& error) {
  FileReport report{.file = file, .error = error};
  report.findings.push_back({.message = error.message});
  return report;
}

/// One Lean per project: files of several projects may be checked in one run.
class Leans {
 public:
  Leans(core::Executor executor, LeanOptions options)
      : executor_(std::move(executor)), options_(std::move(options)) {}

  Task<Result<lean::Pool*>> For(fs::path folder) {
    const fs::path project = lean::FindProject(folder);
    if (const auto found = pools_.find(project); found != pools_.end())
      co_return found->second.get();
    auto toolchain = co_await FindLean(options_, folder);
    if (!toolchain) co_return core::Fail(toolchain.error());
    lean::PoolOptions one;
    one.workers = 1;
    auto pool = std::make_unique<lean::Pool>(executor_, std::move(*toolchain), one);
    if (closed_) pool->Close();
    co_return pools_.emplace(project, std::move(pool)).first->second.get();
  }

  void Close() {
    closed_ = true;
    for (auto& [project, pool] : pools_) pool->Close();
  }

 private:
  const core::Executor executor_;
  const LeanOptions options_;
  std::map<fs::path, std::unique_ptr<lean::Pool>> pools_;
  bool closed_ = false;
};

Task<int> RunCheck(CheckOptions options) {
  std::vector<std::string> texts;
  for (const std::string& file : options.files) {
    auto text = core::ReadTextFile(file);
    if (!text) co_return Report(text.error());
    texts.push_back(std::move(*text));
  }
  const auto executor = co_await boost::asio::this_coro::executor;
  Progress progress(Progress::ModeFor(options.quiet));
  Leans leans(executor, options.lean);
  const InterruptGuard interrupt(executor, [&] { leans.Close(); });

  bool clean = true;
  bool crashed = false;
  json lean_json;
  json files = json::array();
  for (size_t i = 0; i < texts.size(); ++i) {
    const std::string& file = options.files[i];
    progress.Show(
        fmt::format("{} {}/{} checking {}", Bar(i, texts.size(), 10), i + 1, texts.size(), file));
    const auto pool = co_await leans.For(fs::absolute(file).parent_path());
    if (!pool) co_return Report(pool.error());
    const lean::Toolchain& toolchain = (*pool)->toolchain();
    lean::CheckRequest request;
    request.text = texts[i];
    request.deadline = core::Deadline::After(core::FromSeconds(options.seconds));
    const auto checked = co_await (*pool)->Check(std::move(request));
    progress.Clear();
    if (!checked && (checked.error().code == core::ErrorCode::kCancelled ||
                     checked.error().code == core::ErrorCode::kEnvironment)) {
      co_return Report(checked.error());
    }
    const FileReport report =
        checked ? MakeReport(file, texts[i], toolchain, *checked) : Failed(file, checked.error());
    clean &= report.Clean(options.warnings_fail);
    crashed |= !checked;
    PrintReport(report, progress);
    files.push_back(ToJson(report, options.warnings_fail));
    lean_json["version"] = toolchain.version;
    lean_json["kind"] = lean::Name(toolchain.kind);
    if (options.files.size() > 1) files.back()["lean"] = lean_json;
  }
  if (options.as_json) {
    json output;
    output["clean"] = clean;
    output["lean"] = std::move(lean_json);
    output["files"] = std::move(files);
    fmt::print("{}\n", output.dump());
  }
  if (crashed) co_return core::ExitCode(core::ErrorCode::kCrashed);
  co_return clean ? 0 : 1;
}

AgainstOptions ForAgainst(const CheckOptions& options) {
  if (options.files.size() != 1) {
    throw CLI::ValidationError("--against", "takes one FILE or folder to compare with ORIGINAL");
  }
  AgainstOptions against;
  against.lean = options.lean;
  against.trust = options.trust;
  against.paranoid = options.paranoid;
  against.config = options.config;
  against.jobs = options.jobs;
  against.original = options.against;
  against.candidate = options.files.front();
  against.seconds = options.seconds;
  against.allow_more_imports = options.allow_more_imports;
  against.allow_programs = options.allow_programs;
  against.receipt = options.receipt;
  against.as_json = options.as_json;
  against.quiet = options.quiet;
  return against;
}

}  // namespace

void AddCheck(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<CheckOptions>();
  CLI::App* verb =
      app.add_subcommand("check", "List errors, sorrys and warnings of Lean files by theorem");
  verb->footer(
      "Example:\n  zermelo check Basic.lean --json\n"
      "  zermelo check Proved.lean --against Basic.lean\n"
      "  zermelo check answers/ --against problems/ --json\n\nExit code 0 only if every file is "
      "free of errors and sorrys, 3 if Lean did not finish one.");
  verb->add_option("files", options->files, "Lean files to check")->required()->type_name("FILE");
  CLI::Option* against =
      verb->add_option(
              "--against", options->against,
              "Judge whether FILE proves every theorem with a sorry in this file. For a folder, "
              "compare every .lean file with the one at the same path in the folder FILE")
          ->type_name("ORIGINAL");
  verb->add_flag("--allow-more-imports", options->allow_more_imports,
                 "Accept a FILE that imports more than ORIGINAL")
      ->needs(against);
  verb->add_flag(
          "--allow-programs", options->allow_programs,
          "Accept a FILE with code that runs inside Lean (`elab`, `simproc`, ...) if Zermelo's "
          "kernel accepts everything in the compiled file; needs the full sandbox")
      ->needs(against);
  options->trust.AddTo(*verb, against, true);
  options->paranoid.AddTo(*verb, against);
  verb->add_option("--config", options->config,
                   "Configuration file with [trust] (default: the nearest zermelo.toml)")
      ->needs(against)
      ->type_name("FILE");
  verb->add_option("--receipt", options->receipt,
                   "Write a receipt of the verdict (docs/receipts.md); for folders, into a folder")
      ->needs(against)
      ->type_name("FILE");
  verb->add_option("-j,--jobs", options->jobs,
                   "Number of verdicts at once, for folders (default: 1)")
      ->needs(against)
      ->check(Between(1, 256))
      ->type_name("N");
  verb->add_option("--time", options->seconds,
                   "Time limit per file, e.g. 90s or 10m (default: 10m)")
      ->transform(DurationValidator())
      ->type_name("TIME");
  verb->add_flag("--wfail", options->warnings_fail, "Treat warnings as failures");
  verb->add_flag("--json", options->as_json, "Print one JSON object on stdout");
  verb->add_flag("-q,--quiet", options->quiet,
                 "Print no progress or messages, only set the exit code");
  options->lean.AddTo(*verb);
  verb->callback([options, &exit_code] {
    boost::asio::io_context io;
    exit_code = options->against.empty() ? core::RunToEnd(io, RunCheck(*options))
                                         : core::RunToEnd(io, RunAgainst(ForAgainst(*options)));
  });
}

}  // namespace zermelo::cli
