#include "strategy/best_first/goal_trials.h"

#include <algorithm>
#include <utility>

#include "core/hash/hash.h"
#include "strategy/step_states.h"
#include "syntax/goal/goal.h"
#include "syntax/goal/metavariables.h"

namespace zermelo::strategy {

size_t GoalTrials::Find(const std::string& goal) {
  const auto [id, is_new] =
      ids_.try_emplace(core::Hash64(syntax::WithoutCase(goal)), goals_.size());
  if (is_new) goals_.emplace_back();
  return id->second;
}

void GoalTrials::Tried(const std::string& goal, size_t tactics) {
  Goal& tried = goals_[Find(goal)];
  if (tried.tried == 0) tried.text = syntax::WithoutCase(goal);
  tried.tried += tactics;
  tried.exhausted = false;
}

void GoalTrials::Exhausted(const std::string& goal) { goals_[Find(goal)].exhausted = true; }

void GoalTrials::Left(const std::string& goal, const std::vector<std::string>& goals) {
  // A goal with a metavariable depends on others.
  if (std::ranges::any_of(goals, syntax::HasMetavariable)) return;
  Tactic tactic;
  tactic.goal = Find(goal);
  for (const std::string& left : goals) tactic.left.push_back(Find(left));
  std::ranges::sort(tactic.left);
  const auto twice = std::ranges::unique(tactic.left);
  tactic.left.erase(twice.begin(), twice.end());
  const size_t id = tactics_.size();
  for (const size_t left : tactic.left) {
    if (goals_[left].closed) continue;
    ++tactic.open;
    goals_[left].needed.push_back(id);
  }
  goals_[tactic.goal].tactics.push_back(id);
  tactics_.push_back(std::move(tactic));
  if (tactics_.back().open == 0) Close(tactics_.back().goal);
}

void GoalTrials::Close(size_t goal) {
  std::vector<size_t> closed{goal};
  while (!closed.empty()) {
    const size_t id = closed.back();
    closed.pop_back();
    if (goals_[id].closed) continue;
    goals_[id].closed = true;
    goals_[id].tried_when_closed = TriedBelow(id).tried;
    for (const size_t tactic : goals_[id].needed) {
      if (--tactics_[tactic].open == 0) closed.push_back(tactics_[tactic].goal);
    }
  }
}

GoalTrials::Below GoalTrials::TriedBelow(size_t goal) const {
  Below below;
  std::vector<size_t> found{goal};
  visits_.resize(goals_.size());
  visits_[goal] = ++walks_;
  for (size_t next = 0; next < found.size() && below.tried < kMost; ++next) {
    const Goal& at = goals_[found[next]];
    below.tried += at.tried;
    below.exhausted = below.exhausted && (at.closed || at.exhausted);
    for (const size_t tactic : at.tactics) {
      for (const size_t left : tactics_[tactic].left) {
        if (std::exchange(visits_[left], walks_) != walks_) found.push_back(left);
      }
    }
  }
  below.tried = std::min(below.tried, kMost);
  return below;
}

std::vector<TriedGoal> GoalTrials::Outcomes() const {
  std::vector<TriedGoal> outcomes;
  for (size_t id = 0; id < goals_.size(); ++id) {
    const Goal& goal = goals_[id];
    if (goal.tried == 0) continue;
    size_t tried = goal.tried_when_closed;
    if (!goal.closed) {
      const Below below = TriedBelow(id);
      tried = below.exhausted ? kMost : below.tried;
    }
    outcomes.push_back({goal.text, goal.closed, tried});
  }
  return outcomes;
}

}  // namespace zermelo::strategy
