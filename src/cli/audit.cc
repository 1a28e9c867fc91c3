#include "trust/audit/audit.h"

#include <boost/asio/this_coro.hpp>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <ranges>
#include <tuple>

#include "cli/compiled.h"
#include "cli/context.h"
#include "cli/options/trust_options.h"
#include "cli/terminal/progress.h"
#include "cli/verbs.h"
#include "core/files/file.h"
#include "core/names.h"
#include "core/text.h"
#include "trust/audit/baseline.h"

namespace zermelo::cli {

namespace fs = std::filesystem;
using core::ErrorCode;
using core::Result;
using core::Task;
using nlohmann::json;
using trust::AuditChanges;
using trust::AuditFinding;
using trust::AuditReport;

namespace {

struct AuditOptions {
  LeanOptions lean;
  TrustOptions trust;
  std::string config;
  std::vector<std::string> inputs = {"."};  // one project, or compiled modules
  std::string baseline;                     // --baseline
  std::vector<std::string> search_path;     // --path
  bool write_baseline = false;
  bool all = false;
  bool as_json = false;
  bool quiet = false;
};

/// What is audited, and the baseline that goes with it.
struct Subject {
  fs::path folder;
  trust::AuditRequest request;
  std::vector<std::string> unreadable;  // folders, with the reasons
  fs::path baseline;
};

Result<Subject> FindSubject(const AuditOptions& options) {
  Subject subject;
  const fs::path first = options.inputs.front();
  if (options.inputs.size() == 1 && fs::is_directory(first)) {
    const fs::path project = lean::FindProject(fs::absolute(first));
    subject.folder = project.empty() ? first : project;
    auto files = ProjectModules(subject.folder);
    if (!files) return core::Fail(files.error());
    subject.request.files = std::move(files->files);
    subject.unreadable = std::move(files->unreadable);
  } else {
    subject.folder = ".";
    for (const std::string& file : options.inputs) {
      if (!kernel::IsCompiledModule(file)) {
        return core::Fail(ErrorCode::kInput, file + " is not a compiled module",
                          "name one project, or .olean files");
      }
      subject.request.files.push_back({"", file});
    }
  }
  subject.baseline =
      options.baseline.empty() ? subject.folder / "zermelo-audit.json" : fs::path(options.baseline);
  auto axioms = options.trust.Axioms(options.config, subject.folder);
  if (!axioms) return core::Fail(axioms.error());
  subject.request.allowed_axioms = *std::move(axioms);
  return subject;
}

/// The findings of the baseline; none if there is no such file and none was named.
Result<std::vector<AuditFinding>> Baseline(const Subject& subject, bool is_named) {
  std::error_code ignored;
  if (!is_named && !fs::exists(subject.baseline, ignored)) return std::vector<AuditFinding>();
  const auto text = core::ReadTextFile(subject.baseline);
  if (!text) return core::Fail(text.error());
  auto findings = trust::ReadBaseline(*text);
  if (!findings) {
    return core::Fail(ErrorCode::kInput,
                      subject.baseline.string() + ": " + findings.error().message,
                      findings.error().hint);
  }
  return findings;
}

/// Where a declaration is: the file that the module is usually compiled from.
std::string WhereIs(const AuditFinding& finding) {
  const std::string file = finding.module.empty() ? "(module)" : core::ModulePath(finding.module);
  return finding.line == 0 ? file + ".lean" : fmt::format("{}.lean:{}", file, finding.line);
}

std::string Sentence(const AuditFinding& finding) {
  return fmt::format("{} {}{}", finding.declaration, Meaning(finding.kind),
                     finding.detail.empty() ? "" : " " + finding.detail);
}

/// Whether a finding differs from one of these in the statement only.
bool HasOtherStatement(const AuditFinding& finding, const std::vector<AuditFinding>& others) {
  return std::ranges::any_of(
      others, [&](const AuditFinding& other) { return finding.IsAboutTheSame(other); });
}

json WithPlace(const AuditFinding& finding) {
  json object = trust::ToJson(finding);
  object["module"] = finding.module;
  object["line"] = finding.line == 0 ? json() : json(finding.line);
  return object;
}

json ToJson(const AuditReport& report, const AuditChanges& changes, const Subject& subject,
            bool all) {
  const auto list = [](const auto& findings, auto convert) {
    json array = json::array();
    for (const auto& finding : findings) array.push_back(convert(finding));
    return array;
  };
  json output{{"lean", report.lean_version},
              {"lean_commit", report.lean_commit},
              {"modules", report.modules},
              {"imported_modules", report.imported_modules},
              {"imported_without_proofs", report.imported_without_proofs},
              {"declarations", report.declarations.size()},
              {"axioms", report.axioms},
              {"baseline", subject.baseline.string()},
              {"unreadable", subject.unreadable}};
  output["findings"] = list(report.findings, WithPlace);
  output["new"] = list(changes.added, WithPlace);
  output["gone"] = list(changes.gone, [](const AuditFinding& f) { return trust::ToJson(f); });
  if (all) {
    output["ledger"] = list(report.declarations, [](const trust::AuditedDeclaration& declaration) {
      return json{{"declaration", declaration.name},
                  {"module", declaration.module},
                  {"line", declaration.line == 0 ? json() : json(declaration.line)},
                  {"axioms", declaration.axioms}};
    });
  }
  return output;
}

void Print(const AuditReport& report, const AuditChanges& changes, const Subject& subject, bool all,
           Progress& progress) {
  std::vector<AuditFinding> added = changes.added;
  std::ranges::stable_sort(added, {},
                           [](const AuditFinding& f) { return std::tie(f.module, f.line); });
  for (const AuditFinding& finding : added)
    progress.Print(fmt::format(
        "{}: new: {}{}", WhereIs(finding), Sentence(finding),
        HasOtherStatement(finding, changes.gone) ? ", whose statement has changed" : ""));
  for (const AuditFinding& finding : changes.gone) {
    if (!HasOtherStatement(finding, changes.added))
      progress.Print(fmt::format("gone: {}", Sentence(finding)));
  }
  if (all) {
    for (const auto& declaration : report.declarations) {
      progress.Print(fmt::format("{}: {}", declaration.name,
                                 declaration.axioms.empty()
                                     ? "no axioms"
                                     : fmt::format("{}", fmt::join(declaration.axioms, ", "))));
    }
  }
  for (const auto& [axiom, count] : report.axioms)
    progress.Print(fmt::format("axiom {}: {}", axiom, core::Counted(count, "declaration")));
  if (report.imported_without_proofs > 0) {
    progress.Print(fmt::format(
        "note: {} of {} imported modules came without proofs; the axioms of these are not known",
        report.imported_without_proofs, report.imported_modules));
  }
  for (const std::string& folder : subject.unreadable)
    progress.Print("warning: " + folder + "; its modules were not audited");
  if (!changes.gone.empty() && subject.unreadable.empty())
    progress.Print(
        "note: `zermelo audit --write-baseline` removes findings that are gone from the "
        "baseline");
  progress.Print(fmt::format("{} of {} (Lean {}): {}, {} new, {} gone; baseline {}",
                             core::Counted(report.declarations.size(), "declaration"),
                             core::Counted(report.modules, "module"), report.lean_version,
                             core::Counted(report.findings.size(), "finding"), changes.added.size(),
                             changes.gone.size(), subject.baseline.string()));
}

Task<int> RunAudit(AuditOptions options) {
  auto subject = FindSubject(options);
  if (!subject) co_return Report(subject.error());
  std::vector<AuditFinding> before;
  if (!options.write_baseline) {
    auto baseline = Baseline(*subject, !options.baseline.empty());
    if (!baseline) co_return Report(baseline.error());
    before = *std::move(baseline);
  }
  auto path = co_await SearchPath(options.search_path, options.lean, subject->folder);
  if (!path) co_return Report(path.error());
  subject->request.search_path = *std::move(path);
  Progress progress(Progress::ModeFor(options.quiet));
  progress.Show("reading …");
  const auto report = trust::Audit(subject->request);
  progress.Clear();
  if (!report) co_return Report(report.error());
  if (options.write_baseline && !subject->unreadable.empty()) {
    co_return Report({ErrorCode::kEnvironment, subject->unreadable.front(),
                      "the baseline was not written, since it would lack what is there"});
  }
  AuditChanges changes;
  if (options.write_baseline) {
    const auto written =
        core::WriteFileAtomically(subject->baseline, trust::BaselineText(report->findings));
    if (!written) co_return Report(written.error());
  } else {
    changes = trust::CompareFindings(before, report->findings);
  }
  Print(*report, changes, *subject, options.all, progress);
  if (options.as_json) fmt::print("{}\n", ToJson(*report, changes, *subject, options.all).dump());
  if (!changes.added.empty()) co_return 1;
  co_return subject->unreadable.empty() ? 0 : core::ExitCode(ErrorCode::kEnvironment);
}

}  // namespace

void AddAudit(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<AuditOptions>();
  CLI::App* verb =
      app.add_subcommand("audit", "List axioms, sorrys, unsafe and native code of a built project");
  verb->footer(
      "Example:\n  zermelo audit --write-baseline   # once; commit zermelo-audit.json\n"
      "  zermelo audit --json\n\nExit code 0 if nothing is new since the baseline, 1 if something "
      "is, 3 if a folder cannot be read. See docs/audit.md.");
  verb->add_option("project", options->inputs,
                   "A built Lake project, or compiled modules (default: this folder)")
      ->type_name("PROJECT");
  verb->add_option("--baseline", options->baseline,
                   "File of accepted findings (default: zermelo-audit.json in the project)")
      ->type_name("FILE");
  verb->add_flag("--write-baseline", options->write_baseline,
                 "Write the baseline: accept all current findings");
  verb->add_option("--allow-axiom", options->trust.allow_axioms,
                   "Do not report this axiom (repeatable; propext, Classical.choice and "
                   "Quot.sound are allowed unless [trust] in zermelo.toml says otherwise)")
      ->type_name("NAME")
      ->allow_extra_args(false);
  verb->add_option("--config", options->config,
                   "Configuration file with [trust] (default: the nearest zermelo.toml)")
      ->type_name("FILE");
  AddSearchPathTo(*verb, options->search_path);
  verb->add_flag("--all", options->all, "Also list the axioms of every declaration");
  verb->add_flag("--json", options->as_json, "Print one JSON object on stdout");
  verb->add_flag("-q,--quiet", options->quiet, "Print only errors");
  options->lean.AddTo(*verb);
  verb->callback([options, &exit_code] {
    boost::asio::io_context io;
    exit_code = core::RunToEnd(io, RunAudit(*options));
  });
}

}  // namespace zermelo::cli
