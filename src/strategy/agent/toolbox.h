// What an agent's tools do (Seed-Prover 1.5, arXiv 2512.17260, section 3.1): Lean verification one
// lemma at a time, search of the library, Python.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/async.h"
#include "strategy/agent/conversation.h"
#include "strategy/agent/tool_call.h"
#include "strategy/statement_prover.h"
#include "strategy/strategy.h"
#include "strategy/submission.h"

namespace zermelo::strategy::agent {

struct ToolLimits {
  core::Duration check = std::chrono::seconds(60);  // Lean, for one call
  size_t premises = 10;                             // that a search tells
  core::Duration python_time = std::chrono::seconds(20);
  uint64_t python_memory = 512ULL << 20U;  // bytes; 0: no Python
  size_t answer_bytes = 6000;              // longer answers are cut in the middle
};

/// Shared by the trajectories of one task: what one of them proves stands before the next check of
/// each. One executor; calls may overlap.
class Toolbox {
 public:
  /// All but `limits` must outlive it. `task.known` may not be null.
  Toolbox(const Environment& environment, const StatementTask& task, ToolLimits tool_limits,
          Limits limits);

  /// Those that somebody is there to do: verify_lean always.
  const std::vector<ToolKind>& offered() const { return offered_; }

  /// Does what was asked for in one turn, side by side; a check that needs what another of the same
  /// turn declares waits for it. `by` is who asks.
  core::Task<std::vector<ToolResult>> Perform(std::vector<ToolCall> calls, std::string by);

  /// The statement or its negation, as Lean accepted it.
  struct Finish {
    bool negated = false;
    std::string text;
    std::string by;
  };
  const std::optional<Finish>& finish() const { return finish_; }
  /// The first error that ends the run.
  const std::optional<core::Error>& error() const { return error_; }
  /// Calls so far.
  uint64_t calls() const { return calls_; }

 private:
  struct Turn;
  core::Task<void> PerformOne(Turn& turn, size_t i, std::string by);
  core::Task<void> Verify(Turn& turn, size_t i, std::string by);
  core::Task<void> Search(ToolResult& result);
  core::Task<void> Compute(ToolResult& result);

  std::optional<std::string> WhyNotTaken(const Submission& submission) const;
  std::string WithTargetsHead(const std::string& code) const;
  bool AnswerFromMemory(const Submission& submission, ToolResult& result) const;
  void Keep(const Submission& submission, const std::string& by, ToolResult& result);
  const Declared* TargetIn(const Submission& submission, const Declared& target) const;

  const Environment& environment_;
  const StatementTask& task_;
  LemmaMemory& known_;
  const ToolLimits tool_limits_;
  const Limits limits_;
  const Declared theorem_;
  const Declared negation_;  // without a name: it may not be proved instead
  std::vector<ToolKind> offered_;
  std::optional<Finish> finish_;
  std::optional<core::Error> error_;
  uint64_t calls_ = 0;
};

}  // namespace zermelo::strategy::agent
