// Long-running proof jobs: started, inspected and cancelled by handle.
#pragma once

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/async.h"
#include "core/config.h"
#include "core/gate.h"
#include "engine/learning.h"
#include "engine/prove_file.h"
#include "lean/pool.h"
#include "retrieve/retriever.h"
#include "serve/mcp/answer.h"

namespace zermelo::serve::mcp {

/// What a job may spend besides time, and on which models.
struct ProofBudget {
  std::vector<std::string> models;  // names in the configuration; empty: the server's default
  core::BudgetConfig limits;
  std::string strategy;  // empty: as configured
};

/// The resources of one job.
struct ProofMeans {
  strategy::StrategyParameters strategy;
  std::unique_ptr<engine::Models> models;         // null: none
  std::shared_ptr<retrieve::Retriever> premises;  // null: none
  std::vector<std::string> axioms;                // allowed in proofs
  trust::KernelUse kernel = trust::KernelUse::kOn;
  bool builtin = true;        // use the built-in policy
  bool states = false;        // use a state server (docs/state-server.md), if there is room for it
  engine::Learning learning;  // what it has learned
};

/// What a job is to prove.
struct JobRequest {
  Source source;
  std::filesystem::path file;         // absolute; that has the text; empty: a text that was sent
  std::string text;                   // to prove: that of the source, or one with a negation
  std::vector<std::string> theorems;  // by name; empty: all
  std::optional<size_t> hole;         // the byte at which the only `sorry` to prove begins
  double seconds = 60;                // for each `sorry`
  ProofBudget budget;
};

/// A theorem's negation.
struct Negation {
  std::string statement;  // `theorem … : ¬ …`, without a value
  std::string name;
  std::string text;  // the file up to the theorem, and the negation, to be proved
};
/// Errors: as syntax::NegationOf.
core::Result<Negation> NegationIn(const std::string& text, const syntax::Declaration& theorem);

struct JobProgress {
  std::string phase;   // "proving t (1 of 2)"
  std::string trying;  // a tactic; may be empty
  double seconds = 0;  // since it was queued
  size_t found = 0;    // proofs, not yet verified
  std::string spent;   // on models, once it has ended; may be empty
  std::shared_ptr<const core::Result<engine::ProveResult>> outcome;  // null: it has not ended
};

/// What becomes of the proofs that a job has found when it is asked to end.
enum class Found : uint8_t {
  kKeep,  // they are still verified, and are in its outcome
  kDrop,  // the outcome is kCancelled
};

/// Proof jobs, for callers within the program.
class ProofJobs {
 public:
  virtual ~ProofJobs() = default;
  /// Starts a job and returns its handle. Errors: kCancelled (the server is stopping), kEnvironment
  /// (too many jobs).
  virtual core::Result<std::string> Begin(JobRequest request) = 0;
  /// Returns when the job has ended, or after `time`; nothing if no job has this handle.
  virtual core::Task<std::optional<JobProgress>> Watch(std::string handle, core::Duration time) = 0;
  /// Asks a job to end soon. One that keeps its proofs can be asked to drop them, too.
  virtual void RequestEnd(const std::string& handle, Found found) = 0;
};

struct JobsOptions {
  size_t at_once = 1;                                   // jobs that run at once; others are queued
  size_t waiting = 64;                                  // maximum number of queued jobs
  size_t kept = 256;                                    // ended jobs kept; older ones are dropped
  core::Duration room_wait = std::chrono::minutes(10);  // for the verdict's two processes
  /// Called when a job begins to run, for the place of what is not a job's; the result is kept
  /// until it ends. May be null.
  std::function<std::shared_ptr<void>()> claim_place;
  /// Creates the resources of a job. Errors: those of Models::Create; an unknown strategy.
  std::function<core::Result<ProofMeans>(const JobRequest&)> means;
};

/// The tools for proof jobs. Arguments must fit their schemas (tools.json).
class Jobs : public ProofJobs {
 public:
  /// `projects` and `pool` must outlive this object.
  Jobs(core::Executor executor, Projects& projects, lean::Pool& pool, JobsOptions options);
  ~Jobs() override;

  core::Task<ToolAnswer> Start(nlohmann::json arguments, core::Cancellation& cancellation);
  core::Task<ToolAnswer> Status(nlohmann::json arguments, core::Cancellation& cancellation);
  core::Task<ToolAnswer> Result(nlohmann::json arguments, core::Cancellation& cancellation);
  core::Task<ToolAnswer> Cancel(nlohmann::json arguments, core::Cancellation& cancellation);
  /// Returns when the search has ended.
  core::Task<ToolAnswer> Disprove(nlohmann::json arguments, core::Cancellation& cancellation);

  core::Result<std::string> Begin(JobRequest request) override;
  core::Task<std::optional<JobProgress>> Watch(std::string handle, core::Duration time) override;
  void RequestEnd(const std::string& handle, Found found) override;

  /// Cancels all jobs and waits for them; must be called before destruction.
  core::Task<void> Close();
  /// Jobs that are running or queued.
  size_t running() const;

 private:
  /// A job moves down only; one that is cancelled early never runs.
  ///
  ///     kQueued ───► kRunning ───► kEnded: finished, failed or cancelled
  ///        └─────────────────────────▲
  enum class Stage : uint8_t { kQueued, kRunning, kEnded };
  struct Job;
  core::Result<std::shared_ptr<Job>> Launch(JobRequest request);
  static JobProgress Progress(const std::shared_ptr<Job>& job);
  core::Task<void> Run(std::shared_ptr<Job> job);
  core::Task<core::Result<engine::ProveResult>> Prove(Job& job);
  core::Result<std::shared_ptr<Job>> Find(const nlohmann::json& arguments) const;
  core::Task<void> WaitFor(std::shared_ptr<Job> job, core::Duration time,
                           core::Cancellation& cancellation);
  void Forget();

  const core::Executor executor_;
  Projects& projects_;
  lean::Pool& pool_;
  const JobsOptions options_;
  core::Gate places_;
  core::TaskGroup group_;
  std::map<std::string, std::shared_ptr<Job>> jobs_;  // by handle
  std::list<std::string> ended_;                      // handles, oldest first
  bool closed_ = false;
};

}  // namespace zermelo::serve::mcp
