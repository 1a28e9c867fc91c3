// The tools of an agent (Seed-Prover 1.5, arXiv 2512.17260, section 3.1): Lean verification one
// lemma at a time, search of the library, Python.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/async.h"
#include "strategy/agent/conversation.h"
#include "strategy/agent/tool_call.h"
#include "strategy/proof/submission.h"
#include "strategy/statement_prover.h"

namespace zermelo::strategy::agent {

struct ToolLimits {
  core::Duration check = std::chrono::seconds(60);  // Lean time per call
  size_t premises = 10;                             // results per search
  core::Duration python_time = std::chrono::seconds(20);
  uint64_t python_memory = 512ULL << 20U;  // bytes; 0: no Python
  size_t answer_bytes = 6000;              // longer answers are cut in the middle
};

/// Shared by the trajectories of one task: a lemma proved in one of them precedes later checks in
/// all of them. All calls on one executor; they may overlap.
class Toolbox {
 public:
  /// The session and the task must outlive it. `task.known` must not be null.
  Toolbox(Session& session, const StatementTask& task, ToolLimits tool_limits);

  /// The available tools; verify_lean always is.
  const std::vector<ToolKind>& offered() const { return offered_; }

  /// Performs the calls of one turn concurrently; a check that needs a declaration of an earlier
  /// call waits for it. `by`: the calling trajectory and round.
  core::Task<std::vector<ToolResult>> Perform(std::vector<ToolCall> calls, std::string by);

  /// The proved statement or negation.
  struct Finish {
    bool negated = false;
    ProvedLemma lemma;
  };
  const std::optional<Finish>& finish() const { return finish_; }
  /// Number of calls so far.
  uint64_t calls() const { return calls_; }

 private:
  struct Turn;
  core::Task<void> PerformOne(Turn& turn, size_t i, std::string by);
  core::Task<void> Verify(Turn& turn, size_t i, std::string by);
  core::Task<void> Search(ToolResult& result);
  core::Task<void> Compute(ToolResult& result);

  std::optional<std::string> RefusalReason(const Submission& submission) const;
  const Declared& theorem() const { return targets_.front(); }
  const Declared& negation() const { return targets_.back(); }
  bool AnswerFromMemory(const Submission& submission, ToolResult& result) const;
  void Keep(const Submission& submission, const std::string& by, ToolResult& result);
  const Declared* TargetIn(const Submission& submission, const Declared& target) const;

  Session& session_;
  const StatementTask& task_;
  LemmaStore& known_;
  const ToolLimits tool_limits_;
  /// The theorem and its negation, which has no name if disproving is not allowed.
  const std::array<Declared, 2> targets_;
  std::vector<ToolKind> offered_;
  std::optional<Finish> finish_;
  uint64_t calls_ = 0;
};

}  // namespace zermelo::strategy::agent
