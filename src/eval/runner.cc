#include "eval/runner.h"

#include <algorithm>
#include <boost/asio/this_coro.hpp>
#include <fmt/format.h>
#include <list>
#include <map>

#include "core/hash/sha256.h"
#include "engine/acceptance/outcome.h"
#include "engine/project_imports.h"
#include "engine/prove_file.h"
#include "eval/attempt_watcher.h"
#include "eval/negation.h"
#include "eval/statement_check.h"
#include "lean/pool.h"
#include "lean/states/late_state_server.h"
#include "lean/states/state_checker.h"

namespace zermelo::eval {

using core::ErrorCode;
using core::Result;
using core::Task;

namespace {

// So many refused attempts in a row are not due to what single prompts say.
constexpr size_t kMostRefusals = 16;
constexpr double kForever = 24 * 3600;
// Seeds of an attempt's calls count up; the ranges of attempts must not overlap.
constexpr uint64_t kSeedsPerAttempt = uint64_t{1} << 20U;

/// Forwards the tactics that are tried; ignores all other events.
class AttemptListener : public engine::ProveListener {
 public:
  AttemptListener(RunnerListener& listener, const Problem& problem)
      : listener_(listener), problem_(problem) {}
  void Phase(const std::string&) override {}
  void TheoremStarted(size_t, size_t, const engine::TheoremResult&) override {}
  void Trying(const std::string& tactic) override { listener_.Trying(problem_, tactic); }
  void TheoremEnded(const engine::TheoremResult&) override {}
  void TheoremChanged(const engine::TheoremResult&) override {}

 private:
  RunnerListener& listener_;
  const Problem& problem_;
};

/// The result of one attempt at one problem.
struct AttemptResult {
  bool proved = false;
  bool interrupted = false;
  std::optional<core::Error> error;  // of Lean or a model; what was spent is still reported
  std::string proof, attempt, message;
  ProofFiles files;
  std::vector<std::string> axioms;
  std::vector<std::string> kernels;  // that accepted the proof
  Cost cost;
  int64_t checks = 0;  // of Lean
  std::map<std::string, ModelUse> models;
  lean::UseByRole lean_by_role;
};

struct AttemptNumber {
  size_t run = 1;
  size_t nth = 0;  // of the attempts of the run
  bool negation = false;
};

/// The verdict on a problem that Lean could judge.
std::string VerdictOf(ProblemStatus status) {
  using engine::Outcome;
  if (status == ProblemStatus::kProved) return Name(Outcome::kAccepted);
  return Name(status == ProblemStatus::kInvalid ? Outcome::kRejected : Outcome::kOpen);
}

class Runner {
 public:
  Runner(core::Executor executor, const lean::Toolchain& toolchain,
         const std::vector<Problem>& problems, RunnerOptions options, Results& results,
         ResultLog& log, RunnerListener& listener, core::Cancellation& cancellation)
      : executor_(std::move(executor)),
        toolchain_(toolchain),
        problems_(problems),
        options_(std::move(options)),
        budget_(options_.or_disprove ? HalfOf(options_.budget) : options_.budget),
        results_(results),
        log_(log),
        listener_(listener),
        pool_(executor_, toolchain, engine::SearchPoolOptions(options_.workers, options_.pool)),
        states_(options_.states
                    ? std::make_unique<lean::LateStateServer>(
                          executor_, toolchain, lean::ForSearch(options_.workers, options_.pool))
                    : nullptr),
        refusing_(states_ ? std::make_unique<lean::StateChecker>(pool_, *states_) : nullptr),
        checks_(problems.size()),
        on_stop_(cancellation, [this] { Stop(); }) {}

  Task<RunnerReport> Run() {
    const auto started = core::Clock::now();
    for (const auto& [key, result] : results_) NoteAnswers(result.models);
    for (size_t run = 1; run <= options_.runs; ++run) {
      for (size_t i = 0; i < problems_.size(); ++i) {
        const auto known = results_.find(ResultKey(problems_[i].name, run));
        if (known == results_.end() || !known->second.finished()) work_.emplace_back(i, run);
      }
    }
    core::TaskGroup lanes(executor_);
    if (states_ && !work_.empty()) states_->Begin();
    for (size_t i = 0; i < std::min(options_.jobs, work_.size()); ++i) lanes.Spawn(Lane());
    co_await lanes.Join();
    CloseLean();
    if (states_) co_await states_->Join();
    RunnerReport report;
    report.error = error_;
    report.without_result = without_result_;
    report.lean_checks = pool_.stats().checks;
    report.lean_seconds = core::Seconds(core::Clock::now() - started);
    co_return report;
  }

 private:
  void Stop() {
    stopped_ = true;
    CloseLean();
    // A request may change attempts_, so iterate over a copy.
    const std::vector<core::Cancellation*> running(attempts_.begin(), attempts_.end());
    for (core::Cancellation* attempt : running) attempt->Request();
  }

  void CloseLean() {
    pool_.Close();
    if (states_) states_->Close();
  }

  void EndWith(const core::Error& error) {
    if (!error_ && !stopped_) error_ = error;
    if (!stopped_) Stop();
  }

  void NoteAnswers(const std::map<std::string, ModelUse>& models) {
    for (const auto& [name, use] : models) {
      if (use.spent.samples == 0) continue;
      answered_ = true;
      refusals_ = 0;
    }
  }

  Task<void> Lane() {
    while (!stopped_ && next_ < work_.size()) {
      const auto [index, run] = work_[next_++];
      const Problem& problem = problems_[index];
      listener_.Started(problem, run);
      auto solved = co_await Solve(index, run);
      if (!solved) {
        EndWith(solved.error());
        co_return;
      }
    }
  }

  Task<core::Status> Solve(size_t index, size_t run) {
    const Problem& problem = problems_[index];
    ProblemResult result;
    result.problem = problem.name;
    result.run = run;
    result.sha256 = core::Sha256Hex(problem.Text());
    AttemptNumber first;
    first.run = run;
    result.seed = SeedOf(first);
    auto& check = checks_[index];
    if (!check) {
      auto checked = co_await CheckStatement(pool_, problem, options_.statement_limit);
      if (!checked && checked.error().code == ErrorCode::kCancelled) co_return core::Status();
      if (!checked) co_return core::Fail(checked.error());
      check = std::move(*checked);
    }
    ProofFiles files;
    core::Status of_negation;  // an error that ends the evaluation
    if (!check->elaborates) {
      NotTried(*check, result);
      if (check->crashed) check.reset();  // it is asked again in the next run
    } else {
      auto ended = co_await MakeAttempts(problem, first, result, files);
      if (ended && *ended && options_.or_disprove) {
        ended = co_await TryNegation(problem, run, result, files);
        // A proof that was accepted is kept, whatever becomes of the negation.
        if (!ended && result.proved > 0) of_negation = core::Fail(ended.error());
        if (result.proved > 0) ended = true;
      }
      if (!ended || !*ended) without_result_ += result.cost;
      if (!ended) co_return core::Fail(ended.error());
      if (!*ended) co_return core::Status();
    }
    if (!result.verdict) result.verdict = VerdictOf(result.outcome);
    result.ended = UtcNow();
    const Cost spent = result.cost;
    AddEarlier(result);
    auto stored = files.text.empty() ? core::Status() : listener_.Keep(result, files);
    if (stored) stored = log_.Append(result);
    if (!stored) {
      without_result_ += spent;
      co_return stored;
    }
    results_.insert_or_assign(ResultKey(problem.name, run), result);
    listener_.Finished(result);
    co_return of_negation;
  }

  /// What an attempt cost that Lean could not judge was paid for, too.
  void AddEarlier(ProblemResult& result) const {
    const auto before = results_.find(ResultKey(result.problem, result.run));
    if (before == results_.end()) return;
    result.cost += before->second.cost;
    AddUse(before->second.models, before->second.lean_by_role, result);
  }

  static void AddUse(const std::map<std::string, ModelUse>& models,
                     const std::optional<lean::UseByRole>& lean, ProblemResult& result) {
    for (const auto& [name, use] : models) result.models[name] += use;
    if (!lean) return;
    if (!result.lean_by_role) result.lean_by_role.emplace();
    lean::Add(*lean, *result.lean_by_role);
  }

  static void NotTried(const StatementCheck& check, ProblemResult& result) {
    result.message = check.why;
    result.outcome = check.crashed ? ProblemStatus::kUnverified : ProblemStatus::kInvalid;
    if (check.crashed) result.verdict = Name(engine::Outcome::kCrashed);
  }

  /// False if it was interrupted, so that there is no result.
  Task<Result<bool>> MakeAttempts(const Problem& problem, AttemptNumber number,
                                  ProblemResult& result, ProofFiles& files) {
    int64_t checks = 0;
    const std::vector<syntax::FileConstant> imported = ImportedBy(problem);
    for (number.nth = 0; number.nth < budget_.attempts; ++number.nth) {
      auto attempt = co_await Attempt(problem, imported, number);
      if (!attempt) co_return core::Fail(attempt.error());
      result.cost += attempt->cost;
      checks += attempt->checks;
      AddUse(attempt->models, attempt->lean_by_role, result);
      NoteAnswers(attempt->models);
      if (attempt->error) {
        const core::Error& error = *attempt->error;
        if (stopped_) co_return HasEnough(result);
        if (error.code == ErrorCode::kRefused && answered_ && ++refusals_ < kMostRefusals) {
          ++result.attempts;
          if (result.proved == 0) result.message = error.message;
          continue;
        }
        if (error.code == ErrorCode::kEnvironment || error.code == ErrorCode::kUsage ||
            error.code == ErrorCode::kRefused) {
          co_return core::Fail(error);
        }
        // Lean could not judge, which is neither a proof nor a failure to find one.
        if (result.proved > 0) break;
        result.outcome = ProblemStatus::kUnverified;
        result.verdict = Name(engine::OutcomeOf(error));
        result.message = error.message;
        co_return true;
      }
      if (attempt->interrupted && !attempt->proved) co_return HasEnough(result);
      ++result.attempts;
      if (attempt->proved) Proved(*attempt, checks, result, files);
      if (result.proved == 0) {
        result.message = attempt->message;
        if (!attempt->attempt.empty()) result.attempt = attempt->attempt;
      }
      if (HasEnough(result)) break;
      if (stopped_) co_return result.attempts == budget_.attempts;
    }
    co_return true;
  }

  /// Whether further attempts at a problem would not change what is reported. Fewer attempts at one
  /// problem than at the others lower the k up to which pass@k can be given for all.
  bool HasEnough(const ProblemResult& result) const {
    return result.proved > 0 && !options_.all_attempts;
  }

  /// Searches for a proof of the negation, too. False if it was interrupted.
  Task<Result<bool>> TryNegation(const Problem& problem, size_t run, ProblemResult& result,
                                 ProofFiles& files) {
    NegationResult found;
    std::optional<std::string> why;  // the verdict on the negation, if it was not judged
    ProofFiles disproof;
    const auto negation = NegationOf(problem);
    if (!negation) {
      found.outcome = ProblemStatus::kInvalid;
      found.message = negation.error().message;
    } else {
      found.statement = negation->statement;
      const auto checked = co_await CheckStatement(pool_, *negation, options_.statement_limit);
      if (!checked && checked.error().code == ErrorCode::kCancelled) co_return false;
      if (!checked) co_return core::Fail(checked.error());
      ProblemResult side;
      if (!checked->elaborates) {
        NotTried(*checked, side);
      } else {
        AttemptNumber first;
        first.run = run;
        first.negation = true;
        const auto ended = co_await MakeAttempts(*negation, first, side, disproof);
        if (!ended || !*ended) {
          result.cost += side.cost;
          AddUse(side.models, side.lean_by_role, result);
        }
        if (!ended) co_return core::Fail(ended.error());
        if (!*ended) co_return false;
      }
      AddUse(side.models, side.lean_by_role, result);
      why = side.verdict;
      static_cast<SearchResult&>(found) = side;
    }
    AddNegation(std::move(found), result);
    if (result.outcome == ProblemStatus::kUnverified && why) result.verdict = why;
    if (result.outcome == ProblemStatus::kDisproved) result.verdict.reset();
    if (result.outcome == ProblemStatus::kDisproved) files = std::move(disproof);
    co_return true;
  }

  /// `checks`: of this attempt and those before it.
  static void Proved(const AttemptResult& attempt, int64_t checks, ProblemResult& result,
                     ProofFiles& files) {
    if (result.proved++ > 0) return;
    result.outcome = ProblemStatus::kProved;
    result.to_proof = result.cost;
    result.checks_to_proof = checks;
    result.models_to_proof = result.models;
    result.proof = attempt.proof;
    result.axioms = attempt.axioms;
    result.kernels = attempt.kernels;
    result.attempt.clear();
    result.message.clear();
    files = attempt.files;
  }

  uint64_t SeedOf(const AttemptNumber& number) const {
    const size_t run = number.run + (number.negation ? options_.runs : 0);
    return options_.seed + ((run - 1) * budget_.attempts + number.nth) * kSeedsPerAttempt;
  }

  /// Null if attempts are not recorded.
  Result<std::unique_ptr<AttemptRecord>> BeginRecord(const Problem& problem,
                                                     const AttemptNumber& number) const {
    if (options_.recording.folder.empty()) return nullptr;
    nlohmann::json request{{"verb", "eval"},
                           {"problem", problem.name},
                           {"run", number.run},
                           {"attempt", number.nth + 1},
                           {"seed", SeedOf(number)},
                           {"budget", ToText(budget_)},
                           {"strategy", options_.strategy}};
    if (number.negation) request["negation"] = true;
    return AttemptRecord::Begin(executor_, options_.recording, toolchain_,
                                {.name = problem.name + (number.negation ? ".negation" : ""),
                                 .text = problem.Text(),
                                 .request = std::move(request)});
  }

  Task<Result<AttemptResult>> Attempt(const Problem& problem,
                                      const std::vector<syntax::FileConstant>& imported,
                                      AttemptNumber number) {
    const uint64_t seed = SeedOf(number);
    const auto record = BeginRecord(problem, number);
    if (!record) co_return core::Fail(record.error());
    record::RunJournal* const journal = *record ? &(*record)->journal() : nullptr;
    std::unique_ptr<engine::Models> models;
    if (options_.make_models) {
      auto made = options_.make_models(budget_, seed, journal);
      if (!made && *record) static_cast<void>((*record)->End(nullptr));
      if (!made) co_return core::Fail(made.error());
      models = std::move(*made);
    }
    core::Cancellation cancellation;
    attempts_.push_back(&cancellation);
    AttemptListener listener(listener_, problem);
    lean::Checker* const lean = refusing_ ? refusing_.get() : static_cast<lean::Checker*>(&pool_);
    AttemptWatcher watcher(*lean, states_.get(), problem);
    auto request = RequestFor(problem, number.nth, seed, watcher, models.get());
    request.imported = imported;
    request.journal = journal;
    request.records_steps = false;
    if (*record) (*record)->on_lost = [&cancellation] { cancellation.Request(); };
    const auto limit = budget_.samples;
    bool used_up = false;
    if (limit && !models) {
      watcher.on_candidates = [&used_up, &cancellation, limit](uint64_t candidates) {
        used_up = candidates >= static_cast<uint64_t>(*limit);
        if (used_up) cancellation.Request();
      };
    }
    const auto proved =
        co_await engine::ProveFile(toolchain_, std::move(request), listener, cancellation);
    attempts_.remove(&cancellation);
    AttemptResult result;
    if (proved) {
      result = Read(*proved, problem);
    } else {
      result.error = proved.error();
    }
    if (*record) {
      const auto ended = (*record)->End(proved ? &*proved : nullptr);
      if (!ended) result.error = ended.error();
    }
    if (models) AddUse(*models, result);
    result.lean_by_role = watcher.by_role();
    if (!result.proved) result.attempt = watcher.best();
    result.interrupted = stopped_;
    if (used_up && !result.proved) result.message = "no proof within the sample budget";
    co_return result;
  }

  /// Several attempts divide a mixture of prompts among them: (8 + 8) x 6400 of
  /// DeepSeek-Prover-V1.5, section 5.1 and table 4.
  engine::ProveRequest RequestFor(const Problem& problem, size_t nth, uint64_t seed,
                                  AttemptWatcher& watcher, engine::Models* models) const {
    engine::ProveRequest request;
    request.text = problem.Text();
    request.theorems = {problem.theorem};
    request.lean = &watcher;
    if (states_) request.states = &watcher;
    request.models = models;
    if (budget_.attempts > 1) request.search = nth;
    request.builtin = options_.builtin;
    request.premises = options_.premises;
    request.learned = options_.learned;
    request.learns = options_.learns;
    request.no_namesakes = true;
    request.place = problem.source.file;
    request.time_per_theorem = core::FromSeconds(budget_.seconds.value_or(kForever));
    request.strategy = options_.strategy;
    strategy::EvaluatedAttempt attempt;
    attempt.seed = seed;
    attempt.alone = budget_.attempts == 1;
    attempt.samples = budget_.samples;
    attempt.time = request.time_per_theorem;
    attempt.timed = budget_.seconds.has_value();
    attempt.one_call_at_a_time = options_.one_call_at_a_time;
    attempt.has_models = models != nullptr;
    strategy::Fit(attempt, request.strategy);
    return request;
  }

  std::vector<syntax::FileConstant> ImportedBy(const Problem& problem) const {
    if (!options_.builtin || options_.dataset.empty()) return {};
    std::error_code ignored;
    const bool is_folder = std::filesystem::is_directory(options_.dataset, ignored);
    return engine::ReadImported(
        is_folder ? options_.dataset / problem.source.file : options_.dataset, problem.Text());
  }

  /// Whether a hole belongs to the theorem "t": "t", "t.h₁", "t (line 7)", but not "N.t".
  static bool IsOf(const std::string& theorem, const std::string& hole) {
    return hole == theorem || hole.starts_with(theorem + ".") ||
           hole.starts_with(theorem + " (line ");
  }

  /// A theorem can have several holes; it is proved if all of them are.
  static AttemptResult Read(const engine::ProveResult& proved, const Problem& problem) {
    AttemptResult result;
    size_t holes = 0;
    for (const engine::TheoremResult& hole : proved.theorems) {
      if (!IsOf(problem.theorem, hole.name)) continue;
      if (holes++ == 0) result.proved = true;
      const bool done = hole.status == engine::TheoremStatus::kProved;
      result.proved = result.proved && done;
      result.cost.seconds += hole.seconds;
      result.cost.samples += static_cast<int64_t>(hole.samples);
      result.checks += static_cast<int64_t>(hole.checks);
      if (!result.proof.empty()) result.proof += "\n";
      if (!hole.auxiliary.empty()) result.proof += hole.auxiliary + "\n\n";
      result.proof += hole.proof;
      if (!done && result.message.empty()) result.message = hole.message;
      result.axioms = hole.axioms;
      result.kernels = engine::AcceptingKernels(hole.kernels);
    }
    if (holes == 0) result.message = "there is no sorry in " + problem.theorem;
    if (result.proved) result.files = {proved.text, proved.receipt};
    if (!result.proved) result.proof.clear();
    return result;
  }

  void AddUse(const engine::Models& models, AttemptResult& result) const {
    const llm::Spending& total = models.budget().total();
    result.cost.samples = total.samples;
    result.cost.tokens = total.tokens();
    result.cost.dollars = total.dollars;
    if (strategy::ChosenStrategy(options_.strategy).needs().AsksByRole()) {
      for (const auto& [role, members] : models.budget().roles()) {
        for (const auto& [name, spent] : members) {
          if (spent.calls > 0) result.models[name + ": " + role] = ModelUse{role, spent};
        }
      }
      return;
    }
    for (const auto& [name, spent] : models.budget().models()) {
      if (spent.calls == 0) continue;
      const auto role = options_.roles.find(name);
      result.models[name] = {role == options_.roles.end() ? "model" : role->second, spent};
    }
  }

  const core::Executor executor_;
  const lean::Toolchain& toolchain_;
  const std::vector<Problem>& problems_;
  const RunnerOptions options_;
  const AttemptBudget budget_;  // of an attempt at a statement, or at its negation
  Results& results_;
  ResultLog& log_;
  RunnerListener& listener_;
  lean::Pool pool_;
  const std::unique_ptr<lean::LateStateServer> states_;  // null: not used
  const std::unique_ptr<lean::StateChecker> refusing_;   // by states_

  std::vector<std::pair<size_t, size_t>> work_;        // index of the problem, run
  size_t next_ = 0;                                    // of work_
  std::vector<std::optional<StatementCheck>> checks_;  // by problem
  std::list<core::Cancellation*> attempts_;            // running attempts
  bool stopped_ = false;
  bool answered_ = false;  // a model did, so its server does not refuse everything
  size_t refusals_ = 0;    // since a model's last answer
  std::optional<core::Error> error_;
  Cost without_result_;
  const core::Cancellation::Subscription on_stop_;
};

}  // namespace

Task<RunnerReport> RunProblems(const lean::Toolchain& toolchain,
                               const std::vector<Problem>& problems, RunnerOptions options,
                               Results& results, ResultLog& log, RunnerListener& listener,
                               core::Cancellation& cancellation) {
  const auto executor = co_await boost::asio::this_coro::executor;
  Runner runner(executor, toolchain, problems, std::move(options), results, log, listener,
                cancellation);
  co_return co_await runner.Run();
}

}  // namespace zermelo::eval
