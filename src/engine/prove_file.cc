#include "engine/prove_file.h"

#include <algorithm>
#include <boost/asio/this_coro.hpp>
#include <fmt/format.h>
#include <functional>
#include <map>

#include "core/text.h"
#include "engine/acceptance/delivery.h"
#include "engine/job/job_learning.h"
#include "engine/job/job_services.h"
#include "engine/job/theorem_events.h"
#include "engine/preparation.h"
#include "engine/recorded_run.h"
#include "lean/probe.h"
#include "policy/heuristics/file_facts.h"
#include "policy/reply_proof.h"
#include "strategy/proof/shortening.h"
#include "syntax/declarations.h"
#include "syntax/goal/goal.h"
#include "syntax/lexer.h"
#include "syntax/proof/proof_site.h"

namespace zermelo::engine {

using core::Deadline;
using core::ErrorCode;
using core::Fail;
using core::Result;
using core::Task;
using syntax::Declaration;

namespace {

/// The part of a theorem's time that is kept for a proof from open theorems above it, if there are
/// any.
constexpr double kFromOpen = 0.25;

/// For the attempts to shorten a proof, beyond the time of its search.
constexpr auto kShorteningTime = std::chrono::seconds(10);

/// Time limit for the states in the proofs, which readers of the record see.
constexpr auto kStepsLimit = std::chrono::seconds(10);

class Job {
 public:
  Job(const core::Executor& executor, const lean::Toolchain& toolchain, ProveRequest request,
      ProveListener& listener, core::Cancellation& cancellation)
      : executor_(executor),
        toolchain_(toolchain),
        request_(std::move(request)),
        listener_(listener),
        cancellation_(cancellation),
        file_(request_.text, request_.imported),
        delivery_(executor, toolchain, file_, request_.allowed_axioms, request_.kernel,
                  request_.pool.worker.max_resident_bytes, listener),
        services_(executor, toolchain, request_),
        learning_(request_),
        preparation_(Preparations()),
        stop_pool_(cancellation, [this] {
          if (request_.journal != nullptr) request_.journal->Interrupt();
          services_.CloseLean();
        }) {
    if (request_.journal != nullptr) request_.journal->ReportUse([this] { return Used(); });
  }
  ~Job() {
    if (request_.journal != nullptr) request_.journal->ReportUse(nullptr);
  }
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  Task<Result<ProveResult>> Run() {
    if (auto known = file_.FindTargets(request_.theorems, request_.hole); !known)
      co_return Fail(known.error());
    auto can = strategy::CanRun(request_.strategy, services_.ForSearch());
    if (!can) co_return Fail(can.error());
    if (file_.targets().empty()) co_return Finished();
    const auto searched = co_await SearchUnderJournal();
    if (preparation_) preparation_->HasSearched();
    if (preparation_ && !(searched && HasSomethingToVerify())) co_await preparation_->End();
    core::TaskGroup beside(executor_);  // the verification
    if (searched && WantsSteps()) {
      beside.Spawn(FindStepsAndCloseLean());
    } else {
      services_.CloseLean();
    }
    co_await services_.EndStates();
    if (!searched) co_return Fail(searched.error());
    const auto verified = co_await Verify();
    co_await beside.Join();
    services_.CloseLean();
    if (!verified) co_return Fail(verified.error());
    co_return Finished();
  }

 private:
  /// With workers of its own; those that jobs share are busy with other files.
  std::unique_ptr<Preparation> Preparations() {
    lean::Pool* const pool = services_.own_pool();
    if (pool == nullptr || request_.room_for_verdict) return nullptr;
    return std::make_unique<Preparation>(executor_, *pool, delivery_, request_.abandon);
  }

  /// The part of the job that a resumed run replays: reading the file and searching.
  Task<core::Status> SearchUnderJournal() {
    record::RunJournal* const journal = request_.journal;
    if (journal == nullptr) co_return co_await SearchFile();
    core::Status searched;
    const auto run = co_await journal->Run(Into(SearchFile(), searched));
    if (!run) co_return Fail(run.error());
    if (!searched) journal->RewindBefore(searched.error());
    if (!searched) co_return searched;
    const auto kind = journal->interrupted() ? event::kInterrupted : event::kSearchEnded;
    static_cast<void>(journal->AppendAfterwards(kind, {}));  // errors go to on_lost_record
    if (kind == event::kSearchEnded) RecordPlaces(*journal);
    co_return searched;
  }

  /// What failed where workers run elsewhere.
  void RecordPlaces(record::RunJournal& journal) {
    if (services_.own_pool() == nullptr) return;
    for (const auto& place : services_.own_pool()->places()) {
      if (place->failures() == 0) continue;
      static_cast<void>(
          journal.AppendAfterwards(event::kPlaceFailed, {{"place", place->place()->name},
                                                         {"failures", place->failures()},
                                                         {"why", place->last_failure()}}));
    }
  }

  static Task<void> Into(Task<core::Status> task, core::Status& status) {
    status = co_await std::move(task);
  }

  Task<core::Status> SearchFile() {
    listener_.Phase("starting Lean and reading the file");
    const bool live = request_.journal == nullptr || !request_.journal->replaying();
    if (live) services_.Begin();
    if (preparation_ && live) preparation_->Begin(file_.text());
    if (auto read = co_await file_.Read(services_.lean(), request_.readers, toolchain_); !read)
      co_return Fail(read.error());
    if (preparation_) preparation_->FileIsRead();
    co_return co_await SearchAll();
  }

  Task<core::Status> SearchAll() {
    const strategy::Services services = services_.ForSearch();
    for (size_t i = 0; i < file_.targets().size(); ++i) {
      Target& target = file_.targets()[i];
      if (cancellation_.requested()) break;
      listener_.TheoremStarted(i, file_.targets().size(), target.result);
      Record(event::kTheoremBegun, i, BegunFields(target.result));
      if (target.result.status != TheoremStatus::kError) {
        auto searched = co_await Search(target, services);
        if (!searched && searched.error().code == ErrorCode::kCancelled) break;
        if (!searched) co_return Fail(searched.error());
      }
      Record(event::kTheoremEnded, i, EndedFields(target.result));
      listener_.TheoremEnded(target.result);
    }
    co_return core::Status();
  }

  Task<core::Status> Search(Target& target, strategy::Services services) {
    TheoremResult& result = target.result;
    const Declaration& declaration = file_.DeclarationOf(target);
    const syntax::ProofSite site(file_.text(), declaration, target.hole);
    auto goals = co_await GoalsAt(site, result);
    if (!goals) co_return Fail(goals.error());
    if (goals->empty()) co_return core::Status();

    const double started = Elapsed();
    const strategy::Limits everything = LimitsOfJob();
    strategy::Problem problem = ProblemFor(target, site, std::move(*goals));
    const bool may_assume = request_.builtin && MayFollowFromOpen(target, problem);
    core::Duration time = request_.time_per_theorem;
    if (may_assume) time -= core::FromSeconds(kFromOpen * core::Seconds(time));
    if (!WantsWholeProof(target)) {
      services.completions = nullptr;
      services.roles = nullptr;
    }
    const auto spent_before = SpentByRole();
    const strategy::Job job{services, problem, request_.strategy, time};
    auto found = co_await ProveWithin(job, everything);
    if (!found && services.completions == nullptr && found.error().code == ErrorCode::kUsage) {
      result.message = "not tried: " + found.error().message;  // a hole inside a proof
      co_return core::Status();
    }
    if (!found && IsAboutThePrompt(found.error())) {
      result.message = found.error().message;  // those of other theorems may be taken
      result.seconds = Elapsed() - started;
      result.roles = Since(spent_before, SpentByRole());
      co_return core::Status();
    }
    if (!found) co_return Fail(found.error());
    strategy::SearchResult& search = *found;
    if (may_assume && !search.proof && !everything.Ended()) {
      const auto left = request_.time_per_theorem - core::FromSeconds(Elapsed() - started);
      if (auto tried = co_await ProveFromOpen(target, problem, left, search); !tried)
        co_return Fail(tried.error());
    }
    if (request_.shorten) co_await Shorten(problem, everything, search);
    services_.DropStates(site);
    search.roles = Since(spent_before, SpentByRole());
    result.seconds = Elapsed() - started;
    result.checks = search.checks;
    result.samples = search.samples;
    result.states = search.states;
    result.roles = std::move(search.roles);
    result.depth = search.depth;
    result.progress = search.progress;
    learning_.LearnOutcomes(problem.context.source, std::move(search.goals));
    if (search.proof) {
      const syntax::ProofState state = syntax::ParseProofState(problem.goals.front());
      const syntax::Goal* const goal = state.goals.empty() ? nullptr : &state.goals.front();
      SetFrom(syntax::OpenTheoremsIn(*search.proof, *problem.context.file, goal), &result);
      learning_.Learn(result, problem.context.source, search.moves);
      result.proof = std::move(*search.proof);
      result.proofs = std::move(search.proofs);
      result.auxiliary = std::move(search.auxiliary);
      if (request_.room_for_verdict) co_return core::Status();
      if (auto ready = delivery_.StartAhead(); !ready) co_return Fail(ready.error());
    } else {
      result.message = WhyUnproved(search.reason);
      if (!search.progress.empty()) result.message += "; " + search.progress;
      result.message += MostFrequent(search.refusals);
      result.lemmas = std::move(search.lemmas);
    }
    co_return core::Status();
  }

  static Task<Result<strategy::SearchResult>> ProveWithin(strategy::Job job,
                                                          const strategy::Limits& everything) {
    const auto here = co_await boost::asio::this_coro::executor;
    const strategy::Timebox time(here, everything, job.time);
    co_return co_await strategy::Prove(job, time.limits());
  }

  /// Replaces the proof by a shorter one, if there is one.
  Task<void> Shorten(const strategy::Problem& problem, const strategy::Limits& everything,
                     strategy::SearchResult& search) {
    if (!search.proof || !search.auxiliary.empty()) co_return;
    auto shorter = co_await strategy::Shorten(services_.WithoutModels(), problem, *search.proof,
                                              everything, kShorteningTime);
    if (!shorter) co_return;
    const bool is_one_move = search.moves.size() == 1 && search.moves[0].tactic == *search.proof;
    if (is_one_move) search.moves[0].tactic = *shorter;
    std::ranges::replace(search.proofs, *search.proof, *shorter);
    search.proof = std::move(*shorter);
  }

  /// Whether the built-in policy would use a theorem above that has no proof yet.
  bool MayFollowFromOpen(const Target& target, const strategy::Problem& problem) const {
    policy::StepContext context = problem.context;
    context.file = file_.Above(target, OpenFile::OpenTheorems::kAssumed);
    const syntax::ProofState state = syntax::ParseProofState(problem.goals.front());
    if (state.goals.empty()) return false;
    std::string names;
    for (const auto* theorem : policy::ChooseFor(state.goals.front(), context).theorems) {
      names += theorem->name + " ";
    }
    return !syntax::OpenTheoremsIn(names, *problem.context.file).empty();
  }

  /// Searches without models for a proof that may use theorems above that have no proof yet. Adds
  /// to `sum`.
  Task<core::Status> ProveFromOpen(const Target& target, strategy::Problem problem,
                                   core::Duration time, strategy::SearchResult& sum) {
    problem.context.file = file_.Above(target, OpenFile::OpenTheorems::kAssumed);
    strategy::StrategyParameters parameters = request_.strategy;
    parameters.strategy = strategy::TacticSearch().name();
    const strategy::Services services = services_.WithoutModels();
    const strategy::Job job{services, problem, parameters, time};
    const strategy::Limits everything = LimitsOfJob();
    auto found = co_await ProveWithin(job, everything);
    if (!found) co_return Fail(found.error());
    found->goals.clear();  // nothing is learned from what follows from open theorems
    sum.AddUse(*found);
    sum.TakeProof(*found);
    sum.proofs = std::move(found->proofs);
    co_return core::Status();
  }

  using Spent = std::map<std::string, llm::Spending>;

  /// Spending on all theorems so far.
  Spent SpentByRole() const {
    Spent spent;
    if (request_.models == nullptr) return spent;
    for (const auto& [role, models] : request_.models->budget().roles()) {
      for (const auto& [model, spending] : models) spent[role] += spending;
    }
    return spent;
  }

  /// Whether a model takes other prompts. A server that refuses the first may refuse all of them.
  bool IsAboutThePrompt(const core::Error& error) const {
    return error.code == ErrorCode::kTooLong ||
           (error.code == ErrorCode::kRefused &&
            std::ranges::any_of(SpentByRole(),
                                [](const auto& role) { return role.second.samples > 0; }));
  }

  /// What the recorded search has used so far.
  nlohmann::json Used() const {
    nlohmann::json used = services_.LeanUse();
    used["roles"] = SpentByRole();
    return used;
  }

  static Spent Since(const Spent& before, Spent now) {
    for (auto& [role, spending] : now) {
      const auto earlier = before.find(role);
      if (earlier != before.end()) spending -= earlier->second;
    }
    std::erase_if(now, [](const auto& role) { return role.second.calls == 0; });
    return now;
  }

  /// Whether the hole is the whole value of its theorem, so that models can write its proof.
  bool WantsWholeProof(const Target& target) const {
    const size_t begin = file_.DeclarationOf(target).signature.end;
    std::string_view before(file_.text());
    before = before.substr(begin, target.hole.begin - begin);
    std::string words;
    for (const syntax::Token& token : syntax::LexCode(before))
      words += syntax::TextOf(before, token);
    return words == ":=" || words == ":=by";
  }

  strategy::Limits LimitsOfJob() {
    strategy::Limits limits;
    if (request_.journal != nullptr) {
      limits = LimitsOf(*request_.journal);
    } else {
      limits.stop = [this] { return cancellation_.requested(); };
      limits.cancellation = &cancellation_;
    }
    limits.trying = [this](const std::string& tactic) { listener_.Trying(tactic); };
    return limits;
  }

  /// Seconds of the job; for a recorded job, without the time between an interruption and resuming.
  double Elapsed() const {
    if (request_.journal != nullptr) return request_.journal->elapsed();
    return core::Seconds(core::Clock::now() - started_);
  }

  void Record(std::string_view kind, size_t theorem, nlohmann::json fields) {
    if (request_.journal == nullptr) return;
    fields["theorem"] = theorem;
    request_.journal->Append(kind, std::move(fields));
  }

  /// The states in the proofs are part of the record, where the page finds them. A Lean that has
  /// nothing loaded, as after a replay, is not started for them.
  bool WantsSteps() {
    const bool has_run = services_.live_lean().checks() > 0;
    return request_.journal != nullptr && request_.records_steps && has_run &&
           delivery_.proofs() > 0 && !cancellation_.requested();
  }

  /// Asks the search's Lean for the states in the proofs that were found. Without an answer, there
  /// are none.
  Task<void> FindSteps() {
    std::vector<size_t> proved;
    std::vector<ProofSteps::Part> parts;
    for (size_t i = 0; i < file_.targets().size(); ++i) {
      if (!HasProof(file_.targets()[i].result)) continue;
      proved.push_back(i);
      parts.push_back(delivery_.PartOf(file_.targets()[i]));
    }
    if (proved.empty()) co_return;
    const ProofSteps steps(delivery_.Text(), parts);
    lean::CheckRequest request = steps.Request();
    request.limit = kStepsLimit;
    request.deadline = Deadline::After(2 * kStepsLimit);
    request.cancellation = &cancellation_;
    const auto checked = co_await services_.live_lean().Check(std::move(request));
    if (!checked) co_return;
    auto found = steps.Describe(*checked);
    for (size_t i = 0; i < proved.size(); ++i) {
      if (!found[i].is_null()) steps_[proved[i]] = std::move(found[i]);
    }
  }

  /// The memory of the search's Lean is for the verification then.
  Task<void> FindStepsAndCloseLean() {
    co_await FindSteps();
    services_.CloseLean();
  }

  /// Records the verdict on every theorem.
  void RecordVerdicts() {
    if (request_.journal == nullptr) return;
    for (size_t i = 0; i < file_.targets().size(); ++i) {
      const TheoremResult& theorem = file_.targets()[i].result;
      nlohmann::json fields = VerdictFields(theorem);
      fields["theorem"] = i;
      const auto steps = steps_.find(i);
      if (HasProof(theorem) && steps != steps_.end()) fields["steps"] = steps->second;
      static_cast<void>(
          request_.journal->AppendAfterwards(VerdictKind(theorem), std::move(fields)));
    }
  }

  /// "; 12 answers of the models had no proof to check, mostly: the reply has no code block (9)".
  static std::string MostFrequent(const std::map<std::string, size_t>& refusals) {
    size_t all = 0;
    const std::pair<const std::string, size_t>* most = nullptr;
    for (const auto& refusal : refusals) {
      all += refusal.second;
      if (most == nullptr || refusal.second > most->second) most = &refusal;
    }
    if (most == nullptr) return "";
    return fmt::format("; {} of the models had no proof to check, mostly: {} ({})",
                       core::Counted(all, "answer"), Shortened(most->first), most->second);
  }

  static std::string WhyUnproved(const std::string& reason) {
    if (reason == "time") return "no proof within the time limit";
    if (reason == "stopped") return "stopped";
    if (reason == "budget") return "no proof within the models' budget";
    return "no candidate proved it";
  }

  /// The goals at the hole. Empty, with the reason in `result`, if Lean does not report them.
  Task<Result<std::vector<std::string>>> GoalsAt(const syntax::ProofSite& site,
                                                 TheoremResult& result) {
    auto found = co_await lean::GoalsAt(services_.lean(), site, Deadline::After(kWholeFileLimit));
    if (found && !found->goals.empty()) co_return std::move(found->goals);
    if (!found && found.error().code != ErrorCode::kCrashed) co_return Fail(found.error());
    result.status = TheoremStatus::kError;
    result.crashed = !found;
    result.message = found ? Shortened(found->message) : found.error().message;
    co_return std::vector<std::string>();
  }

  strategy::Problem ProblemFor(const Target& target, const syntax::ProofSite& site,
                               std::vector<std::string> goals) const {
    strategy::Problem problem{.site = site, .goals = std::move(goals), .context = {}};
    problem.context.theorem = syntax::TheoremOf(file_.parsed(), file_.DeclarationOf(target));
    problem.context.source =
        learn::SourceOf(problem.context.theorem.name, request_.place, problem.goals.front());
    // The goal of a hole inside a proof is not the theorem's.
    if (!WantsWholeProof(target)) problem.context.source.statement = 0;
    problem.context.source.no_namesakes = request_.no_namesakes;
    problem.context.imports = syntax::ImportedModules(file_.text());
    if (!syntax::IsPrelude(file_.text())) problem.context.imports.emplace_back("Init");
    for (const std::string& module : problem.context.imports) {
      problem.context.has_mathlib |= module == "Mathlib" || module.starts_with("Mathlib.");
    }
    problem.context.file = file_.Above(target);
    return problem;
  }

  bool WantsLemmas() const { return request_.lemmas && !cancellation_.requested(); }

  bool HasSomethingToVerify() const {
    const auto& targets = file_.targets();
    return std::any_of(targets.begin(), targets.end(), [this](const Target& target) {
      return HasProof(target.result) || (WantsLemmas() && !target.result.lemmas.empty());
    });
  }

  void KeepLearned() {
    if (auto problem = learning_.Keep(); !problem.empty()) notes_.push_back(std::move(problem));
  }

  Task<core::Status> Verify() {
    std::shared_ptr<void> room;
    if (request_.room_for_verdict && HasSomethingToVerify()) {
      auto made = co_await request_.room_for_verdict();
      if (!made) co_return Fail(made.error());
      room = std::move(*made);
    }
    auto accepted = co_await delivery_.Accept(request_.abandon);
    if (accepted && WantsLemmas()) notes_ = co_await delivery_.AcceptLemmas(request_.abandon);
    if (accepted) KeepLearned();
    if (preparation_) co_await preparation_->End();
    delivery_.EndLeans();  // before their room is released
    co_return accepted;
  }

  ProveResult Finished() {
    RecordVerdicts();
    ProveResult result;
    result.text = delivery_.Text();
    result.notes = file_.notes();
    result.notes.insert(result.notes.end(), notes_.begin(), notes_.end());
    result.has_faults = file_.has_faults();
    result.lemmas_text = delivery_.LemmasText();
    result.receipt = delivery_.receipt();
    if (request_.journal != nullptr && request_.journal->reports_use()) result.used = Used();
    result.interrupted = cancellation_.requested();
    for (Target& target : file_.targets()) {
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
  OpenFile file_;
  Delivery delivery_;
  std::vector<std::string> notes_;          // sentences for the user
  std::map<size_t, nlohmann::json> steps_;  // by target: the states in its proof
  JobServices services_;
  JobLearning learning_;
  const std::unique_ptr<Preparation> preparation_;
  const core::Cancellation::Subscription stop_pool_;
};

}  // namespace

size_t ProveResult::proved() const {
  return static_cast<size_t>(std::count_if(theorems.begin(), theorems.end(), [](const auto& t) {
    return t.status == TheoremStatus::kProved;
  }));
}

size_t ProveResult::proofs() const {
  return static_cast<size_t>(std::ranges::count_if(theorems, HasProof));
}

std::map<std::string, llm::Spending> ProveResult::roles() const {
  std::map<std::string, llm::Spending> all;
  for (const TheoremResult& theorem : theorems) {
    for (const auto& [role, spending] : theorem.roles) all[role] += spending;
  }
  return all;
}

lean::PoolOptions SearchPoolOptions(size_t workers, lean::PoolOptions options) {
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
