#include "cli/against.h"

#include <algorithm>
#include <boost/asio/this_coro.hpp>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <tuple>
#include <vector>

#include "cli/context.h"
#include "cli/terminal/interrupt.h"
#include "core/cancellation.h"
#include "core/files/file.h"
#include "core/json.h"
#include "core/text.h"
#include "engine/acceptance/acceptance.h"
#include "engine/acceptance/outcome.h"
#include "engine/receipt/receipt.h"
#include "syntax/declarations.h"

namespace zermelo::cli {

namespace fs = std::filesystem;
using core::Result;
using core::Task;
using engine::VerdictName;
using nlohmann::json;

namespace {

void PrintHints(const engine::AcceptanceReport& report, Progress& progress) {
  for (const auto& hint : report.hints) progress.Print("note: " + hint.message);
}

void PrintReport(const engine::AcceptanceReport& report, Progress& progress) {
  for (const auto& reason : report.reasons) {
    progress.Print(fmt::format("✗ {} ({})", reason.message, trust::Name(reason.code)));
  }
  PrintHints(report, progress);
  if (report.runs_programs)
    progress.Print("code of the candidate ran inside Lean: the verdict is about this compilation");
  for (const auto& target : report.targets) {
    std::string line = fmt::format("{} {}", target.accepted ? "✓" : "✗", target.name);
    if (target.accepted && !target.axioms.empty()) {
      line += fmt::format("  (axioms: {})", fmt::join(target.axioms, ", "));
    }
    progress.Print(line);
    for (const auto& reason : target.reasons) {
      progress.Print(fmt::format("    {} ({})", reason.message, trust::Name(reason.code)));
    }
  }
  if (report.targets.empty()) progress.Print("the original has no theorem with a sorry");
}

void PrintKernels(const engine::AcceptanceReport& report, Progress& progress) {
  const bool accepts = std::ranges::any_of(report.targets, &engine::JudgedTarget::accepted);
  if (report.kernels.empty() && !accepts) return;
  progress.Print(engine::KernelsLine(report.kernels));
  if (report.disagreement.empty()) return;
  progress.Print("what the kernels disagree on: " + report.disagreement +
                 " (docs/kernel.md says how to report it)");
}

void PrintLibrary(const engine::AcceptanceReport& report, Progress& progress) {
  if (report.library_fingerprint.empty()) return;
  if (report.imports) {
    progress.Print(fmt::format("{} imported modules ({}) checked: Zermelo's kernel {}",
                               report.library_modules, report.library_fingerprint,
                               trust::Summary(*report.imports)));
    if (report.imports->outcome != trust::Decision::kDeclined) return;
    progress.Print("what it did not accept is trusted as shipped");
    return;
  }
  progress.Print(fmt::format("{} imported modules trusted as shipped ({})", report.library_modules,
                             report.library_fingerprint));
}

void ShowImports(Progress& progress, std::string_view stage, size_t done, size_t count) {
  if (stage == "read") progress.PrintPlain("checking all imported declarations …");
  if (stage != "read")
    progress.Show(fmt::format("{} imports: {} {}/{}", Bar(done, count, 20), stage, done, count));
}

void PrintWarnings(const lean::Toolchain& toolchain, Progress& progress) {
  for (const std::string& problem : lean::KnownProblems(toolchain.version)) {
    progress.Print(fmt::format("warning: Lean {}: {}", toolchain.version, problem));
  }
}

/// One original and its candidate.
struct Pair {
  fs::path original;
  fs::path candidate;
};

Pair FilesOf(const AgainstOptions& options) { return {options.original, options.candidate}; }

core::Error OneIsAFolder(const AgainstOptions& options, bool original) {
  const auto& [folder, file] = original ? std::tie(options.original, options.candidate)
                                        : std::tie(options.candidate, options.original);
  return {core::ErrorCode::kUsage, fmt::format("{} is a folder, and {} is not", folder, file),
          "name two files or two folders"};
}

using AcceptanceResult = Result<engine::AcceptanceReport>;

/// What all verdicts have in common.
struct AgainstRun {
  AgainstRun(const AgainstOptions& o, const lean::Toolchain& t, std::vector<std::string> a,
             Progress& p)
      : options(o), toolchain(t), axioms(std::move(a)), progress(p) {}
  void Interrupt() {
    progress.Print("stopping (Ctrl-C again: quit now)");
    cancellation.Request();
  }
  const AgainstOptions& options;
  const lean::Toolchain& toolchain;
  const std::vector<std::string> axioms;
  Progress& progress;
  std::shared_ptr<engine::ImportsJudge> imports;
  core::Cancellation cancellation;
};

/// Where the receipt of a candidate goes; empty: nowhere.
fs::path ReceiptOf(const AgainstOptions& options, const fs::path& candidate) {
  if (options.receipt.empty() || candidate == options.candidate) return options.receipt;
  const fs::path relative = candidate.lexically_relative(options.candidate);
  return fs::path(options.receipt) / fs::path(relative).replace_extension(".json");
}

core::Status WriteReceipt(const AgainstRun& run, const std::string& original,
                          const fs::path& candidate, const std::string& text,
                          const engine::AcceptanceReport& report) {
  const fs::path file = ReceiptOf(run.options, candidate);
  if (file.empty()) return {};
  engine::JudgedProof proof;
  proof.original = original;
  proof.candidate = text;
  proof.allowed_axioms = run.axioms;
  proof.allow_more_imports = run.options.allow_more_imports;
  proof.allow_programs = run.options.allow_programs;
  proof.kernel = run.options.trust.Kernel();
  proof.paranoid = run.options.paranoid.on;
  if (file.has_parent_path()) {
    std::error_code ignored;  // writing reports what is wrong
    fs::create_directories(file.parent_path(), ignored);
  }
  return core::WriteFileAtomically(
      file, engine::MakeReceipt(proof, report, run.toolchain).dump(1) + "\n");
}

/// The verdict on one candidate; one at a time per Acceptance, whose original this is.
Task<AcceptanceResult> Judge(AgainstRun& run, engine::Acceptance& acceptance,
                             const std::string& original, const fs::path& candidate) {
  const auto text = core::ReadTextFile(candidate);
  if (!text) co_return core::Fail(text.error());
  engine::AcceptanceOptions limits;
  limits.allowed_axioms = run.axioms;
  limits.allow_more_imports = run.options.allow_more_imports;
  limits.allow_programs = run.options.allow_programs;
  limits.kernel = run.options.trust.Kernel();
  limits.imports = run.imports;
  limits.only_judges = true;
  if (run.options.paranoid.on) limits.others = run.options.paranoid.Limits(run.progress);
  limits.deadline = core::Deadline::After(core::FromSeconds(run.options.seconds));
  limits.cancellation = &run.cancellation;
  auto report = co_await acceptance.Judge(*text, std::nullopt, std::move(limits));
  if (!report) co_return report;
  auto written = WriteReceipt(run, original, candidate, *text, *report);
  if (!written) co_return core::Fail(written.error());
  co_return report;
}

/// The .lean files below a folder, in order, and where their candidates are.
Result<std::vector<Pair>> PairsOf(const fs::path& originals, const fs::path& candidates) {
  std::vector<Pair> pairs;
  std::error_code error;
  fs::recursive_directory_iterator at(originals, error);
  for (const fs::recursive_directory_iterator end; !error && at != end; at.increment(error)) {
    if (at->is_directory(error) && at->path().filename() == ".lake") {
      at.disable_recursion_pending();
    } else if (at->path().extension() == ".lean" && at->is_regular_file(error)) {
      pairs.push_back({at->path(), candidates / at->path().lexically_relative(originals)});
    }
  }
  if (error) {
    return core::Fail(core::ErrorCode::kInput,
                      fmt::format("cannot list {}: {}", originals.string(), error.message()));
  }
  if (pairs.empty()) {
    return core::Fail(core::ErrorCode::kInput, originals.string() + " has no .lean file");
  }
  std::ranges::sort(pairs, {}, &Pair::original);
  return pairs;
}

/// The report for a missing candidate.
engine::AcceptanceReport Missing(const Pair& pair) {
  engine::AcceptanceReport report;
  report.reasons.push_back({trust::ReasonCode::kCandidateMissing,
                            "The file " + pair.candidate.string() + " does not exist."});
  return report;
}

AcceptanceResult NotJudged() {
  return core::Fail(core::ErrorCode::kCancelled, "interrupted before it was judged");
}

/// The verdicts on the files of two folders. Each original text is compiled once, even if several
/// files have it. Ctrl-C ends the batch, with the verdicts that are ready.
class Batch {
 public:
  Batch(AgainstRun& run, std::vector<Pair> pairs)
      : run_(run),
        pairs_(std::move(pairs)),
        progress_(run.progress),
        outcomes_(pairs_.size(), NotJudged()) {}

  Task<void> Run() {
    const auto executor = co_await boost::asio::this_coro::executor;
    GroupByOriginal();
    const InterruptGuard interrupt(executor, [this] { run_.Interrupt(); });
    core::TaskGroup lanes(executor);
    for (size_t i = 0; i < run_.options.jobs; ++i) lanes.Spawn(Lane());
    co_await lanes.Join();
  }

  size_t Count(bool accepted) const {
    return static_cast<size_t>(std::ranges::count_if(
        outcomes_, [&](const auto& outcome) { return outcome && outcome->accepted == accepted; }));
  }

  json ToJson() const {
    json files = json::array();
    for (size_t i = 0; i < pairs_.size(); ++i) {
      const AcceptanceResult& outcome = outcomes_[i];
      json file = outcome ? json(*outcome) : json{{"verdict", "error"}};
      if (!outcome) {
        file["outcome"] = Name(engine::OutcomeOf(outcome.error()));
        file["error"] = outcome.error();
      }
      file["original"] = pairs_[i].original.string();
      file["candidate"] = pairs_[i].candidate.string();
      files.push_back(std::move(file));
    }
    return {{"verdict", VerdictName(Count(true) == pairs_.size())},
            {"accepted", Count(true)},
            {"rejected", Count(false)},
            {"errors", pairs_.size() - Count(true) - Count(false)},
            {"files", std::move(files)},
            {"lean", LeanJson(run_.toolchain)}};
  }

  int Exit() const {
    for (const auto& outcome : outcomes_) {
      if (!outcome) return core::ExitCode(outcome.error().code);
    }
    return Count(true) == pairs_.size() ? 0 : 1;
  }

  void PrintSummary() const {
    progress_.Print(fmt::format("{} of {} files accepted with Lean {} ({})", Count(true),
                                pairs_.size(), run_.toolchain.version, Name(run_.toolchain.kind)));
    PrintLibraries();
    PrintWarnings(run_.toolchain, progress_);
  }

 private:
  // Each that was checked; if none was, the first.
  void PrintLibraries() const {
    const engine::AcceptanceReport* first = nullptr;
    std::set<std::string> checked;
    for (const auto& outcome : outcomes_) {
      if (!outcome || outcome->library_fingerprint.empty()) continue;
      if (first == nullptr) first = &*outcome;
      if (outcome->imports && checked.insert(outcome->library_fingerprint).second)
        PrintLibrary(*outcome, progress_);
    }
    if (checked.empty() && first != nullptr) PrintLibrary(*first, progress_);
  }

  /// Pairs whose originals have the same text.
  struct Group {
    std::string original;
    std::vector<size_t> pairs;
  };

  /// Largest groups first, so that lanes end at about the same time.
  void GroupByOriginal() {
    std::map<std::string, std::vector<size_t>> by_text;
    for (size_t i = 0; i < pairs_.size(); ++i) {
      auto text = core::ReadTextFile(pairs_[i].original);
      if (text) by_text[std::move(*text)].push_back(i);
      if (!text) Say(i, core::Fail(text.error()));
    }
    for (auto& [text, pairs] : by_text) groups_.push_back({text, std::move(pairs)});
    std::ranges::stable_sort(groups_, std::greater(),
                             [](const Group& g) { return g.pairs.size(); });
  }

  /// Judges one group after another, keeping the loaded library.
  Task<void> Lane() {
    const auto executor = co_await boost::asio::this_coro::executor;
    const auto library = engine::Acceptance::NewLibrary(executor, run_.toolchain);
    while (next_ < groups_.size() && !run_.cancellation.requested()) {
      const Group& group = groups_[next_++];
      engine::Acceptance acceptance(executor, run_.toolchain, group.original, library);
      for (const size_t i : group.pairs) {
        if (run_.cancellation.requested()) co_return;
        ShowWork(i);
        std::error_code ignored;
        if (fs::exists(pairs_[i].candidate, ignored)) {
          Say(i, co_await Judge(run_, acceptance, group.original, pairs_[i].candidate));
        } else {
          Say(i, Missing(pairs_[i]));
        }
      }
    }
  }

  void ShowWork(size_t i) {
    progress_.Show(fmt::format("{} {}/{} judging {}", Bar(done_, pairs_.size(), 10), done_ + 1,
                               pairs_.size(), pairs_[i].candidate.string()));
  }

  void Say(size_t i, AcceptanceResult judgement) {
    ++done_;
    outcomes_[i] = std::move(judgement);
    progress_.Clear();
    PrintOutcome(pairs_[i], outcomes_[i], progress_);
  }

  static void PrintOutcome(const Pair& pair, const AcceptanceResult& outcome, Progress& progress) {
    const char* verdict = outcome ? VerdictName(outcome->accepted) : "error";
    progress.Print(fmt::format("{}: {}", pair.candidate.string(), verdict));
    if (outcome && !outcome->accepted) PrintReport(*outcome, progress);
    if (outcome && outcome->accepted) PrintHints(*outcome, progress);
    if (outcome) PrintKernels(*outcome, progress);
    if (!outcome) progress.Print("    " + outcome.error().message);
  }

  AgainstRun& run_;
  const std::vector<Pair> pairs_;
  Progress& progress_;
  std::vector<AcceptanceResult> outcomes_;  // parallel to pairs_
  std::vector<Group> groups_;
  size_t next_ = 0;  // index of the next group
  size_t done_ = 0;  // judged pairs
};

/// Whether nothing in the original has to be proved; false if that cannot be told.
bool AsksForNothing(const Pair& pair) {
  const auto text = core::ReadTextFile(pair.original);
  return text && std::ranges::none_of(syntax::FindDeclarations(*text), [](const auto& declaration) {
           const bool unfinished = declaration.IsTheoremOrExample() && declaration.value.empty();
           return unfinished || declaration.HasProvableHole();
         });
}

Task<int> RunFolders(AgainstRun& run) {
  auto pairs = PairsOf(run.options.original, run.options.candidate);
  if (!pairs) co_return Report(pairs.error());
  const auto others = std::ranges::stable_partition(*pairs, std::not_fn(AsksForNothing));
  json left_out = json::array();
  for (const Pair& pair : others) left_out.push_back(pair.original.string());
  pairs->erase(others.begin(), others.end());
  if (pairs->empty()) {
    const std::string why =
        fmt::format("no file in {} has a theorem to prove", run.options.original);
    co_return Report({.code = core::ErrorCode::kInput, .message = why});
  }
  Batch batch(run, std::move(*pairs));
  co_await batch.Run();
  batch.PrintSummary();
  if (!left_out.empty()) {
    run.progress.Print(fmt::format("left out, without a theorem to prove: {}",
                                   core::Counted(left_out.size(), "file")));
  }
  if (run.options.as_json) {
    json output = batch.ToJson();
    if (!left_out.empty()) output["left_out"] = std::move(left_out);
    fmt::print("{}\n", output.dump());
  }
  co_return batch.Exit();
}

Task<int> RunFiles(AgainstRun& run) {
  Progress& progress = run.progress;
  const Pair pair = FilesOf(run.options);
  progress.Show("compiling both files …");
  auto original = core::ReadTextFile(pair.original);
  if (!original) co_return Report(original.error());
  const auto executor = co_await boost::asio::this_coro::executor;
  const InterruptGuard interrupt(executor, [&run] { run.Interrupt(); });
  engine::Acceptance acceptance(executor, run.toolchain, *original);
  const auto report = co_await Judge(run, acceptance, *original, pair.candidate);
  progress.Clear();
  if (!report) co_return Report(report.error());
  PrintReport(*report, progress);
  progress.Print(fmt::format("{} with Lean {} ({})", VerdictName(report->accepted),
                             run.toolchain.version, Name(run.toolchain.kind)));
  PrintKernels(*report, progress);
  PrintLibrary(*report, progress);
  PrintWarnings(run.toolchain, progress);
  if (run.options.as_json) {
    json output = *report;
    output["lean"] = LeanJson(run.toolchain);
    fmt::print("{}\n", output.dump());
  }
  co_return report->accepted ? 0 : 1;
}

}  // namespace

Task<int> RunAgainst(AgainstOptions options) {
  std::error_code ignored;
  const bool folders = fs::is_directory(options.original, ignored);
  if (folders != fs::is_directory(options.candidate, ignored)) {
    co_return Report(OneIsAFolder(options, folders));
  }
  const fs::path absolute = fs::absolute(options.original);
  const fs::path near = folders ? absolute : absolute.parent_path();
  auto axioms = options.trust.Axioms(options.config, near);
  if (!axioms) co_return Report(axioms.error());
  const auto toolchain = co_await FindLean(options.lean, near);
  if (!toolchain) co_return Report(toolchain.error());
  if (options.allow_programs) {
    engine::AcceptanceOptions limits;
    limits.kernel = options.trust.Kernel();
    if (auto can = engine::CanAllowPrograms(limits, *toolchain); !can)
      co_return Report(can.error());
  }
  Progress progress(Progress::ModeFor(options.quiet));
  AgainstRun run(options, *toolchain, std::move(*axioms), progress);
  const auto executor = co_await boost::asio::this_coro::executor;
  run.imports = std::make_shared<engine::ImportsJudge>(
      executor, [&progress](const char* stage, size_t done, size_t count) {
        ShowImports(progress, stage, done, count);
      });
  if (folders) co_return co_await RunFolders(run);
  co_return co_await RunFiles(run);
}

}  // namespace zermelo::cli
