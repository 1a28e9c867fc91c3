// Tools that check files and texts with Lean, for coding agents (docs/mcp.md).
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/async.h"
#include "core/cancellation.h"
#include "lean/pool.h"
#include "retrieve/retriever.h"
#include "serve/mcp/answer.h"
#include "serve/mcp/tool_states.h"
#include "trust/verdict.h"

namespace zermelo::serve::mcp {

struct LeanToolsOptions {
  core::Duration max_wait = std::chrono::minutes(2);  // for a worker
  /// Axioms that proofs in a folder may use.
  std::function<core::Result<std::vector<std::string>>(const std::filesystem::path&)> axioms;
  trust::KernelUse kernel = trust::KernelUse::kOn;  // Zermelo's, in verdicts
  /// The premises of a project's library; null: no premise search.
  std::function<core::Result<std::shared_ptr<retrieve::Retriever>>(const Project&)> premises;
  /// Whether a state server may be used for a text; null: none is.
  std::function<bool(const Source&)> states;
};

/// The tools that answer without a job. Arguments must fit their schemas (tools.json).
class LeanTools {
 public:
  /// `projects` and `pool` must outlive this object; call Close before it is destroyed.
  LeanTools(core::Executor executor, Projects& projects, lean::Pool& pool, LeanToolsOptions options)
      : executor_(std::move(executor)),
        projects_(projects),
        pool_(pool),
        options_(std::move(options)),
        states_(executor_, pool_) {}

  core::Task<ToolAnswer> Check(nlohmann::json arguments, core::Cancellation& cancellation);
  core::Task<ToolAnswer> Goals(nlohmann::json arguments, core::Cancellation& cancellation);
  core::Task<ToolAnswer> TryProofs(nlohmann::json arguments, core::Cancellation& cancellation);
  core::Task<ToolAnswer> Verdict(nlohmann::json arguments, core::Cancellation& cancellation);
  core::Task<ToolAnswer> SearchPremises(nlohmann::json arguments, core::Cancellation& cancellation);

  /// Stops the tools' state server, whose place in the pool is then free; as
  /// ToolStates::ClaimPlace.
  std::shared_ptr<void> ClaimPlace() { return states_.ClaimPlace(); }
  /// After the last call.
  core::Task<void> Close() { co_await states_.Close(); }

 private:
  /// Checks a text of `source`. `limit` counts from when a worker has the text.
  core::Task<core::Result<lean::CheckResult>> Ask(const Source& source, lean::CheckRequest request,
                                                  core::Duration limit,
                                                  core::Cancellation& cancellation, WorkerUse use);
  struct Attempts;
  core::Task<std::optional<lean::CheckResult>> AskWorker(Attempts& all, size_t i);
  core::Task<void> TryInStates(Attempts& all, lean::LateStateServer& states);
  core::Task<void> TryAll(Attempts& all);

  const core::Executor executor_;
  Projects& projects_;
  lean::Pool& pool_;
  const LeanToolsOptions options_;
  ToolStates states_;
};

}  // namespace zermelo::serve::mcp
