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
#include "engine/prove_file.h"
#include "lean/pool.h"
#include "retrieve/retriever.h"
#include "serve/http/gate.h"
#include "serve/mcp/answer.h"

namespace zermelo::serve::mcp {

/// What a job may spend besides time, and on which models.
struct ProofBudget {
  std::vector<std::string> models;  // names in the configuration; empty: the server's default
  std::optional<int64_t> samples, tokens;
  std::optional<double> dollars;
  std::string strategy;  // empty: as configured
};

/// The resources of one job.
struct ProofMeans {
  strategy::StrategyParameters strategy;
  std::unique_ptr<engine::Models> models;         // null: none
  std::shared_ptr<retrieve::Retriever> premises;  // null: none
  std::vector<std::string> axioms;                // allowed in proofs
  trust::KernelUse kernel = trust::KernelUse::kOn;
  bool builtin = true;  // use the built-in policy
};

struct JobsOptions {
  size_t at_once = 1;                                   // jobs that run at once; others are queued
  size_t waiting = 64;                                  // maximum number of queued jobs
  size_t kept = 256;                                    // ended jobs kept; older ones are dropped
  core::Duration room_wait = std::chrono::minutes(10);  // for the verdict's two processes
  /// Creates the resources of a job. Errors: those of Models::Create; an unknown strategy.
  std::function<core::Result<ProofMeans>(const Source&, const ProofBudget&)> means;
};

/// The tools for proof jobs. Arguments must fit their schemas (tools.json).
class Jobs {
 public:
  /// `projects` and `pool` must outlive this object.
  Jobs(core::Executor executor, Projects& projects, lean::Pool& pool, JobsOptions options);
  ~Jobs();

  core::Task<ToolAnswer> Start(nlohmann::json arguments, core::Cancellation& cancellation);
  core::Task<ToolAnswer> Status(nlohmann::json arguments, core::Cancellation& cancellation);
  core::Task<ToolAnswer> Result(nlohmann::json arguments, core::Cancellation& cancellation);
  core::Task<ToolAnswer> Cancel(nlohmann::json arguments, core::Cancellation& cancellation);
  /// Returns when the search has ended.
  core::Task<ToolAnswer> Disprove(nlohmann::json arguments, core::Cancellation& cancellation);

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
  core::Result<std::shared_ptr<Job>> Begin(Source source, std::string text,
                                           std::vector<std::string> theorems,
                                           const nlohmann::json& arguments);
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
  Gate places_;
  core::TaskGroup group_;
  std::map<std::string, std::shared_ptr<Job>> jobs_;  // by handle
  std::list<std::string> ended_;                      // handles, oldest first
  bool closed_ = false;
};

}  // namespace zermelo::serve::mcp
