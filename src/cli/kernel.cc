#include <algorithm>
#include <boost/asio/this_coro.hpp>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "cli/compiled.h"
#include "cli/context.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/progress.h"
#include "cli/verbs.h"
#include "kernel/files/check_file.h"
#include "kernel/files/export_file.h"

namespace zermelo::cli {

namespace fs = std::filesystem;
using core::ErrorCode;
using core::Result;
using core::Task;
using kernel::Decision;
using nlohmann::json;

namespace {

// The contract of lean-kernel-arena's checkers.
constexpr int kRejected = 1, kDeclined = 2, kCannotRun = 3;

struct KernelOptions {
  LeanOptions lean;
  std::vector<std::string> files;
  std::string project;                   // --project
  std::vector<std::string> search_path;  // --path
  bool check_imports = false;
  bool keep_going = false;
  size_t threads = 0;  // 0: one a processor
  double seconds = 3600;
  size_t memory_mb = 4096;
  bool as_json = false;
  bool quiet = false;
};

struct ExportOptions {
  LeanOptions lean;
  std::string file;
  std::vector<std::string> names;
  std::vector<std::string> search_path;
  bool imports = false;
  bool own = false;
  std::string out;
  bool quiet = false;
};

/// Of this verb: usage and environment are one code, since 2 means declined.
int ReportHere(const core::Error& error) {
  Report(error);
  return kCannotRun;
}

json ToJson(const kernel::FileVerdict& verdict) {
  json object{{"verdict", Name(verdict.outcome)}};
  object["declaration"] = verdict.declaration.empty() ? json() : json(verdict.declaration);
  object["reason"] = verdict.reason.empty() ? json() : json(verdict.reason);
  return object;
}

std::string Sentence(const kernel::FileVerdict& verdict) {
  std::string line = Name(verdict.outcome);
  if (!verdict.declaration.empty()) line += " " + verdict.declaration;
  if (!verdict.reason.empty()) line += ": " + verdict.reason;
  return line;
}

/// `unreadable`: folders of a project that cannot be read, with the reasons.
Result<kernel::FileCheckRequest> MakeRequest(const KernelOptions& options,
                                             std::vector<std::string>& unreadable) {
  kernel::FileCheckRequest request;
  if (options.project.empty() == options.files.empty()) {
    return core::Fail(ErrorCode::kUsage, "give either files or --project DIR");
  }
  if (!options.project.empty()) {
    auto files = ProjectModules(options.project);
    if (!files) return core::Fail(files.error());
    request.files = std::move(files->files);
    unreadable = std::move(files->unreadable);
  }
  for (const std::string& file : options.files) {
    if (file.ends_with(".lean")) {
      return core::Fail(ErrorCode::kUsage,
                        file + " is a source file; the kernel checks compiled files and exports",
                        "check the source: zermelo check " + file);
    }
    request.files.push_back({"", file});
  }
  const size_t processors = std::max(1U, std::thread::hardware_concurrency());
  request.threads = options.threads == 0 ? processors : options.threads;
  request.check_imports = options.check_imports;
  request.keep_going = options.keep_going;
  request.limits.time = std::chrono::milliseconds(static_cast<int64_t>(options.seconds * 1000));
  request.limits.bytes = options.memory_mb << 20U;
  return request;
}

/// Modules that were not found are not accepted.
void Decline(const std::vector<std::string>& unreadable, kernel::FileReport& report) {
  for (const std::string& folder : unreadable)
    report.refused.push_back({Decision::kDeclined, "", folder});
  if (!unreadable.empty() && report.verdict.outcome == Decision::kAccepted)
    report.verdict = report.refused.back();
}

Task<int> RunKernel(KernelOptions options) {
  const auto started = core::Clock::now();
  std::vector<std::string> unreadable;
  auto request = MakeRequest(options, unreadable);
  if (!request) co_return ReportHere(request.error());
  if (kernel::IsCompiledModule(request->files[0].file)) {
    const fs::path near =
        options.project.empty() ? request->files[0].file : fs::path(options.project);
    auto path = co_await SearchPath(options.search_path, options.lean, near);
    if (!path) co_return ReportHere(path.error());
    request->search_path = *std::move(path);
  }
  Progress progress(Progress::ModeFor(options.quiet));
  progress.PrintPlain("checking …");
  request->on_progress = [&](const char* stage, size_t done, size_t count) {
    progress.Show(fmt::format("{} {} {}/{}", Bar(done, count, 20), stage, done, count));
  };
  const auto executor = co_await boost::asio::this_coro::executor;
  const InterruptGuard interrupt(executor,
                                 [] { std::_Exit(core::ExitCode(ErrorCode::kCancelled)); });
  std::optional<Result<kernel::FileReport>> ended;
  co_await core::OnThread(executor, [&] { ended = kernel::CheckFiles(*request); });
  progress.Clear();
  Result<kernel::FileReport> report = *std::move(ended);
  if (!report) co_return ReportHere(report.error());
  Decline(unreadable, *report);
  const double seconds = core::Seconds(core::Clock::now() - started);
  for (const auto& refused : report->refused) progress.Print(Sentence(refused));
  const size_t checked = report->declarations - report->unsafe_declarations;
  if (report->verdict.outcome == Decision::kAccepted) {
    std::string line =
        fmt::format("accepted {} declarations in {}", checked, ShortDuration(seconds));
    if (report->modules > 0) {
      line += fmt::format("{} {} from {} imported modules{}",
                          options.check_imports ? ", including" : ";", report->imported,
                          report->modules, options.check_imports ? "" : " were trusted");
    }
    progress.Print(line);
  }
  if (options.as_json) {
    json output = ToJson(report->verdict);
    output["kernel"] = "zermelo";
    output["declarations"] = checked;
    output["skipped_unsafe"] = report->unsafe_declarations;
    output["axioms"] = report->axioms;
    output["imports"] = {
        {"modules", report->modules},
        {"declarations", report->imported},
        {"checked", options.check_imports},
        {"sha256", report->imports_sha256.empty() ? json() : json(report->imports_sha256)}};
    output["lean"] = report->lean_version.empty() ? json() : json(report->lean_version);
    output["refused"] = json::array();
    for (const auto& refused : report->refused) output["refused"].push_back(ToJson(refused));
    output["check_seconds"] = report->check_seconds;
    output["seconds"] = seconds;
    fmt::print("{}\n", output.dump());
  }
  switch (report->verdict.outcome) {
    case Decision::kAccepted:
      break;
    case Decision::kRejected:
      co_return kRejected;
    case Decision::kDeclined:
      co_return kDeclined;
  }
  co_return 0;
}

Task<int> RunExport(ExportOptions options) {
  auto path = co_await SearchPath(options.search_path, options.lean, options.file);
  if (!path) co_return ReportHere(path.error());
  kernel::ExportRequest request;
  request.file = options.file;
  request.search_path = *std::move(path);
  request.names = options.names;
  request.imports = options.imports;
  request.own = options.own;
  std::FILE* const out = options.out.empty() ? stdout : std::fopen(options.out.c_str(), "wb");
  if (out == nullptr) {
    co_return ReportHere({ErrorCode::kInput, "cannot write " + options.out});
  }
  const auto report = kernel::ExportFile(
      request, [&](std::string_view line) { std::fwrite(line.data(), 1, line.size(), out); });
  const bool written = std::fflush(out) == 0 && std::ferror(out) == 0;
  if (out != stdout) std::fclose(out);
  if (!report) co_return ReportHere(report.error());
  if (!written) co_return ReportHere({ErrorCode::kEnvironment, "the export could not be written"});
  Progress progress(Progress::ModeFor(options.quiet));
  for (const std::string& name : report->missing)
    progress.Print("note: " + name + " is mentioned, but declared nowhere");
  progress.Print(fmt::format("{} declarations written", report->declarations));
  co_return 0;
}

void AddKernelExport(CLI::App& kernel, int& exit_code) {
  auto options = std::make_shared<ExportOptions>();
  CLI::App* verb = kernel.add_subcommand(
      "export", "Export declarations and their dependencies as NDJSON, for other checkers");
  verb->footer("Example:\n  zermelo kernel export Proved.olean my_theorem > proof.ndjson");
  verb->add_option("file", options->file, "Compiled module")
      ->required()
      ->check(CLI::ExistingFile)
      ->type_name("FILE.olean");
  verb->add_option("name", options->names, "Declarations (default: all that are safe)")
      ->type_name("NAME");
  verb->add_flag("--imports", options->imports,
                 "Also export everything that the imported modules declare");
  verb->add_flag("--own", options->own,
                 "Export only what the module declares itself, after a line with its imports")
      ->excludes("--imports");
  verb->add_option("-o,--out", options->out, "File to write (default: standard output)")
      ->type_name("FILE");
  AddSearchPathTo(*verb, options->search_path);
  verb->add_flag("-q,--quiet", options->quiet, "Print only errors");
  options->lean.AddTo(*verb);
  verb->callback([options, &exit_code] {
    boost::asio::io_context io;
    exit_code = core::RunToEnd(io, RunExport(*options));
  });
}

}  // namespace

void AddKernel(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<KernelOptions>();
  CLI::App* verb = app.add_subcommand(
      "kernel", "Check compiled proofs with a second kernel, which shares nothing with Lean");
  verb->footer(
      "Example:\n  zermelo kernel .lake/build/lib/lean/Proved.olean\n"
      "  zermelo kernel proof.ndjson --json\n  zermelo kernel --project ~/my-project\n\n"
      "Exit codes: 0 accepted, 1 rejected, 2 declined (a limit, or something that this kernel\n"
      "refuses to judge), 3 it could not run. See docs/kernel.md.");
  verb->add_option("files", options->files, "Compiled modules, or one NDJSON export")
      ->type_name("FILE");
  verb->add_option("--project", options->project, "Check all compiled modules of a Lake project")
      ->check(CLI::ExistingDirectory)
      ->type_name("DIR");
  verb->add_flag("--imports", options->check_imports,
                 "Also check all imported declarations (default: trust them)");
  AddSearchPathTo(*verb, options->search_path);
  verb->add_flag("--keep-going", options->keep_going,
                 "Continue after a failure and report all of them");
  verb->add_option("--threads", options->threads, "Number of threads (default: one per processor)")
      ->check(Between(1, 1024))
      ->type_name("N");
  verb->add_option("--time", options->seconds,
                   "Time limit of the check; then the verdict is \"declined\" (default: 1h)")
      ->transform(DurationValidator())
      ->type_name("TIME");
  verb->add_option("--memory", options->memory_mb,
                   "Memory limit per declaration in MB; beyond it the verdict is \"declined\"")
      ->check(Between(16, 1 << 20))
      ->capture_default_str()
      ->type_name("MB");
  verb->add_flag("--json", options->as_json, "Print one JSON object on stdout");
  verb->add_flag("-q,--quiet", options->quiet, "Print only errors");
  options->lean.AddTo(*verb);
  AddKernelExport(*verb, exit_code);
  verb->callback([verb, options, &exit_code] {
    if (!verb->get_subcommands().empty()) return;
    boost::asio::io_context io;
    exit_code = core::RunToEnd(io, RunKernel(*options));
  });
}

}  // namespace zermelo::cli
