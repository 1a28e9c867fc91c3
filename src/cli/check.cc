#include <boost/asio/this_coro.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/against.h"
#include "cli/context.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/verbs.h"
#include "core/file.h"
#include "lean/declarations.h"
#include "lean/pool.h"

namespace zermelo::cli {

namespace fs = std::filesystem;
using core::Task;
using nlohmann::json;

namespace {

struct CheckOptions {
  LeanOptions lean;
  std::string against;
  bool allow_more_imports = false;
  std::vector<std::string> files;
  double seconds = 600;
  bool as_json = false;
  bool quiet = false;
};

/// One message and the declaration that it is about.
struct Finding {
  lean::Diagnostic diagnostic;
  std::string theorem;  // empty: outside any declaration
  bool is_sorry = false;
};

struct FileReport {
  std::string file;
  std::vector<Finding> findings;
  double seconds = 0;
  size_t Count(bool (*which)(const Finding&)) const {
    return static_cast<size_t>(std::count_if(findings.begin(), findings.end(), which));
  }
  size_t errors() const {
    return Count([](const Finding& f) { return f.diagnostic.severity == lean::Severity::kError; });
  }
  size_t sorries() const {
    return Count([](const Finding& f) { return f.is_sorry; });
  }
  size_t warnings() const {
    return Count([](const Finding& f) {
      return !f.is_sorry && f.diagnostic.severity == lean::Severity::kWarning;
    });
  }
  bool clean() const { return errors() == 0 && sorries() == 0; }
};

std::string DeclarationName(const lean::Declaration& declaration) {
  if (!declaration.full_name.empty()) return declaration.full_name;
  return fmt::format("{} (line {})", declaration.keyword, declaration.line);
}

FileReport MakeReport(const std::string& file, const std::string& text,
                      const lean::CheckResult& result) {
  FileReport report{.file = file, .findings = {}, .seconds = result.seconds};
  const auto declarations = lean::FindDeclarations(text);
  const core::LineIndex lines(text);
  for (const auto& d : result.diagnostics) {
    if (d.severity != lean::Severity::kError && d.severity != lean::Severity::kWarning) continue;
    const size_t at = OffsetOf(lines, d.begin);
    Finding finding{.diagnostic = d, .theorem = "", .is_sorry = SaysSorry(d)};
    for (const auto& declaration : declarations) {
      if (declaration.range.begin <= at && at <= declaration.range.end) {
        finding.theorem = DeclarationName(declaration);
      }
    }
    report.findings.push_back(std::move(finding));
  }
  // Lean answers in the order in which it gets done.
  std::stable_sort(
      report.findings.begin(), report.findings.end(),
      [](const auto& a, const auto& b) { return a.diagnostic.begin < b.diagnostic.begin; });
  return report;
}

const char* KindOf(const Finding& finding) {
  if (finding.is_sorry) return "sorry";
  return finding.diagnostic.severity == lean::Severity::kError ? "error" : "warning";
}

json ToJson(const FileReport& report) {
  json messages = json::array();
  for (const Finding& f : report.findings) {
    messages.push_back({{"kind", KindOf(f)},
                        {"line", f.diagnostic.begin.line + 1},
                        {"column", f.diagnostic.begin.character + 1},
                        {"theorem", f.theorem.empty() ? json() : json(f.theorem)},
                        {"message", f.diagnostic.message}});
  }
  return {{"file", report.file},           {"clean", report.clean()},
          {"errors", report.errors()},     {"sorries", report.sorries()},
          {"warnings", report.warnings()}, {"messages", std::move(messages)},
          {"seconds", report.seconds}};
}

void PrintReport(const FileReport& report, Progress& progress) {
  for (const Finding& f : report.findings) {
    const std::string about = f.theorem.empty() ? "" : " [" + f.theorem + "]";
    const std::string message = f.is_sorry ? "has a sorry" : f.diagnostic.message;
    progress.Print(fmt::format("{}:{}:{}: {}{}: {}", report.file, f.diagnostic.begin.line + 1,
                               f.diagnostic.begin.character + 1, KindOf(f), about, message));
  }
  progress.Print(report.clean()
                     ? fmt::format("{}: clean ({})", report.file, ShortDuration(report.seconds))
                     : fmt::format("{}: {} errors, {} sorrys, {} warnings ({})", report.file,
                                   report.errors(), report.sorries(), report.warnings(),
                                   ShortDuration(report.seconds)));
}

Task<int> RunCheck(CheckOptions options) {
  std::vector<std::string> texts;
  for (const std::string& file : options.files) {
    auto text = core::ReadTextFile(file);
    if (!text) co_return Report(text.error());
    texts.push_back(std::move(*text));
  }
  const auto toolchain =
      co_await FindLean(options.lean, fs::absolute(options.files.front()).parent_path());
  if (!toolchain) co_return Report(toolchain.error());
  const auto executor = co_await boost::asio::this_coro::executor;
  Progress progress(Progress::ModeFor(options.quiet));
  lean::PoolOptions pool_options;
  pool_options.workers = 1;
  lean::Pool pool(executor, *toolchain, pool_options);
  const InterruptGuard interrupt(executor, [&] { pool.Close(); });

  bool clean = true;
  json files = json::array();
  for (size_t i = 0; i < texts.size(); ++i) {
    progress.Show(fmt::format("{} {}/{} checking {}", Bar(i, texts.size(), 10), i + 1, texts.size(),
                              options.files[i]));
    lean::CheckRequest request;
    request.text = texts[i];
    request.deadline = core::Deadline::After(core::FromSeconds(options.seconds));
    const auto checked = co_await pool.Check(std::move(request));
    progress.Clear();
    if (!checked) co_return Report(checked.error());
    const FileReport report = MakeReport(options.files[i], texts[i], *checked);
    clean &= report.clean();
    PrintReport(report, progress);
    files.push_back(ToJson(report));
  }
  if (options.as_json) {
    json lean{{"version", toolchain->version}, {"kind", Name(toolchain->kind)}};
    json output;
    output["clean"] = clean;
    output["lean"] = std::move(lean);
    output["files"] = std::move(files);
    fmt::print("{}\n", output.dump());
  }
  co_return clean ? 0 : 1;
}

AgainstOptions ForAgainst(const CheckOptions& options) {
  if (options.files.size() != 1) {
    throw CLI::ValidationError("--against", "takes one FILE to compare with ORIGINAL");
  }
  AgainstOptions against;
  against.lean = options.lean;
  against.original = options.against;
  against.candidate = options.files.front();
  against.seconds = options.seconds;
  against.allow_more_imports = options.allow_more_imports;
  against.as_json = options.as_json;
  against.quiet = options.quiet;
  return against;
}

}  // namespace

void AddCheck(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<CheckOptions>();
  CLI::App* verb =
      app.add_subcommand("check", "Errors, sorrys and warnings of Lean files, by theorem");
  verb->footer(
      "Example:\n  zermelo check Basic.lean --json\n"
      "  zermelo check Proved.lean --against Basic.lean\n\nExit code 0 only if every file is "
      "free of errors and sorrys.");
  verb->add_option("files", options->files, "Lean files")->required()->type_name("FILE");
  CLI::Option* against =
      verb->add_option("--against", options->against,
                       "The file with the sorrys that FILE claims to have proved: judge whether it "
                       "really does")
          ->type_name("ORIGINAL");
  verb->add_flag("--allow-more-imports", options->allow_more_imports,
                 "Accept a FILE that imports more than ORIGINAL")
      ->needs(against);
  verb->add_option("--time", options->seconds, "For each file, e.g. 90s or 10m (default: 10m)")
      ->transform(DurationValidator())
      ->type_name("TIME");
  verb->add_flag("--json", options->as_json, "Print one JSON object on stdout");
  verb->add_flag("-q,--quiet", options->quiet, "No progress and no messages, only the exit code");
  options->lean.AddTo(*verb);
  verb->callback([options, &exit_code] {
    boost::asio::io_context io;
    exit_code = options->against.empty() ? core::RunToEnd(io, RunCheck(*options))
                                         : core::RunToEnd(io, RunAgainst(ForAgainst(*options)));
  });
}

}  // namespace zermelo::cli
