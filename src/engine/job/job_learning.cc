#include "engine/job/job_learning.h"

#include <algorithm>

#include "core/hash/hash.h"
#include "engine/recorded_run.h"

namespace zermelo::engine {

namespace {

/// Goals of a theorem whose outcomes are learned.
constexpr size_t kMostOutcomes = 64;

}  // namespace

void JobLearning::Learn(const TheoremResult& theorem, const learn::Source& source,
                        const std::vector<strategy::ProofMove>& moves) {
  if (!Learns() || !theorem.from.empty()) return;
  for (const strategy::ProofMove& move : moves) {
    auto example = learn::MakeExample(move.goal, move.tactic, move.closes, source);
    if (!example) continue;
    request_.learned->Add(*example);
    learned_.emplace_back(&theorem, *std::move(example));
  }
}

void JobLearning::LearnOutcomes(const learn::Source& source,
                                std::vector<strategy::TriedGoal> goals) {
  if (!Learns()) return;
  // A hole in an `example` has no name: a later search could not tell these goals from others'.
  if (source.theorem.empty() && source.statement == 0) return;
  std::ranges::stable_sort(goals, {}, [](const auto& each) { return core::Hash64(each.goal); });
  goals.resize(std::min(goals.size(), kMostOutcomes));
  for (const strategy::TriedGoal& goal : goals) {
    auto outcome = learn::MakeOutcome(goal.goal, goal.closed, goal.tried, source);
    if (!outcome || !request_.learned->SaysMore(*outcome)) continue;
    request_.learned->Add(*outcome);
    outcomes_.push_back(*std::move(outcome));
  }
}

std::string JobLearning::Keep() {
  std::vector<learn::Example> examples;
  for (auto& [theorem, example] : learned_) {
    if (theorem->status == TheoremStatus::kProved) examples.push_back(std::move(example));
  }
  const bool has_any = !examples.empty() || !outcomes_.empty();
  if (!has_any || request_.learned->kept_in().empty()) return "";
  MakeProjectFolder(request_.learned->kept_in().parent_path());
  const auto kept = request_.learned->Save(examples, outcomes_);
  return kept ? "" : "what was learned is not kept: " + kept.error().message;
}

}  // namespace zermelo::engine
