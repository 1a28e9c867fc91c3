// What a search finds out about single goals: which of them tactics closed, and how many were tried
// for them.
//
// A state's goals are independent of each other, so goals and tactics are an AND/OR graph: a tactic
// closes a goal once all goals that it left are closed, in whichever states these were. The same
// goal in two states is one goal here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "strategy/strategy.h"

namespace zermelo::strategy {

/// Nothing blocks; the same calls give the same outcomes.
class GoalTrials {
 public:
  /// Lean ran `tactics` more tactics on a goal.
  void Tried(const std::string& goal, size_t tactics);
  /// One of them left these goals of it; none: it closed the goal.
  void Left(const std::string& goal, const std::vector<std::string>& goals);
  /// All tactics that there are for a goal have run, until it is tried again.
  void Exhausted(const std::string& goal);
  /// Of all goals on which tactics ran, in the order in which they came up. More than kMost tactics
  /// count as kMost, and so do all that there are, on an open goal and on what they left of it: to
  /// go on would not have closed it.
  std::vector<TriedGoal> Outcomes() const;

  static constexpr size_t kMost = 500;

 private:
  struct Tactic {
    size_t goal = 0;
    std::vector<size_t> left;
    size_t open = 0;  // of those left
  };
  struct Goal {
    std::string text;  // once tried
    size_t tried = 0;
    bool exhausted = false;
    bool closed = false;
    size_t tried_when_closed = 0;  // on it and on what was left of it
    std::vector<size_t> tactics;   // on this goal
    std::vector<size_t> needed;    // by these tactics, which left it
  };

  size_t Find(const std::string& goal);
  void Close(size_t goal);
  struct Below {
    size_t tried = 0;       // tactics on a goal and on all that they left of it, up to kMost
    bool exhausted = true;  // all of these goals that are open are exhausted
  };
  Below TriedBelow(size_t goal) const;

  std::unordered_map<uint64_t, size_t> ids_;  // by the hash of the text without its "case" line
  std::vector<Goal> goals_;
  std::vector<Tactic> tactics_;
  mutable std::vector<size_t> visits_;  // by goal: the last walk that came by
  mutable size_t walks_ = 0;
};

}  // namespace zermelo::strategy
