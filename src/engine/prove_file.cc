#include "engine/prove_file.h"

#include <algorithm>
#include <boost/asio/this_coro.hpp>
#include <fmt/format.h>
#include <functional>
#include <map>

#include "core/names.h"
#include "engine/acceptance.h"
#include "engine/file_errors.h"
#include "engine/lemma_file.h"
#include "engine/python_sandbox.h"
#include "engine/recorded_checker.h"
#include "engine/recorded_python.h"
#include "engine/recorded_retriever.h"
#include "engine/spending_json.h"
#include "lean/declarations.h"
#include "lean/import_errors.h"
#include "lean/lexer.h"
#include "lean/pool.h"
#include "lean/probe.h"
#include "lean/proof_site.h"
#include "lean/proof_text.h"
#include "policy/builtin.h"
#include "policy/reply_proof.h"

namespace zermelo::engine {

using core::Deadline;
using core::ErrorCode;
using core::Fail;
using core::Result;
using core::Task;
using lean::Declaration;
using lean::DeclarationHole;

namespace {

constexpr auto kWholeFileLimit = std::chrono::minutes(15);
constexpr size_t kMessageBytes = 600;

/// A hole to fill, its declaration, and how it went.
struct Target {
  size_t declaration = 0;  // index into the file's declarations
  DeclarationHole hole;
  TheoremResult result;
};

std::string HoleName(const Declaration& declaration, const DeclarationHole& hole, size_t line,
                     size_t nth) {
  std::string name = declaration.full_name;
  if (name.empty()) name = fmt::format("{} (line {})", declaration.keyword, declaration.line);
  if (!hole.label.empty()) return name + "." + hole.label;
  return nth == 0 ? name : fmt::format("{} (line {})", name, line);
}

std::string Described(const Declaration& declaration) {
  if (declaration.full_name.empty()) return declaration.keyword;
  return declaration.keyword + " `" + declaration.full_name + "`";
}

std::string FirstLine(const std::string& message) { return message.substr(0, message.find('\n')); }

bool NameMatches(const std::string& wanted, const Declaration& declaration,
                 const std::string& hole_name) {
  if (wanted == declaration.full_name || wanted == declaration.name || wanted == hole_name) {
    return true;
  }
  return declaration.full_name.ends_with("." + wanted);
}

std::string Shortened(const std::string& message) {
  if (message.size() <= kMessageBytes) return message;
  size_t end = kMessageBytes;
  while (end > 0 && (static_cast<unsigned char>(message[end]) & 0xC0U) == 0x80U) --end;
  return message.substr(0, end) + " …";
}

class Job {
 public:
  Job(core::Executor executor, const lean::Toolchain& toolchain, ProveRequest request,
      ProveListener& listener, core::Cancellation& cancellation)
      : executor_(executor),
        toolchain_(toolchain),
        request_(std::move(request)),
        listener_(listener),
        cancellation_(cancellation),
        declarations_(lean::FindDeclarations(request_.text)),
        lines_(request_.text),
        own_pool_(request_.lean != nullptr
                      ? nullptr
                      : std::make_unique<lean::Pool>(executor, toolchain,
                                                     SearchPoolOptions(request_.workers))),
        recorded_pool_(Recorded()),
        pool_(recorded_pool_ ? *recorded_pool_ : Lean()),
        recorded_premises_(RecordedPremises()),
        stop_pool_(cancellation, [this] {
          if (request_.journal != nullptr) request_.journal->Interrupt();
          CloseOwnPool();
        }) {}

  Task<Result<ProveResult>> Run() {
    FindTargets();
    if (auto known = CheckNames(); !known) co_return Fail(known.error());
    auto can = CanRun(request_.strategy, AgentsOf(request_, builtin_.get()));
    if (!can) co_return Fail(can.error());
    if (targets_.empty()) co_return Finished();
    const auto searched = co_await SearchUnderJournal();
    CloseOwnPool();
    if (!searched) co_return Fail(searched.error());
    if (auto accepted = co_await Accept(); !accepted) co_return Fail(accepted.error());
    if (request_.lemmas && !cancellation_.requested()) co_await KeepLemmas();
    co_return Finished();
  }

 private:
  void CloseOwnPool() {
    if (own_pool_) own_pool_->Close();
  }

  lean::Checker& Lean() { return own_pool_ ? *own_pool_ : *request_.lean; }

  std::unique_ptr<lean::Checker> Recorded() {
    if (request_.journal == nullptr) return nullptr;
    return std::make_unique<RecordedChecker>(Lean(), *request_.journal);
  }

  std::unique_ptr<retrieve::Retriever> RecordedPremises() {
    if (request_.journal == nullptr || request_.premises == nullptr) return nullptr;
    return std::make_unique<RecordedRetriever>(*request_.premises, *request_.journal);
  }

  Agents AgentsOfJob() const {
    Agents agents = AgentsOf(request_, builtin_.get());
    if (recorded_premises_) agents.premises = recorded_premises_.get();
    return agents;
  }

  /// All that a resumed run does again: reading the file and searching.
  Task<core::Status> SearchUnderJournal() {
    RunJournal* const journal = request_.journal;
    if (journal == nullptr) co_return co_await SearchFile();
    core::Status searched;
    const auto run = co_await journal->Run(Into(SearchFile(), searched));
    if (!run) co_return Fail(run.error());
    if (!searched) journal->RewindBefore(searched.error());
    if (!searched) co_return searched;
    const auto kind = journal->interrupted() ? event::kInterrupted : event::kSearchEnded;
    static_cast<void>(journal->AppendAfterwards(kind, {}));  // told to on_lost_record
    co_return searched;
  }

  static Task<void> Into(Task<core::Status> task, core::Status& status) {
    status = co_await std::move(task);
  }

  Task<core::Status> SearchFile() {
    if (auto usable = co_await CheckFile(); !usable) co_return Fail(usable.error());
    co_return co_await SearchAll();
  }

  void FindTargets() {
    for (size_t d = 0; d < declarations_.size(); ++d) {
      const Declaration& declaration = declarations_[d];
      size_t nth = 0;
      for (const DeclarationHole& hole : declaration.holes) {
        const size_t line = lines_.LineOf(hole.begin) + 1;
        if (!hole.provable) {
          notes_.push_back(
              fmt::format("line {}: the sorry in {} is {}; skipped", line, Described(declaration),
                          hole.in_signature ? "part of the statement" : "data, not a proof"));
          continue;
        }
        Target target{.declaration = d, .hole = hole, .result = {}};
        target.result.name = HoleName(declaration, hole, line, nth++);
        target.result.line = line;
        if (Wanted(declaration, target.result.name)) targets_.push_back(std::move(target));
      }
    }
  }

  bool Wanted(const Declaration& declaration, const std::string& name) const {
    return request_.theorems.empty() ||
           std::any_of(request_.theorems.begin(), request_.theorems.end(),
                       [&](const auto& w) { return NameMatches(w, declaration, name); });
  }

  core::Status CheckNames() const {
    for (const std::string& wanted : request_.theorems) {
      const auto matches = [&](const Target& target) {
        return NameMatches(wanted, declarations_[target.declaration], target.result.name);
      };
      if (std::any_of(targets_.begin(), targets_.end(), matches)) continue;
      std::vector<std::string> names;
      for (const Declaration& declaration : declarations_) {
        if (declaration.full_name == wanted || declaration.name == wanted) {
          return Fail(ErrorCode::kUsage, "`" + wanted + "` has no sorry to fill");
        }
        if (declaration.holes.empty()) continue;
        names.push_back(declaration.full_name);
        names.push_back(declaration.name);
      }
      return Fail(ErrorCode::kUsage, "there is no theorem `" + wanted + "` in the file",
                  core::DidYouMean(wanted, names));
    }
    return {};
  }

  /// Elaborates the file as it is. A target whose declaration has errors, or that Lean did not
  /// get to (no "declaration uses sorry"), cannot be worked on.
  Task<core::Status> CheckFile() {
    listener_.Phase("starting Lean and reading the file");
    const auto checked = co_await CheckOnEveryWorker();
    if (!checked) co_return Fail(checked.error());
    const lean::Diagnostic* first_error = nullptr;
    for (const auto& d : checked->diagnostics) {
      if (d.severity == lean::Severity::kError && first_error == nullptr) first_error = &d;
    }
    for (Target& target : targets_) {
      const auto& range = declarations_[target.declaration].range;
      bool uses_sorry = false;
      const lean::Diagnostic* error = nullptr;
      for (const auto& d : checked->diagnostics) {
        const size_t at = OffsetOf(lines_, d.begin);
        if (at < range.begin || at > range.end) continue;
        uses_sorry |= SaysSorry(d);
        if (d.severity == lean::Severity::kError && error == nullptr) error = &d;
      }
      if (error == nullptr && uses_sorry) continue;
      target.result.status = TheoremStatus::kError;
      if (error == nullptr) error = first_error;
      target.result.message =
          error == nullptr
              ? "Lean does not report a sorry here; is it part of a comment or a macro?"
              : fmt::format("not tried, because of an error in line {}: {}", error->begin.line + 1,
                            Shortened(error->message));
    }
    NoteErrorsElsewhere(checked->diagnostics);
    co_return co_await MakeCleanText(checked->diagnostics);
  }

  /// Blanks declarations with errors, and stretches between them, until Lean has no complaint. A
  /// target that goes with them cannot be verified.
  Task<core::Status> MakeCleanText(std::vector<lean::Diagnostic> diagnostics) {
    constexpr size_t kRounds = 8;
    clean_text_ = request_.text;
    for (size_t round = 0; round < kRounds; ++round) {
      for (const auto& d : diagnostics) lacks_code_ |= IsCodeGenerationError(d);
      const auto errors = FindErrors(request_.text, declarations_, diagnostics);
      if (errors.empty()) break;
      for (const FileError& error : errors) Blank(error);
      lean::CheckRequest check;
      check.text = clean_text_;
      check.deadline = Deadline::After(kWholeFileLimit);
      auto checked = co_await pool_.Check(std::move(check));
      if (!checked) co_return Fail(checked.error());
      diagnostics = std::move(checked->diagnostics);
    }
    IndexCleanText();
    co_return core::Status();
  }

  /// Declarations keep their place in the clean text, but not their number.
  void IndexCleanText() {
    const auto clean = lean::FindDeclarations(clean_text_);
    clean_count_ = clean.size();
    clean_index_.assign(declarations_.size(), kNoDeclaration);
    for (size_t d = 0; d < declarations_.size(); ++d) {
      for (size_t c = 0; c < clean.size(); ++c) {
        if (clean[c].range == declarations_[d].range) clean_index_[d] = c;
      }
    }
    for (Target& target : targets_) {
      if (clean_index_[target.declaration] != kNoDeclaration) continue;
      if (target.result.status == TheoremStatus::kError) continue;
      target.result.status = TheoremStatus::kError;
      target.result.message = "not tried, because of errors elsewhere in the file";
    }
  }

  void Blank(const FileError& error) {
    size_t begin = lines_.LineBegin(error.diagnostic->begin.line);
    size_t end = clean_text_.size();
    if (error.declaration != kNoDeclaration) {
      begin = declarations_[error.declaration].range.begin;
      end = declarations_[error.declaration].range.end;
      for (Target& target : targets_) {
        if (target.declaration != error.declaration) continue;
        if (target.result.status == TheoremStatus::kError) continue;
        target.result.status = TheoremStatus::kError;
        target.result.message = fmt::format("not tried, because it needs what has an error: {}",
                                            Shortened(error.diagnostic->message));
      }
    } else {
      for (const Declaration& declaration : declarations_) {
        if (declaration.range.begin >= begin) end = std::min(end, declaration.range.begin);
      }
    }
    for (size_t i = begin; i < end; ++i) {
      if (clean_text_[i] != '\n' && clean_text_[i] != '\r') clean_text_[i] = ' ';
    }
  }

  /// Says which errors stand outside the targets and which targets they may spoil.
  void NoteErrorsElsewhere(const std::vector<lean::Diagnostic>& diagnostics) {
    for (const FileError& error : FindErrors(request_.text, declarations_, diagnostics)) {
      std::string spoilt;
      bool is_target = false;
      for (const Target& target : targets_) {
        is_target |= target.declaration == error.declaration;
        if (std::find(error.spoils.begin(), error.spoils.end(), target.declaration) ==
            error.spoils.end()) {
          continue;
        }
        spoilt += (spoilt.empty() ? "; it may spoil " : ", ") + target.result.name;
      }
      if (is_target && spoilt.empty()) continue;  // said with its result
      notes_.push_back(fmt::format("line {}: error{}: {}{}", error.diagnostic->begin.line + 1,
                                   error.declaration == kNoDeclaration
                                       ? ""
                                       : " in " + Described(declarations_[error.declaration]),
                                   FirstLine(error.diagnostic->message), spoilt));
      const std::string hint = lean::ImportHint(*error.diagnostic, toolchain_);
      if (!hint.empty()) notes_.push_back(hint);
    }
  }

  /// All workers read the file now, side by side; one answer is enough.
  Task<Result<lean::CheckResult>> CheckOnEveryWorker() {
    lean::CheckRequest check;
    check.text = request_.text;
    check.deadline = Deadline::After(kWholeFileLimit);
    Result<lean::CheckResult> answer = lean::CheckResult();
    const size_t readers = own_pool_ ? pool_.size() : 1;  // others need the shared ones
    std::vector<lean::CheckRequest> requests(readers, check);
    co_await pool_.CheckBatch(std::move(requests), [&](size_t, Result<lean::CheckResult> result) {
      answer = std::move(result);
    });
    co_return answer;
  }

  /// Null: programs cannot be run here.
  strategy::PythonRunner* Python() {
    if (!python_) python_ = PythonSandbox::Create(executor_);
    if (!python_ || request_.journal == nullptr) return python_.get();
    recorded_python_ = std::make_unique<RecordedPython>(*python_, *request_.journal);
    return recorded_python_.get();
  }

  Task<core::Status> SearchAll() {
    Agents agents = AgentsOfJob();
    agents.python = Python();
    for (size_t i = 0; i < targets_.size(); ++i) {
      Target& target = targets_[i];
      if (cancellation_.requested()) break;
      listener_.TheoremStarted(i, targets_.size(), target.result);
      Record(event::kTheoremBegun, i, Begun(target.result));
      if (target.result.status != TheoremStatus::kError) {
        auto searched = co_await Search(target, agents);
        if (!searched && searched.error().code == ErrorCode::kCancelled) break;
        if (!searched) co_return Fail(searched.error());
      }
      Record(event::kTheoremEnded, i, Ended(target.result));
      listener_.TheoremEnded(target.result);
    }
    co_return core::Status();
  }

  static Agents AgentsOf(const ProveRequest& request, policy::Policy* builtin) {
    Agents agents;
    agents.builtin = request.builtin ? builtin : nullptr;
    agents.models = request.models != nullptr;
    agents.steps = agents.models ? request.models->steps() : agents.builtin;
    if (agents.models) agents.completions = request.models->completions();
    agents.roles = request.models;
    agents.premises = request.premises;
    return agents;
  }

  Task<core::Status> Search(Target& target, Agents agents) {
    TheoremResult& result = target.result;
    const Declaration& declaration = declarations_[target.declaration];
    const lean::ProofSite site(request_.text, declaration, target.hole);
    auto goals = co_await GoalsAt(site, result);
    if (!goals) co_return Fail(goals.error());
    if (goals->empty()) co_return core::Status();

    const double started = Elapsed();
    const strategy::Limits everything = LimitsOfJob();
    const auto here = co_await boost::asio::this_coro::executor;
    const strategy::Timebox all_time(here, everything, request_.time_per_theorem);
    strategy::Problem problem = ProblemFor(target, site, std::move(*goals));
    if (agents.premises != nullptr && request_.builtin) {
      problem.context.premises = co_await PremisesFor(*agents.premises, problem.goals.front());
    }
    if (!WantsWholeProof(target)) {
      agents.completions = nullptr;
      agents.roles = nullptr;
    }
    const auto spent_before = SpentByRole();
    auto found = co_await Prove(pool_, agents, problem, request_.strategy,
                                request_.time_per_theorem, all_time.limits());
    if (!found && agents.completions == nullptr && found.error().code == ErrorCode::kUsage) {
      result.message = "not tried: " + found.error().message;  // a hole inside of a proof
      co_return core::Status();
    }
    if (!found) co_return Fail(found.error());
    strategy::Outcome outcome = std::move(*found);
    outcome.roles = Since(spent_before, SpentByRole());
    result.seconds = Elapsed() - started;
    result.checks = outcome.checks;
    result.samples = outcome.samples;
    result.roles = std::move(outcome.roles);
    result.depth = outcome.depth;
    result.progress = outcome.progress;
    if (outcome.proof) {
      result.status = TheoremStatus::kProved;
      result.proof = std::move(*outcome.proof);
      result.proofs = std::move(outcome.proofs);
      result.auxiliary = std::move(outcome.auxiliary);
      if (auto ready = StartAcceptance(); !ready) co_return Fail(ready.error());
    } else {
      result.message = WhyUnproved(outcome.reason);
      if (!outcome.progress.empty()) result.message += "; " + outcome.progress;
      result.message += MostFrequent(outcome.refusals);
      result.lemmas = std::move(outcome.lemmas);
    }
    co_return core::Status();
  }

  using Spent = std::map<std::string, llm::Spending>;

  /// By all theorems so far.
  Spent SpentByRole() const {
    Spent spent;
    if (request_.models == nullptr) return spent;
    for (const auto& [role, models] : request_.models->budget().roles()) {
      for (const auto& [model, spending] : models) spent[role] += spending;
    }
    return spent;
  }

  static Spent Since(const Spent& before, Spent now) {
    for (auto& [role, spending] : now) {
      const auto earlier = before.find(role);
      if (earlier != before.end()) spending -= earlier->second;
    }
    std::erase_if(now, [](const auto& role) { return role.second.calls == 0; });
    return now;
  }

  /// Models write the proof of a whole theorem: its value must be nothing but the hole.
  bool WantsWholeProof(const Target& target) const {
    const size_t begin = declarations_[target.declaration].signature.end;
    std::string_view before(request_.text);
    before = before.substr(begin, target.hole.begin - begin);
    std::string words;
    for (const lean::Token& token : lean::LexCode(before)) words += lean::TextOf(before, token);
    return words == ":=" || words == ":=by";
  }

  strategy::Limits LimitsOfJob() {
    strategy::Limits limits;
    if (request_.journal != nullptr) {
      limits = request_.journal->limits();
    } else {
      limits.stop = [this] { return cancellation_.requested(); };
      limits.cancellation = &cancellation_;
    }
    limits.trying = [this](const std::string& tactic) { listener_.Trying(tactic); };
    return limits;
  }

  /// Of the job, in seconds; where it is recorded, without the times between its parts.
  double Elapsed() const {
    if (request_.journal != nullptr) return request_.journal->elapsed();
    return core::Seconds(core::Clock::now() - started_);
  }

  void Record(std::string_view kind, size_t theorem, nlohmann::json fields) {
    if (request_.journal == nullptr) return;
    fields["theorem"] = theorem;
    request_.journal->Append(kind, std::move(fields));
  }

  static nlohmann::json Begun(const TheoremResult& theorem) {
    return {{"name", theorem.name}, {"line", theorem.line}};
  }

  static nlohmann::json Ended(const TheoremResult& theorem) {
    return {{"found", theorem.status == TheoremStatus::kProved},
            {"proof", theorem.proof},
            {"auxiliary", theorem.auxiliary},
            {"message", theorem.message},
            {"checks", theorem.checks},
            {"samples", theorem.samples}};
  }

  /// What acceptance says of every theorem.
  void RecordVerdicts() {
    if (request_.journal == nullptr) return;
    for (size_t i = 0; i < targets_.size(); ++i) {
      const TheoremResult& theorem = targets_[i].result;
      const bool proved = theorem.status == TheoremStatus::kProved;
      nlohmann::json fields{{"theorem", i}, {"name", theorem.name}};
      if (proved) fields["proof"] = theorem.proof;
      if (!theorem.auxiliary.empty()) fields["auxiliary"] = theorem.auxiliary;
      if (proved) fields["axioms"] = theorem.axioms;
      if (!proved) fields["message"] = theorem.message;
      if (!theorem.roles.empty()) fields["roles"] = ToJson(theorem.roles);
      const auto kind = proved ? event::kProved : event::kFailed;
      static_cast<void>(request_.journal->AppendAfterwards(kind, std::move(fields)));
    }
  }

  /// "; of 12 answers nothing could be used, 9 of them because the reply has no code block".
  static std::string MostFrequent(const std::map<std::string, size_t>& refusals) {
    size_t all = 0;
    const std::pair<const std::string, size_t>* most = nullptr;
    for (const auto& refusal : refusals) {
      all += refusal.second;
      if (most == nullptr || refusal.second > most->second) most = &refusal;
    }
    if (most == nullptr) return "";
    return fmt::format("; {} answer{} of the models had no proof to check, mostly: {} ({})", all,
                       all == 1 ? "" : "s", Shortened(most->first), most->second);
  }

  static std::string WhyUnproved(const std::string& reason) {
    if (reason == "time") return "no proof within the time";
    if (reason == "stopped") return "stopped";
    if (reason == "budget") return "no proof within the models' budget";
    return "every idea was tried without success";
  }

  /// The goals at the hole. Empty, with the reason in `result`, when Lean does not say.
  Task<Result<std::vector<std::string>>> GoalsAt(const lean::ProofSite& site,
                                                 TheoremResult& result) {
    const lean::SiteDocument document = site.ForSearch("skip");
    lean::CheckRequest check;
    check.text = document.text;
    check.deadline = Deadline::After(kWholeFileLimit);
    const auto checked = co_await pool_.Check(std::move(check));
    if (!checked) {
      if (checked.error().code != ErrorCode::kCrashed) co_return Fail(checked.error());
      result.status = TheoremStatus::kError;
      result.message = checked.error().message;
      co_return std::vector<std::string>();
    }
    std::string first_error = "Lean reports no goal at this sorry";
    for (const auto& d : checked->diagnostics) {
      if (d.severity != lean::Severity::kError || !document.InDeclaration(d)) continue;
      auto goals = lean::UnsolvedGoals(d.message);
      if (!goals.empty()) co_return goals;
      first_error = d.message;
    }
    result.status = TheoremStatus::kError;
    result.message = Shortened(first_error);
    co_return std::vector<std::string>();
  }

  /// For the built-in policy. Without an index there are none.
  Task<std::vector<std::string>> PremisesFor(retrieve::Retriever& retriever, std::string goal) {
    constexpr size_t kPremises = 12;
    constexpr auto kLimit = std::chrono::seconds(5);
    retrieve::PremiseQuery query;
    query.text = std::move(goal);
    query.formal = true;
    query.symbols_only = true;
    query.imports = lean::ImportedModules(request_.text);
    query.imports.emplace_back("Init");
    query.limit = kPremises;
    const auto found = co_await retriever.Search(std::move(query), Deadline::After(kLimit));
    std::vector<std::string> names;
    if (!found) co_return names;
    for (const retrieve::Premise& premise : *found) names.push_back(premise.name);
    co_return names;
  }

  strategy::Problem ProblemFor(const Target& target, const lean::ProofSite& site,
                               std::vector<std::string> goals) const {
    strategy::Problem problem{.site = site, .goals = std::move(goals), .context = {}};
    problem.context.theorem =
        policy::DescribeTheorem(request_.text, declarations_[target.declaration]);
    for (const std::string& module : lean::ImportedModules(request_.text)) {
      problem.context.has_mathlib |= module == "Mathlib" || module.starts_with("Mathlib.");
    }
    static constexpr std::string_view kDefining[] = {"def", "abbrev", "inductive", "structure",
                                                     "instance"};
    for (size_t d = 0; d < target.declaration; ++d) {
      const Declaration& declaration = declarations_[d];
      const bool defines = std::find(std::begin(kDefining), std::end(kDefining),
                                     declaration.keyword) != std::end(kDefining);
      if (defines && !declaration.full_name.empty()) {
        problem.context.local_definitions.push_back(declaration.full_name);
      }
    }
    return problem;
  }

  core::Status StartAcceptance() {
    if (!acceptance_) {
      acceptance_ = std::make_unique<Acceptance>(executor_, toolchain_, Acceptable(clean_text_));
    }
    return acceptance_->StartAhead();
  }

  /// The embedded Lean has no code for parts of its library, so it cannot compile some
  /// definitions that use them; no proof needs their code.
  std::string Acceptable(std::string text) const {
    if (lacks_code_) text.insert(lean::HeaderEnd(text), "noncomputable section\n");
    return text;
  }

  /// Judges the text that will be delivered until every proof left in it is accepted; a proof
  /// that is refused is taken out again.
  Task<core::Status> Accept() {
    while (ProvedCount() > 0) {
      listener_.Phase(fmt::format("verifying {} proof{} with a fresh Lean", ProvedCount(),
                                  ProvedCount() == 1 ? "" : "s"));
      if (auto started = StartAcceptance(); !started) co_return Fail(started.error());
      const std::string text = Acceptable(WithProofs(clean_text_));
      AcceptanceOptions options;
      options.allowed_axioms = request_.allowed_axioms;
      options.deadline = Deadline::After(kWholeFileLimit);
      auto report = co_await acceptance_->Judge(text, FilledDeclarations(), options);
      if (!report || report->lost) {
        const core::Error& error = report ? *report->lost : report.error();
        co_return Fail(error.code, "the proofs found could not be verified: " + error.message,
                       "nothing was written; try again with fewer theorems (--theorem NAME)");
      }
      if (RejectRefused(text, *report) == 0) break;
    }
    co_return core::Status();
  }

  /// What was proved for theorems that stayed open is verified like proofs are.
  Task<void> KeepLemmas() {
    std::vector<ProvedOnTheWay> found;
    for (const Target& target : targets_) {
      if (target.result.status != TheoremStatus::kUnproved) continue;
      if (target.result.lemmas.empty()) continue;
      ProvedOnTheWay one;
      one.place = PlaceOfAuxiliary(target);
      one.lemmas = target.result.lemmas;
      found.push_back(std::move(one));
    }
    if (found.empty()) co_return;
    listener_.Phase("verifying lemmas with a fresh Lean");
    AcceptanceOptions options;
    options.allowed_axioms = request_.allowed_axioms;
    options.deadline = Deadline::After(kWholeFileLimit);
    auto file = co_await AcceptLemmas(
        executor_, toolchain_, clean_text_, std::move(found),
        [this](std::string text) { return Acceptable(std::move(text)); }, options);
    if (!file) {
      notes_.push_back("the lemmas found could not be verified: " + file.error().message);
      co_return;
    }
    if (file->refused > 0) {
      notes_.push_back(fmt::format("{} lemmas were refused when verified", file->refused));
    }
    if (file->count == 0) co_return;
    notes_.push_back(fmt::format("{} lemma{} proved on the way", file->count,
                                 file->count == 1 ? " was" : "s were"));
    lemmas_ = std::move(file->kept);
  }

  /// Declarations of the clean text that get a proof. Where other holes stay open, all but these
  /// `sorry`s is judged.
  std::vector<size_t> FilledDeclarations() const {
    std::vector<size_t> filled;
    for (size_t d = 0; d < declarations_.size(); ++d) {
      if (Filled(d) > 0) filled.push_back(clean_index_[d]);
    }
    return filled;
  }

  static const trust::Reason* FirstReason(const JudgedTarget& judged, bool open) {
    for (const trust::Reason& reason : judged.reasons) {
      if (!open || reason.code != trust::ReasonCode::kUsesSorry) return &reason;
    }
    return nullptr;
  }

  /// How many holes of a declaration have a proof.
  size_t Filled(size_t declaration) const {
    return static_cast<size_t>(
        std::count_if(targets_.begin(), targets_.end(), [&](const Target& target) {
          return target.declaration == declaration &&
                 target.result.status == TheoremStatus::kProved;
        }));
  }

  /// Marks proofs that are refused as unproved; answers how many.
  size_t RejectRefused(const std::string& text, const AcceptanceReport& report) {
    const auto declarations = lean::FindDeclarations(text);
    const core::LineIndex lines(text);
    std::vector<size_t> filled, added;  // as judged: rejecting changes them
    for (size_t d = 0; d < declarations_.size(); ++d) {
      filled.push_back(Filled(d));
      added.push_back(AddedBefore(declarations_[d].range.begin));
    }
    const size_t count = clean_count_ + AddedBefore(text.size());
    size_t refused = 0;
    const auto reject = [&](Target& target, const std::string& why) {
      target.result.status = TheoremStatus::kUnproved;
      target.result.message = "a proof was found but refused when verified: " + Shortened(why);
      target.result.proof.clear();
      target.result.proofs.clear();
      target.result.auxiliary.clear();
      listener_.TheoremRefused(target.result);
      ++refused;
    };
    for (Target& target : targets_) {
      if (target.result.status != TheoremStatus::kProved) continue;
      const size_t d = target.declaration;
      const auto judged =
          std::find_if(report.targets.begin(), report.targets.end(),
                       [&](const JudgedTarget& t) { return t.declaration == clean_index_[d]; });
      const bool open = filled[d] < declarations_[d].holes.size();
      const trust::Reason* reason = nullptr;
      if (judged != report.targets.end()) {
        target.result.axioms = judged->axioms;
        if (open) std::erase(target.result.axioms, "sorryAx");
        reason = FirstReason(*judged, open);
      }
      if (declarations.size() != count) {
        reject(target, "it changes which declarations the file has");
        continue;
      }
      const Declaration& now = declarations[clean_index_[d] + added[d]];
      const std::string error = FirstErrorIn(now, target.result, lines, report.diagnostics);
      if (now.holes.size() != declarations_[d].holes.size() - filled[d]) {
        reject(target, "it uses sorry");
      } else if (!error.empty()) {
        reject(target, error);
      } else if (reason != nullptr) {
        reject(target, reason->message);
      }
    }
    if (refused > 0 || report.reasons.empty()) return refused;
    for (Target& target : targets_) {  // nobody in particular: all of them together
      if (target.result.status == TheoremStatus::kProved) {
        reject(target, report.reasons.front().message);
      }
    }
    return refused;
  }

  /// How many declarations the proofs' auxiliary commands add before a place of the file.
  size_t AddedBefore(size_t place) const {
    size_t added = 0;
    for (const Target& target : targets_) {
      if (target.result.auxiliary.empty() || PlaceOfAuxiliary(target) > place) continue;
      added += lean::FindDeclarations(target.result.auxiliary).size();
    }
    return added;
  }

  size_t PlaceOfAuxiliary(const Target& target) const {
    return lean::PlaceOfAuxiliary(request_.text, declarations_[target.declaration]);
  }

  /// In the declaration or in what its proof has put before it.
  static std::string FirstErrorIn(const Declaration& declaration, const TheoremResult& result,
                                  const core::LineIndex& lines,
                                  const std::vector<lean::Diagnostic>& diagnostics) {
    // The command line counts columns in code points, so compare lines only.
    const size_t first =
        lines.LineOf(declaration.range.begin) - lean::LinesOfAuxiliary(result.auxiliary);
    const size_t last = lines.LineOf(declaration.range.end);
    for (const auto& d : diagnostics) {
      const bool inside = d.begin.line >= first && d.begin.line <= last;
      if (inside && d.severity == lean::Severity::kError) return d.message;
    }
    return "";
  }

  size_t ProvedCount() const {
    return static_cast<size_t>(std::count_if(
        targets_.begin(), targets_.end(),
        [](const Target& target) { return target.result.status == TheoremStatus::kProved; }));
  }

  /// `lemmas`: of theorems that have no proof.
  std::string WithProofs(std::string text, const std::vector<ProvedOnTheWay>& lemmas = {}) const {
    std::multimap<size_t, const Target*, std::greater<>> holes;
    std::multimap<size_t, std::string, std::greater<>> places;
    for (const ProvedOnTheWay& one : lemmas) places.emplace(one.place, AsAuxiliary(one));
    for (const Target& target : targets_) {
      if (target.result.status != TheoremStatus::kProved) continue;
      holes.emplace(target.hole.begin, &target);
      if (target.result.auxiliary.empty()) continue;
      places.emplace(PlaceOfAuxiliary(target), target.result.auxiliary);
    }
    // From the last to the first, so that the places of the others stay as they are.
    auto place = places.begin();
    const auto insert_from = [&](size_t end) {
      for (; place != places.end() && place->first >= end; ++place) {
        lean::InsertAuxiliary(text, place->first, place->second);
      }
    };
    for (const auto& [begin, target] : holes) {
      insert_from(begin);
      text = lean::SpliceProof(text, target->hole, target->result.proof).text;
    }
    insert_from(0);
    return text;
  }

  ProveResult Finished() {
    RecordVerdicts();
    ProveResult result;
    result.text = WithProofs(request_.text);
    result.notes = notes_;
    if (!lemmas_.empty()) result.lemmas_text = WithProofs(request_.text, lemmas_);
    result.interrupted = cancellation_.requested();
    for (Target& target : targets_) {
      if (target.result.status == TheoremStatus::kUnproved && target.result.message.empty()) {
        target.result.message = "not tried";
      }
      result.theorems.push_back(target.result);
    }
    return result;
  }

  const core::Executor executor_;
  const lean::Toolchain& toolchain_;
  const ProveRequest request_;
  ProveListener& listener_;
  core::Cancellation& cancellation_;
  const core::Clock::time_point started_ = core::Clock::now();
  const std::vector<Declaration> declarations_;
  const core::LineIndex lines_;
  const std::unique_ptr<policy::Policy> builtin_ =
      policy::MakeImmediatePolicy(policy::MakeBuiltinPolicy());
  std::vector<std::string> notes_;
  std::vector<Target> targets_;
  const std::unique_ptr<lean::Pool> own_pool_;
  const std::unique_ptr<lean::Checker> recorded_pool_;
  lean::Checker& pool_;  // the one to ask
  const std::unique_ptr<retrieve::Retriever> recorded_premises_;
  std::unique_ptr<PythonSandbox> python_;
  std::unique_ptr<RecordedPython> recorded_python_;
  const core::Cancellation::Subscription stop_pool_;

  // The file without what does not elaborate, byte for byte in its place: what can be compiled.
  std::string clean_text_;
  std::vector<size_t> clean_index_;  // by declaration: which one it is in the clean text
  size_t clean_count_ = 0;
  std::vector<ProvedOnTheWay> lemmas_;  // for theorems that stayed open, verified
  bool lacks_code_ = false;
  std::unique_ptr<Acceptance> acceptance_;  // comes up while the search goes on
};

}  // namespace

const char* Name(TheoremStatus status) {
  switch (status) {
    case TheoremStatus::kProved:
      return "proved";
    case TheoremStatus::kUnproved:
      return "unproved";
    case TheoremStatus::kError:
      return "error";
  }
  return "error";
}

size_t ProveResult::proved() const {
  return static_cast<size_t>(std::count_if(theorems.begin(), theorems.end(), [](const auto& t) {
    return t.status == TheoremStatus::kProved;
  }));
}

std::map<std::string, llm::Spending> ProveResult::roles() const {
  std::map<std::string, llm::Spending> all;
  for (const TheoremResult& theorem : theorems) {
    for (const auto& [role, spending] : theorem.roles) all[role] += spending;
  }
  return all;
}

lean::PoolOptions SearchPoolOptions(size_t workers) {
  lean::PoolOptions options;
  options.workers = workers;
  options.worker.skip_kernel = true;
  return options;
}

Task<Result<ProveResult>> ProveFile(const lean::Toolchain& toolchain, ProveRequest request,
                                    ProveListener& listener, core::Cancellation& cancellation) {
  const auto executor = co_await boost::asio::this_coro::executor;
  Job job(executor, toolchain, std::move(request), listener, cancellation);
  co_return co_await job.Run();
}

}  // namespace zermelo::engine
