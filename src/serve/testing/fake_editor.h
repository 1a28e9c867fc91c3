// For tests only: an editor and proof jobs without Lean.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/files/file.h"
#include "core/testing/testing.h"
#include "lean/testing/fake_lean.h"
#include "serve/lsp/server.h"
#include "serve/mcp/jobs.h"
#include "serve/projects.h"

namespace zermelo::serve::lsp::testing {

/// Jobs that end when the test says so. Handles are "0", "1", ….
class FakeJobs : public mcp::ProofJobs {
 public:
  explicit FakeJobs(const core::Executor& executor) : ended_(executor) {}

  core::Result<std::string> Begin(mcp::JobRequest request) override {
    requests.push_back(std::move(request));
    outcomes_.emplace_back();
    return std::to_string(requests.size() - 1);
  }
  core::Task<std::optional<mcp::JobProgress>> Watch(std::string handle,
                                                    core::Duration time) override {
    const size_t job = std::stoul(handle);
    const core::Deadline deadline = core::Deadline::After(time);
    while (!outcomes_[job] && !deadline.Passed()) co_await ended_.Wait(deadline);
    mcp::JobProgress progress;
    progress.phase = "proving";
    progress.trying = "simp";
    progress.found = found;
    progress.outcome = outcomes_[job];
    co_return progress;
  }
  void RequestEnd(const std::string& handle, mcp::Found proofs) override {
    const bool keeps = proofs == mcp::Found::kKeep;
    ended.push_back(handle + (keeps ? "" : " dropped"));
    End(std::stoul(handle), keeps ? kept : core::Fail(core::ErrorCode::kCancelled, "cancelled"));
  }

  void End(size_t job, core::Result<engine::ProveResult> outcome) {
    outcomes_[job] = std::make_shared<const core::Result<engine::ProveResult>>(std::move(outcome));
    ended_.Notify();
  }

  std::vector<mcp::JobRequest> requests;
  std::vector<std::string> ended;           // handles
  size_t found = 0;                         // proofs, by a job that has not ended
  core::Result<engine::ProveResult> kept =  // of a job that is asked to end and keep its proofs
      core::Fail(core::ErrorCode::kCancelled, "cancelled");

 private:
  std::vector<std::shared_ptr<const core::Result<engine::ProveResult>>> outcomes_;
  core::Signal ended_;
};

inline nlohmann::json AllAbilities() {
  return {{"capabilities",
           {{"workspace",
             {{"applyEdit", true},
              {"workspaceEdit", {{"documentChanges", true}}},
              {"codeLens", {{"refreshSupport", true}}}}},
            {"window", {{"workDoneProgress", true}}},
            {"textDocument",
             {{"codeAction", {{"codeActionLiteralSupport", nlohmann::json::object()}}},
              {"hover", {{"contentFormat", {"markdown"}}}}}}}}};
}

}  // namespace zermelo::serve::lsp::testing
