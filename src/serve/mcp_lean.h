// What Lean says about a file or a text, as answers to coding agents (docs/mcp.md).
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/async.h"
#include "core/cancellation.h"
#include "lean/pool.h"
#include "retrieve/retriever.h"
#include "serve/mcp_answer.h"

namespace zermelo::serve::mcp {

struct LeanToolsOptions {
  core::Duration max_wait = std::chrono::minutes(2);  // for a worker
  /// Axioms that proofs near a place may use.
  std::function<core::Result<std::vector<std::string>>(const std::filesystem::path&)> axioms;
  /// The premises of a project's library; null: there is no search.
  std::function<core::Result<std::shared_ptr<retrieve::Retriever>>(const Project&)> premises;
};

/// The tools that answer at once. Arguments fit their schemas (mcp_tools.cc).
class LeanTools {
 public:
  /// `projects` and `pool` must outlive it.
  LeanTools(core::Executor executor, Projects& projects, lean::Pool& pool, LeanToolsOptions options)
      : executor_(std::move(executor)),
        projects_(projects),
        pool_(pool),
        options_(std::move(options)) {}

  core::Task<ToolAnswer> Check(nlohmann::json arguments, core::Cancellation& cancellation);
  core::Task<ToolAnswer> Goals(nlohmann::json arguments, core::Cancellation& cancellation);
  core::Task<ToolAnswer> TryProofs(nlohmann::json arguments, core::Cancellation& cancellation);
  core::Task<ToolAnswer> Verdict(nlohmann::json arguments, core::Cancellation& cancellation);
  core::Task<ToolAnswer> SearchPremises(nlohmann::json arguments, core::Cancellation& cancellation);

 private:
  /// `limit` counts from when a worker has the text.
  core::Task<core::Result<lean::CheckResult>> Ask(const Source& source, lean::CheckRequest request,
                                                  core::Duration limit,
                                                  core::Cancellation& cancellation);
  core::Task<nlohmann::json> Attempt(const Source& source, const HolePlace& place,
                                     std::string proof, core::Duration limit,
                                     core::Cancellation& cancellation);

  const core::Executor executor_;
  Projects& projects_;
  lean::Pool& pool_;
  const LeanToolsOptions options_;
};

}  // namespace zermelo::serve::mcp
