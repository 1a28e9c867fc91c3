// Runs the problems of a dataset, several at once, on one pool of Lean processes.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/async.h"
#include "core/cancellation.h"
#include "core/error.h"
#include "engine/models.h"
#include "engine/strategies.h"
#include "eval/budget.h"
#include "eval/record.h"
#include "eval/result_log.h"
#include "lean/toolchain.h"
#include "retrieve/retriever.h"

namespace zermelo::eval {

struct RunnerOptions {
  AttemptBudget budget;
  engine::StrategyParameters strategy;
  bool builtin = true;  // the built-in policy proposes tactics
  size_t runs = 1;
  size_t jobs = 2;            // problems at once
  size_t workers = 2;         // Lean processes that they search with, together
  uint64_t seed = 1;          // every attempt has seeds of its own, counted from it
  bool all_attempts = false;  // go on after the first proof, for pass@k
  core::Duration statement_limit = std::chrono::minutes(5);
  /// The models for one attempt, with a budget of their own; null: none.
  std::function<core::Result<std::unique_ptr<engine::Models>>(const AttemptBudget&, uint64_t seed)>
      make_models;
  bool one_call_at_a_time = false;           // a replay asks in the order of the record
  std::map<std::string, std::string> roles;  // by model: what it is asked for
  retrieve::Retriever* premises = nullptr;   // searches the library; must outlive the run
};

/// Called on the executor's thread; must not block.
class RunnerListener {
 public:
  virtual ~RunnerListener() = default;
  virtual void Started(const Problem& problem, size_t run) = 0;
  virtual void Trying(const Problem& problem, const std::string& tactic) = 0;
  /// After the result has been appended to the log. `text`: the file with the proof, if there is
  /// one.
  virtual void Finished(const ProblemResult& result, const std::string& text) = 0;
};

struct RunnerReport {
  uint64_t lean_checks = 0;  // documents that the pool elaborated
  double lean_seconds = 0;   // of the session
};

/// Works off what `results` does not hold, run after run, and adds to it and to `log`. An
/// interrupted problem leaves no result unless its proof had been found. Errors: kEnvironment and
/// kUsage of Lean or the models end everything; what was finished is in the log.
core::Task<core::Result<RunnerReport>> RunProblems(const lean::Toolchain& toolchain,
                                                   const std::vector<Problem>& problems,
                                                   RunnerOptions options, Results& results,
                                                   ResultLog& log, RunnerListener& listener,
                                                   core::Cancellation& cancellation);

}  // namespace zermelo::eval
