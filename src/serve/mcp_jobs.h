// Proofs that take their time: started, looked at, cancelled by a handle.
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
#include "serve/gate.h"
#include "serve/mcp_answer.h"

namespace zermelo::serve::mcp {

/// What a job may spend beside its time, and on whom.
struct ProofBudget {
  std::vector<std::string> models;  // of the configuration; empty: as the server was started
  std::optional<int64_t> samples, tokens;
  std::optional<double> dollars;
  std::string strategy;  // empty: as configured
};

/// What a job proves with.
struct ProofMeans {
  engine::StrategyParameters strategy;
  std::unique_ptr<engine::Models> models;  // null: none
  std::shared_ptr<retrieve::Retriever> premises;
  std::vector<std::string> axioms;
  bool builtin = true;
};

struct JobsOptions {
  size_t at_once = 1;                                   // jobs that run; the others wait in order
  size_t waiting = 64;                                  // more are refused
  size_t kept = 256;                                    // that have ended; older ones are forgotten
  core::Duration room_wait = std::chrono::minutes(10);  // for the verdict's two processes
  /// For a file or text. Errors: as Models::Create's and a strategy's that is not there.
  std::function<core::Result<ProofMeans>(const Source&, const ProofBudget&)> means;
};

/// Arguments fit their schemas (mcp_tools.cc).
class Jobs {
 public:
  /// `projects` and `pool` must outlive it.
  Jobs(core::Executor executor, Projects& projects, lean::Pool& pool, JobsOptions options);
  ~Jobs();

  core::Task<ToolAnswer> Start(nlohmann::json arguments, core::Cancellation& cancellation);
  core::Task<ToolAnswer> Status(nlohmann::json arguments, core::Cancellation& cancellation);
  core::Task<ToolAnswer> Result(nlohmann::json arguments, core::Cancellation& cancellation);
  core::Task<ToolAnswer> Cancel(nlohmann::json arguments, core::Cancellation& cancellation);
  /// Answers when it has ended.
  core::Task<ToolAnswer> Disprove(nlohmann::json arguments, core::Cancellation& cancellation);

  /// Cancels everything and waits for its end; must be called before the end of this object.
  core::Task<void> Close();
  size_t running() const;

 private:
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
  std::list<std::string> ended_;                      // handles, the oldest first
  bool closed_ = false;
};

}  // namespace zermelo::serve::mcp
