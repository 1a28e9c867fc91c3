#include "syntax/goal/goal_change.h"

#include <algorithm>
#include <tuple>

namespace zermelo::syntax {

namespace {

/// One entry a name.
std::vector<Hypothesis> OneByOne(const Goal& goal) {
  std::vector<Hypothesis> single;
  for (const Hypothesis& h : goal.hypotheses) {
    for (const std::string& name : h.names) {
      single.push_back({.names = {name}, .type = h.type, .value = h.value});
    }
  }
  return single;
}

/// Removes what both have, as often as both have it; returns how many that were.
size_t RemoveCommon(std::vector<Hypothesis>& left, std::vector<Hypothesis>& right) {
  return std::erase_if(left, [&](const Hypothesis& h) {
    const auto same = std::ranges::find(right, h);
    if (same == right.end()) return false;
    right.erase(same);
    return true;
  });
}

size_t InCommon(const Goal& before, const Goal& after) {
  std::vector<Hypothesis> left = OneByOne(before), right = OneByOne(after);
  return RemoveCommon(left, right);
}

/// The goals of `from` of which `other` has no equal one of its own.
std::vector<size_t> Touched(const ProofState& from, const ProofState& other) {
  std::vector<const Goal*> left;
  for (const Goal& goal : other.goals) left.push_back(&goal);
  std::vector<size_t> touched;
  for (size_t i = 0; i < from.goals.size(); ++i) {
    const auto same =
        std::ranges::find_if(left, [&](const Goal* goal) { return *goal == from.goals[i]; });
    if (same == left.end()) {
      touched.push_back(i);
    } else {
      left.erase(same);
    }
  }
  return touched;
}

GoalChange CompareGoals(const Goal& before, const Goal& after) {
  GoalChange change;
  change.removed = OneByOne(before);
  change.added = OneByOne(after);
  RemoveCommon(change.removed, change.added);
  std::erase_if(change.removed, [&](const Hypothesis& h) {
    const auto renewed = std::ranges::find(change.added, h.names, &Hypothesis::names);
    if (renewed == change.added.end()) return false;
    change.changed.push_back({.before = h, .after = *renewed});
    change.added.erase(renewed);
    return true;
  });
  change.target_changed = before.target != after.target || before.conv != after.conv;
  return change;
}

}  // namespace

StateChange Compare(const ProofState& before, const ProofState& after) {
  StateChange change;
  change.closed = Touched(before, after);
  // New goals beside goals that were all kept come from the first, as with `have`.
  std::vector<size_t> candidates = change.closed;
  if (candidates.empty() && !before.goals.empty()) candidates.push_back(0);
  for (const size_t i : Touched(after, before)) {
    if (candidates.empty()) break;
    const Goal& goal = after.goals[i];
    const size_t origin = *std::ranges::max_element(candidates, {}, [&](size_t candidate) {
      const Goal& other = before.goals[candidate];
      return std::tuple(InCommon(other, goal), other.tag == goal.tag, other.target == goal.target);
    });
    std::erase(change.closed, origin);
    change.goals.push_back(CompareGoals(before.goals[origin], goal));
    change.goals.back().before = origin;
    change.goals.back().after = i;
  }
  return change;
}

}  // namespace zermelo::syntax
