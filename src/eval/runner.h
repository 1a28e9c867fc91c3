// Runs the problems of a dataset, several at once, on one pool of Lean processes.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/async.h"
#include "core/cancellation.h"
#include "core/error.h"
#include "engine/models/models.h"
#include "eval/attempt_record.h"
#include "eval/budget.h"
#include "eval/record.h"
#include "eval/result_log.h"
#include "lean/pool.h"
#include "lean/toolchain.h"
#include "learn/knowledge.h"
#include "retrieve/retriever.h"
#include "strategy/registry.h"

namespace zermelo::eval {

struct RunnerOptions {
  AttemptBudget budget;
  strategy::StrategyParameters strategy;
  bool builtin = true;  // the built-in policy proposes tactics
  size_t runs = 1;
  size_t jobs = 2;            // problems worked on concurrently
  size_t workers = 2;         // Lean processes for searching, shared by the jobs
  lean::PoolOptions pool;     // of these processes, except how many
  bool states = false;        // as many state servers, shared by the jobs (docs/state-server.md)
  uint64_t seed = 1;          // first seed; every attempt has its own range of seeds
  bool all_attempts = false;  // continue after the first proof, for pass@k
  bool or_disprove = false;   // try the statement and its negation, each with half the budget
  core::Duration statement_limit = std::chrono::minutes(5);
  /// Creates the models for one attempt, with their own budget; null: no models. The journal may be
  /// null.
  std::function<core::Result<std::unique_ptr<engine::Models>>(const AttemptBudget&, uint64_t seed,
                                                              record::RunJournal*)>
      make_models;
  AttemptRecording recording;
  bool one_call_at_a_time = false;           // for a replay, which needs the recorded order
  std::map<std::string, std::string> roles;  // role by model name
  /// The dataset's file or folder, from which the built-in policy reads what the problems import of
  /// their own project; empty: nothing.
  std::filesystem::path dataset;
  retrieve::Retriever* premises = nullptr;  // searches the library; must outlive the run
  learn::Knowledge* learned = nullptr;      // as for engine::ProveRequest
  bool learns = false;                      // later problems learn from the proofs of earlier ones
};

/// Called on the executor's thread; must not block.
class RunnerListener {
 public:
  virtual ~RunnerListener() = default;
  virtual void Started(const Problem& problem, size_t run) = 0;
  virtual void Trying(const Problem& problem, const std::string& tactic) = 0;
  /// Keeps the proof of `result`, which is not in the log yet. An error ends the evaluation, and a
  /// resumed one works on the problem again.
  virtual core::Status Keep(const ProblemResult& result, const ProofFiles& files) = 0;
  /// The result has been appended to the log.
  virtual void Finished(const ProblemResult& result) = 0;
};

struct RunnerReport {
  uint64_t lean_checks = 0;  // documents that the pool elaborated
  double lean_seconds = 0;   // of the session
  Cost without_result;  // spent on problems whose attempts were interrupted or ended in `error`
  std::optional<core::Error> error;  // that ended the evaluation
};

/// Works on every problem and run without a finished result in `results`, run by run, and adds the
/// new results to `results` and `log`. An interrupted problem leaves no result, unless its proof
/// has been found and no further attempts at it are wanted. kEnvironment, kUsage and kRefused from
/// Lean or the models end the evaluation; finished results are in the log.
core::Task<RunnerReport> RunProblems(const lean::Toolchain& toolchain,
                                     const std::vector<Problem>& problems, RunnerOptions options,
                                     Results& results, ResultLog& log, RunnerListener& listener,
                                     core::Cancellation& cancellation);

}  // namespace zermelo::eval
