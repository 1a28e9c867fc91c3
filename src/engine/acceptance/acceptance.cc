#include "engine/acceptance/acceptance.h"

#include <algorithm>
#include <atomic>
#include <fmt/format.h>
#include <fstream>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "core/files/file.h"
#include "core/process/sandbox.h"
#include "engine/acceptance/lean_replay.h"
#include "engine/acceptance/objections.h"
#include "engine/acceptance/outcome.h"
#include "lean/compile/saved_imports.h"
#include "syntax/declarations.h"
#include "syntax/lexer.h"

namespace zermelo::engine {

using core::ErrorCode;
using core::Fail;
using core::Result;
using core::Task;
using syntax::Declaration;

namespace {

constexpr std::string_view kExample = "zermelo_example_";

std::string ExampleName(size_t nth) { return fmt::format("{}{}", kExample, nth); }

/// The signatures of a file's examples, as tokens.
std::vector<std::string> Examples(const syntax::File& file) {
  std::vector<std::string> examples;
  for (const Declaration& declaration : file.declarations()) {
    if (declaration.keyword != "example") continue;
    examples.push_back(syntax::TokenKey(file.Slice(declaration.signature)));
  }
  return examples;
}

/// For each example of the candidate, the number of the same example in the original; new examples
/// get numbers of their own. If both texts have equally many, they match in order, else by
/// signature.
std::vector<size_t> MatchExamples(const syntax::File& original, const syntax::File& candidate) {
  const auto before = Examples(original), after = Examples(candidate);
  std::vector<size_t> numbers(after.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  if (before.size() == after.size()) return numbers;
  std::vector<bool> taken(before.size(), false);
  for (size_t i = 0; i < after.size(); ++i) {
    size_t number = 0;
    while (number < before.size() && (taken[number] || before[number] != after[i])) ++number;
    if (number < before.size()) taken[number] = true;
    numbers[i] = number < before.size() ? number : before.size() + i;
  }
  return numbers;
}

/// For each example of a file, whether it has a hole that can be proved.
std::vector<bool> OpenExamples(const syntax::File& file) {
  std::vector<bool> open;
  for (const Declaration& declaration : file.declarations()) {
    if (declaration.keyword != "example") continue;
    open.push_back(std::ranges::any_of(declaration.holes, &syntax::DeclarationHole::provable));
  }
  return open;
}

/// Turns the examples that are open in the original into theorems: "example" becomes "theorem
/// zermelo_example_N" on the same line, so the lines below keep their numbers. The others may be
/// data, or mention variables that a theorem would not have. `numbers`: N for each example.
std::string WithNamedExamples(const syntax::File& file, const std::vector<size_t>& numbers,
                              const std::vector<bool>& open) {
  std::string named = file.text();
  size_t nth = 0;
  size_t grown = 0;
  for (const Declaration& declaration : file.declarations()) {
    if (declaration.keyword != "example") continue;
    const size_t keyword = declaration.signature.begin - std::string_view("example").size();
    const size_t number = numbers.at(nth++);
    if (number >= open.size() || !open[number]) continue;
    const std::string replacement = "theorem " + ExampleName(number);
    named.replace(keyword + grown, std::string_view("example").size(), replacement);
    grown += replacement.size() - std::string_view("example").size();
  }
  return named;
}

Objections ObjectionsTo(const std::string& original, const std::string& candidate,
                        bool allow_programs) {
  if (candidate.find(kExample) == candidate.npos)
    return ObjectionsInSource(original, candidate, allow_programs);
  Objections objections;
  objections.reasons.push_back(
      {trust::ReasonCode::kForbiddenCommand,
       fmt::format("Names that begin with `{}` are reserved: an `example` is compiled under such a "
                   "name.",
                   kExample)});
  return objections;
}

/// Whether a kernel's verdict can turn objections into hints.
bool CanClear(const AcceptanceOptions& options, const lean::Toolchain& toolchain) {
  const bool judged = options.kernel != trust::KernelUse::kOff || options.others.has_value();
  return options.only_judges && judged && lean::IsConfined(toolchain, options.machine);
}

/// The names by which the judge finds declarations: the full name, or ":LINE" if it is anonymous,
/// with the name under which it is compiled if it is an example.
std::vector<std::string> TrustNames(const std::vector<Declaration>& declarations,
                                    const std::vector<size_t>& targets) {
  std::vector<std::string> names;
  size_t examples = 0;
  for (const Declaration& declaration : declarations) {
    std::string name = declaration.full_name;
    if (name.empty()) name = fmt::format(":{}", declaration.line);
    if (declaration.keyword == "example") name += "." + ExampleName(examples++);
    names.push_back(std::move(name));
  }
  std::vector<std::string> wanted;
  for (const size_t target : targets) wanted.push_back(names[target]);
  return wanted;
}

std::vector<size_t> WithProvableHoles(const std::vector<Declaration>& declarations) {
  std::vector<size_t> found;
  for (size_t d = 0; d < declarations.size(); ++d) {
    if (declarations[d].HasProvableHole()) found.push_back(d);
  }
  return found;
}

std::string FirstError(const std::vector<lean::Diagnostic>& diagnostics) {
  for (const auto& d : diagnostics) {
    if (d.severity != lean::Severity::kError) continue;
    return fmt::format("line {}: {}", d.begin.line + 1, d.message);
  }
  return "Lean ended without a message";
}

/// Whether every reason is a kernel's, and a target would be accepted without these.
bool NothingElseIsWrong(const AcceptanceReport& report) {
  return std::ranges::all_of(report.reasons,
                             [](const trust::Reason& reason) {
                               return reason.code == trust::ReasonCode::kKernelRejected ||
                                      reason.code == trust::ReasonCode::kKernelDeclined;
                             }) &&
         std::ranges::any_of(report.targets,
                             [](const JudgedTarget& target) { return target.reasons.empty(); });
}

std::string HiddenReason(const std::vector<std::string>& hidden) {
  std::string reason = fmt::format(
      "the library has only its public parts, without the proof or definition of `{}`", hidden[0]);
  if (hidden.size() > 1) reason += fmt::format(" and {} more", hidden.size() - 1);
  return reason;
}

core::Status NotCancelled(const AcceptanceOptions& options) {
  if (options.cancellation == nullptr || !options.cancellation->requested()) return {};
  return Fail(ErrorCode::kCancelled, "the judgement was cancelled");
}

void Reject(trust::Reason reason, AcceptanceReport& report) {
  report.reasons.push_back(std::move(reason));
  report.accepted = false;
  for (JudgedTarget& target : report.targets) target.accepted = false;
}

void AddKernel(const trust::KernelVerdict& verdict, trust::KernelUse use,
               AcceptanceReport& report) {
  report.kernels.push_back(verdict);
  auto reason = trust::ReasonAgainst(verdict, use);
  if (reason) Reject(*std::move(reason), report);
}

/// After all kernels: the objections are hints if one accepted and none rejected.
void Settle(Objections objections, AcceptanceReport& report) {
  const auto accepted = [&](const trust::KernelVerdict& kernel) {
    return kernel.outcome == trust::Decision::kAccepted &&
           (!objections.has_programs || kernel.kernel == "zermelo");
  };
  const bool rejected = std::ranges::count(report.kernels, trust::Decision::kRejected,
                                           &trust::KernelVerdict::outcome) > 0;
  if (std::ranges::any_of(report.kernels, accepted) && !rejected) {
    report.hints = std::move(objections.hints);
    return;
  }
  for (trust::Reason& reason : objections.reasons) Reject(std::move(reason), report);
}

/// Definitions that are programs by their types, though no word in the text says so.
void AddPrograms(std::vector<trust::Reason> programs, Objections& objections) {
  for (trust::Reason& program : programs) {
    objections.has_programs = true;
    objections.hints.push_back(program);
    objections.reasons.push_back(std::move(program));
  }
}

trust::Reason ReasonAgainst(const trust::ImportsVerdict& imports) {
  std::string message = "Zermelo's kernel rejects an imported module: ";
  if (!imports.declaration.empty())
    message = fmt::format("Zermelo's kernel rejects the import `{}`: ", imports.declaration);
  return {trust::ReasonCode::kKernelRejected, message + imports.reason + "."};
}

/// Runs a task and stores its result in `into`.
template <class T>
Task<void> Into(Task<T> task, T& into) {
  into = co_await std::move(task);
}

nlohmann::json ReasonsJson(const std::vector<trust::Reason>& reasons) {
  auto list = nlohmann::json::array();
  for (const auto& reason : reasons) {
    list.push_back({{"code", trust::Name(reason.code)}, {"message", reason.message}});
  }
  return list;
}

}  // namespace

core::Status CanAllowPrograms(const AcceptanceOptions& options, const lean::Toolchain& toolchain) {
  if (options.kernel == trust::KernelUse::kOff) {
    return Fail(ErrorCode::kUsage,
                "programs are allowed only where Zermelo's kernel judges what they make",
                "leave out --kernel off");
  }
  if (lean::IsConfined(toolchain, options.machine)) return {};
  return Fail(ErrorCode::kEnvironment,
              "programs are allowed only in the full sandbox, which this machine, this Lean or "
              "--no-sandbox does not give",
              "`zermelo doctor` says what is missing; it needs Linux 6.2 or later");
}

std::vector<std::string> DisplayNames(const std::vector<Declaration>& declarations) {
  std::vector<std::string> names;
  std::unordered_map<std::string, size_t> anonymous;
  for (const Declaration& declaration : declarations) {
    std::string name = declaration.DisplayName();
    const size_t nth = declaration.full_name.empty() ? ++anonymous[name] : 1;
    if (nth > 1)
      name = fmt::format("{} (line {}, number {})", declaration.keyword, declaration.line, nth);
    names.push_back(std::move(name));
  }
  return names;
}

const char* VerdictName(bool accepted) { return accepted ? "accepted" : "rejected"; }

void to_json(nlohmann::json& json, const AcceptanceReport& report) {
  auto theorems = nlohmann::json::array();
  for (const JudgedTarget& target : report.targets) {
    theorems.push_back({{"name", target.name},
                        {"verdict", VerdictName(target.accepted)},
                        {"reasons", ReasonsJson(target.reasons)},
                        {"axioms", target.axioms}});
    if (target.otherwise_complete) theorems.back()["from"] = target.from;
  }
  json = {{"verdict", VerdictName(report.accepted)},
          {"outcome", Name(OutcomeOf(report))},
          {"reasons", ReasonsJson(report.reasons)},
          {"theorems", std::move(theorems)},
          {"kernels", KernelsJson(report.kernels)},
          {"library",
           {{"modules", report.library_modules}, {"fingerprint", report.library_fingerprint}}},
          {"seconds",
           {{"lean", report.lean_seconds},
            {"trust", report.judge_seconds},
            {"kernel", report.kernel_seconds}}}};
  if (report.imports) {
    json["library"]["checked"] = ImportsJson(*report.imports);
    json["seconds"]["imports"] = report.imports->seconds;
  }
  if (report.runs_programs) json["runs_programs"] = true;
  if (!report.hints.empty()) json["hints"] = ReasonsJson(report.hints);
  if (!report.disagreement.empty()) json["disagreement"] = report.disagreement;
}

Acceptance::Acceptance(core::Executor executor, const lean::Toolchain& toolchain,
                       std::string original, std::shared_ptr<LibraryReader> library)
    : executor_(std::move(executor)),
      toolchain_(toolchain),
      original_(std::move(original)),
      original_ended_(executor_),
      library_(library ? std::move(library) : NewLibrary(executor_, toolchain)) {}

std::shared_ptr<LibraryReader> Acceptance::NewLibrary(const core::Executor& executor,
                                                      const lean::Toolchain& toolchain) {
  return LibraryReader::Create(executor, toolchain.search_path);
}

core::Status Acceptance::StartAhead() {
  auto started = StartCompilers();
  if (started) ReadLibraryAhead();
  return started;
}

/// A candidate with another header loads its imports as usual.
Result<std::unique_ptr<lean::Compiler>> Acceptance::StartCompiler() const {
  lean::CompilerOptions options;
  if (toolchain_.saved_imports)
    options.image = toolchain_.saved_imports->Use(executor_, toolchain_, Header());
  return lean::Compiler::Start(executor_, toolchain_, options);
}

std::string Acceptance::Header() const {
  const std::string& text = original_.text();
  return text.substr(0, syntax::HeaderEnd(text));
}

core::Status Acceptance::StartCompilers() {
  for (auto* compiler : {&original_compiler_, &candidate_compiler_}) {
    if (*compiler) continue;
    auto started = StartCompiler();
    if (!started) return Fail(started.error());
    *compiler = std::move(*started);
  }
  return {};
}

/// Compiles with `compiler`, or with a new one if it is null. A Lean that dies may have run out of
/// memory or have been killed, so the text is tried once more.
Task<Result<lean::CompileResult>> Acceptance::Compile(std::unique_ptr<lean::Compiler>& compiler,
                                                      std::string text,
                                                      const AcceptanceOptions& options) {
  for (int attempt = 1;; ++attempt) {
    // It may have waited for its text for long, with imports that have changed since.
    if (compiler && !compiler->image().empty() &&
        !toolchain_.saved_imports->IsCurrent(compiler->image())) {
      compiler.reset();
    }
    if (!compiler) {
      auto fresh = StartCompiler();
      if (!fresh) co_return Fail(fresh.error());
      compiler = std::move(*fresh);
    }
    auto compiled = co_await compiler->Compile(text, options.deadline, options.cancellation,
                                               options.max_resident_bytes);
    const bool died = !compiled && compiled.error().code == ErrorCode::kCrashed;
    if (!compiled) compiler.reset();  // a compiler takes one text only
    if (!died || attempt == 2) co_return compiled;
  }
}

/// What a candidate imports is hashed before it can run anything. `hashed`: the library's size
/// then.
Task<Result<lean::CompileResult>> Acceptance::CompileCandidate(
    std::unique_ptr<lean::Compiler>& compiler, std::string text, const AcceptanceOptions& options,
    uint32_t& hashed) {
  std::vector<std::string> modules = syntax::ImportedModules(text);
  modules.emplace_back("Init");
  trust::Library* const library = co_await library_->Get();
  static_cast<void>(library->ClosureOf(modules));  // read ahead; the judge reports errors
  hashed = library->size();
  library_->ReadAxiomsAhead(std::move(modules));
  co_return co_await Compile(compiler, std::move(text), options);
}

Task<Result<trust::Judging>> Acceptance::Compare(trust::JudgeRequest request,
                                                 const AcceptanceOptions& options) {
  std::atomic<bool> stop = false;
  const core::Cancellation::Subscription stopping(options.cancellation, [&stop] { stop = true; });
  auto judging = trust::Judging::Begin(request, *co_await library_->Get());
  if (!judging) co_return Fail(judging.error());
  while (judging->needs_kernel()) {
    co_await core::OnThread(executor_, [&] { judging->RunKernel(&stop); });
    if (auto go_on = NotCancelled(options); !go_on) co_return Fail(go_on.error());
    auto continued = judging->Continue(*co_await library_->Get());
    if (!continued) co_return Fail(continued.error());
  }
  co_return std::move(judging);
}

Task<core::Status> Acceptance::CheckImports(const std::filesystem::path& candidate,
                                            const AcceptanceOptions& options,
                                            AcceptanceReport& report) {
  if (!std::ranges::any_of(report.targets, &JudgedTarget::accepted)) co_return core::Status();
  std::shared_ptr<ImportsJudge> judge = options.imports;
  if (!judge) judge = std::make_shared<ImportsJudge>(executor_);
  trust::ImportsRequest request;
  request.module = candidate;
  request.search_path = toolchain_.search_path;
  request.modules = report.library_modules;
  request.fingerprint = report.library_fingerprint;
  auto verdict = co_await judge->Judge(std::move(request), options.cancellation);
  if (!verdict) co_return Fail(verdict.error());
  if (verdict->outcome == trust::Decision::kRejected) Reject(ReasonAgainst(*verdict), report);
  report.imports = *std::move(verdict);
  co_return core::Status();
}

Task<core::Status> Acceptance::AskOtherKernels(trust::Judging& judging,
                                               const AcceptanceOptions& options,
                                               AcceptanceReport& report) {
  const auto content = judging.Export();
  if (!content || !NothingElseIsWrong(report)) co_return core::Status();
  const auto replayed =
      co_await ReplayInLean(toolchain_, judging.Export(), *options.others, options.cancellation);
  if (!replayed) co_return Fail(replayed.error());
  AddKernel(*replayed, options.kernel, report);
  if (!CheckHasOtherKernels(toolchain_)) co_return core::Status();  // before Lean 4.35
  const auto folder = core::TemporaryFolder::Create("zermelo-export-");
  if (!folder) co_return Fail(folder.error());
  const std::filesystem::path exported = folder->path() / "candidate.ndjson";
  const auto read = content->Read(*co_await library_->Get());
  if (auto go_on = NotCancelled(options); !go_on) co_return go_on;
  if (!read && read.error().code != ErrorCode::kInput) co_return Fail(read.error());
  std::string obstacle = read ? "" : read.error().message;
  std::ofstream file(exported, std::ios::binary);
  std::vector<std::string> hidden;
  co_await core::OnThread(executor_, [&] {
    if (read) hidden = content->Write([&](std::string_view line) { file << line; });
  });
  if (auto go_on = NotCancelled(options); !go_on) co_return go_on;
  if (!hidden.empty()) obstacle = HiddenReason(hidden);
  file.close();
  if (!file) {
    co_return Fail(ErrorCode::kEnvironment,
                   "cannot write the export for the other kernels to " + folder->path().string());
  }
  auto verdicts = co_await RunOtherKernels(toolchain_, exported, obstacle, *options.others,
                                           options.cancellation);
  if (!verdicts) co_return Fail(verdicts.error());
  for (trust::KernelVerdict& verdict : *verdicts) AddKernel(verdict, options.kernel, report);
  co_return core::Status();
}

Task<core::Status> Acceptance::AskFreshLean(trust::Judging& judging,
                                            const AcceptanceOptions& options,
                                            AcceptanceReport& report) {
  const auto some = [&](trust::Decision outcome) {
    return std::ranges::count(report.kernels, outcome, &trust::KernelVerdict::outcome) > 0;
  };
  if (some(trust::Decision::kAccepted) || !some(trust::Decision::kDeclined) ||
      !report.reasons.empty() || std::ranges::none_of(report.targets, &JudgedTarget::accepted)) {
    co_return core::Status();
  }
  const auto of_the_original = [](const trust::KernelVerdict& kernel) {
    return kernel.declines_only_the_original;
  };
  if (std::ranges::any_of(report.kernels, of_the_original)) co_return core::Status();
  OtherKernels limits;
  limits.time = std::min(limits.time, options.deadline.Left());
  if (!options.others) {  // else it was asked with them
    const auto replayed =
        co_await ReplayInLean(toolchain_, judging.Export(), limits, options.cancellation);
    if (!replayed) co_return Fail(replayed.error());
    AddKernel(*replayed, options.kernel, report);
    if (replayed->outcome != trust::Decision::kDeclined) co_return core::Status();
  }
  const auto works = co_await ReplayWorks(toolchain_, limits, options.cancellation);
  if (!works) co_return Fail(works.error());
  if (*works) {
    trust::Reason reason;
    reason.code = trust::ReasonCode::kKernelDeclined;
    reason.message =
        "Only the Lean that compiled it has accepted the candidate, in a process with the "
        "candidate's code; all other kernels decline to judge it: " +
        report.kernels.back().reason + ".";
    Reject(std::move(reason), report);
  }
  co_return core::Status();
}

void Acceptance::ReadLibraryAhead() {
  if (std::exchange(read_ahead_, true)) return;
  std::vector<std::string> modules = syntax::ImportedModules(original_.text());
  modules.emplace_back("Init");
  library_->ReadAhead(std::move(modules));
}

Task<void> Acceptance::CompileAhead(AcceptanceOptions options) {
  if (auto started = StartCompilers(); started) {
    static_cast<void>(co_await CompileOriginal(options));
  }
}

Task<core::Status> Acceptance::CompileOriginal(const AcceptanceOptions& options) {
  const core::Cancellation::Subscription wake(options.cancellation,
                                              [this] { original_ended_.Notify(); });
  while (original_state_ == Original::kBeingCompiled) {
    if (options.deadline.Passed())
      co_return Fail(ErrorCode::kTimeout, "Lean did not finish compiling the original in time");
    co_await original_ended_.Wait(options.deadline);
    if (auto go_on = NotCancelled(options); !go_on) co_return go_on;
  }
  if (original_state_ == Original::kCompiled) co_return core::Status();
  original_state_ = Original::kBeingCompiled;
  std::string text =
      WithNamedExamples(original_, MatchExamples(original_, original_), OpenExamples(original_));
  const auto compiled = co_await Compile(original_compiler_, std::move(text), options);
  const bool ok = compiled && compiled->ok;
  original_state_ = ok ? Original::kCompiled : Original::kNotCompiled;
  if (!ok) original_compiler_.reset();
  original_ended_.Notify();
  if (!compiled) co_return Fail(compiled.error());
  if (!compiled->ok) {
    co_return Fail(ErrorCode::kInput,
                   "the original does not compile, so nothing can be compared with it: " +
                       FirstError(compiled->diagnostics),
                   "first fix the errors that `zermelo check` shows");
  }
  co_return core::Status();
}

Task<Result<AcceptanceReport>> Acceptance::Judge(std::string candidate,
                                                 std::optional<std::vector<size_t>> wanted,
                                                 AcceptanceOptions options) {
  const auto started = core::Clock::now();
  AcceptanceReport report;
  const auto& declarations = original_.declarations();
  const std::vector<size_t> targets = wanted ? *wanted : WithProvableHoles(declarations);
  const std::vector<std::string> names = DisplayNames(declarations);
  for (const size_t target : targets) {
    JudgedTarget judged;
    judged.declaration = target;
    judged.name = names[target];
    report.targets.push_back(std::move(judged));
  }
  const bool can_clear = CanClear(options, toolchain_);
  const bool named = std::ranges::none_of(
      targets, [&](size_t target) { return declarations[target].full_name.empty(); });
  const bool allow_programs =
      can_clear && named && options.allow_programs && CanAllowPrograms(options, toolchain_);
  Objections objections = ObjectionsTo(original_.text(), candidate, allow_programs);
  if (!objections.reasons.empty() && (objections.hints.empty() || !can_clear)) {
    report.reasons = std::move(objections.reasons);
    co_return report;
  }

  const auto lean_started = core::Clock::now();
  if (auto ahead = StartAhead(); !ahead) co_return Fail(ahead.error());
  ReadLibraryAhead();

  auto compiler = std::move(candidate_compiler_);
  if (const auto open = OpenExamples(original_); std::ranges::find(open, true) != open.end()) {
    const syntax::File file(std::move(candidate));
    candidate = WithNamedExamples(file, MatchExamples(original_, file), open);
  }
  const std::string compiled_text = candidate;
  uint32_t hashed = 0;
  // In parallel, since Lean elaborates a file on about one core; but the original's result exists
  // before a program runs.
  core::Status original;
  if (allow_programs) original = co_await CompileOriginal(options);
  if (!original) co_return Fail(original.error());
  report.runs_programs = objections.has_programs;
  Result<lean::CompileResult> compiled = lean::CompileResult();
  core::TaskGroup compilations(executor_);
  compilations.Spawn(Into(CompileOriginal(options), original));
  compilations.Spawn(
      Into(CompileCandidate(compiler, std::move(candidate), options, hashed), compiled));
  co_await compilations.Join();
  if (!original) co_return Fail(original.error());
  report.lean_seconds = core::Seconds(core::Clock::now() - lean_started);
  const bool is_lost = !compiled && (compiled.error().code == ErrorCode::kCrashed ||
                                     compiled.error().code == ErrorCode::kTimeout);
  if (!compiled && !is_lost) co_return Fail(compiled.error());
  if (compiled) report.diagnostics = compiled->diagnostics;
  if (is_lost) report.lost = compiled.error();
  if (is_lost || !compiled->ok) {
    trust::Reason reason;
    reason.code = trust::ReasonCode::kDoesNotCompile;
    reason.message = is_lost ? "The candidate could not be compiled: " + compiled.error().message
                             : "Lean rejects the candidate: " + FirstError(compiled->diagnostics);
    report.reasons.push_back(std::move(reason));
    co_return report;
  }

  trust::JudgeRequest request;
  request.original = original_compiler_->olean();
  request.candidate = compiler->olean();
  request.targets = TrustNames(declarations, targets);
  request.all_open_theorems = !wanted;
  request.allowed_axioms = options.allowed_axioms;
  request.allow_more_imports = options.allow_more_imports;
  request.allow_programs = allow_programs;
  request.kernel = options.kernel;
  request.kernel_time = std::min(request.kernel_time, options.deadline.Left());
  request.hashed_before = hashed;
  auto judging = co_await Compare(request, options);
  if (!judging) co_return Fail(judging.error());
  auto verdict = judging->Finish(*co_await library_->Get());
  if (!verdict) co_return Fail(verdict.error());
  report.accepted = verdict->accepted;
  report.reasons = std::move(verdict->reasons);
  AddPrograms(std::move(verdict->programs), objections);
  report.runs_programs = objections.has_programs;
  // The judge also finds `sorry`s that a macro of the original hides from the text.
  for (size_t i = report.targets.size(); i < verdict->targets.size(); ++i) {
    report.targets.emplace_back();
    report.targets.back().declaration = syntax::kNowhere;
    report.targets.back().name = verdict->targets[i].name;
  }
  for (size_t i = 0; i < verdict->targets.size(); ++i) {
    report.targets[i].accepted = verdict->targets[i].accepted;
    report.targets[i].reasons = std::move(verdict->targets[i].reasons);
    report.targets[i].axioms = std::move(verdict->targets[i].axioms);
    report.targets[i].from = std::move(verdict->targets[i].from);
    report.targets[i].otherwise_complete = verdict->targets[i].otherwise_complete;
  }
  if (verdict->kernel) report.kernels.push_back(*std::move(verdict->kernel));
  report.kernel_seconds = verdict->kernel_seconds;
  report.library_modules = verdict->library_modules;
  report.library_fingerprint = std::move(verdict->library_fingerprint);
  if (options.kernel == trust::KernelUse::kAll) {
    auto checked = co_await CheckImports(request.candidate, options, report);
    if (!checked) co_return Fail(checked.error());
  }
  core::Status asked;
  if (options.others) asked = co_await AskOtherKernels(*judging, options, report);
  if (asked && options.kernel != trust::KernelUse::kOff) {
    asked = co_await AskFreshLean(*judging, options, report);
  }
  if (!asked) co_return Fail(asked.error());
  if (Disagree(report.kernels, /*lean_counts=*/objections.reasons.empty())) {
    const auto kept = Keep({original_.text(), compiled_text, request.candidate});
    report.disagreement = kept ? kept->string() : kept.error().message;
  }
  if (!objections.reasons.empty()) Settle(std::move(objections), report);
  report.judge_seconds = core::Seconds(core::Clock::now() - started) - report.lean_seconds;
  co_return report;
}

}  // namespace zermelo::engine
