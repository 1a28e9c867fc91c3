// One run of the sketch workflow on one problem.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "strategy/sketch/blueprint.h"
#include "strategy/sketch/draft.h"
#include "strategy/sketch/plan.h"
#include "strategy/sketch/sketch.h"

namespace zermelo::strategy::sketch {

/// All calls on one executor. The arguments of the constructor must outlive this object.
class Workflow {
 public:
  Workflow(const Services& services, const Problem& problem, const SketchParameters& parameters,
           const SketchProvers& provers, const llm::PromptTemplates& prompts, Limits limits,
           core::Executor executor);

  core::Task<core::Result<SearchResult>> Run();

 private:
  /// The statements from the theorem down to the current one; lemmas must not repeat them.
  using Path = std::vector<size_t>;

  // ---- the theorem
  core::Task<void> Prove();
  void BeginEpoch(size_t root);

  // ---- a statement: tried directly, then decomposed
  core::Task<void> Solve(size_t id, Path path, Sublimits& limits);
  core::Task<void> Attempt(size_t id, const Sublimits& limits);
  core::Task<void> AskProver(size_t id, const StatementProver& prover, std::string_view who,
                             const Limits& limits);
  core::Task<void> TryFree(size_t id, const Sublimits& limits);
  core::Task<void> TakeApart(size_t id, Path path, Sublimits& limits);
  void Settle(size_t id, StatementAnswer answer, std::string_view who);
  core::Task<void> SolveOrStop(size_t id, Path path, Sublimits& limits);
  bool TakesFreeTry(size_t id) const;
  void MarkProved(size_t id, const ProvedLemma& as);

  // ---- a sketch
  core::Task<std::optional<Plan>> BestPlan(size_t id, const Path& path, const std::string& words,
                                           size_t attempt, std::string& feedback);
  void RecordDraft(size_t id, size_t attempt, const std::string& words, const Draft& draft) const;
  std::vector<size_t> AddLemmas(size_t id, const Path& path, const Plan& plan);
  core::Task<std::string> WorkOn(size_t id, const Path& path, const Plan& plan, Sublimits& limits);
  core::Task<bool> Assemble(size_t id, const Plan& plan);

  const std::string& header() const { return problem_.context.theorem.header; }
  bool Goes() const { return session_.MayAsk(); }
  bool IsSettled(size_t id) const;

  const Problem& problem_;
  const SketchParameters parameters_;
  const SketchProvers provers_;
  Session session_;
  Blueprint blueprint_;
  LemmaStore known_;
  const Declared theorem_;
  Drafter drafter_;

  size_t working_ = 0;    // direct attempts in progress
  core::Signal changed_;  // a statement is settled, or an attempt has ended
  size_t epoch_ = 0;      // number of the current start, from 1
  std::map<size_t, size_t> attempted_, taken_apart_;  // last epoch, by statement
};

}  // namespace zermelo::strategy::sketch
