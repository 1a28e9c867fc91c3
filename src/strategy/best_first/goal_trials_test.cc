#include "strategy/best_first/goal_trials.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace zermelo::strategy {
namespace {

/// "a closed 3, b open 12"
std::string Told(const GoalTrials& trials) {
  std::string told;
  for (const TriedGoal& outcome : trials.Outcomes()) {
    told += fmt::format("{}{} {} {}", told.empty() ? "" : ", ", outcome.goal,
                        outcome.closed ? "closed" : "open", outcome.tried);
  }
  return told;
}

TEST(GoalTrialsTest, ATacticThatLeavesNothingClosesItsGoal) {
  GoalTrials trials;
  trials.Tried("a", 12);
  EXPECT_EQ(Told(trials), "a open 12");
  trials.Left("a", {});
  EXPECT_EQ(Told(trials), "a closed 12");
}

TEST(GoalTrialsTest, AGoalIsClosedOnceAllThatATacticLeftIsClosed) {
  GoalTrials trials;
  trials.Tried("a", 2);
  trials.Left("a", {"b", "c"});
  trials.Tried("b", 3);
  trials.Left("b", {});
  EXPECT_EQ(Told(trials), "a open 5, b closed 3");
  trials.Tried("c", 4);
  trials.Left("c", {});
  EXPECT_EQ(Told(trials), "a closed 9, b closed 3, c closed 4");
}

TEST(GoalTrialsTest, OneOfSeveralTacticsIsEnough) {
  GoalTrials trials;
  trials.Tried("a", 2);
  trials.Left("a", {"b"});
  trials.Left("a", {"c"});
  trials.Tried("c", 1);
  trials.Left("c", {});
  EXPECT_EQ(Told(trials), "a closed 3, c closed 1") << "b is not known: nothing ran on it";
}

TEST(GoalTrialsTest, WhereNothingIsLeftToTryMoreWouldNotHelp) {
  GoalTrials trials;
  trials.Tried("a", 30);
  trials.Exhausted("a");
  EXPECT_EQ(Told(trials), "a open 500");
  trials.Left("a", {"b"});
  EXPECT_EQ(Told(trials), "a open 30") << "nothing ran on b yet";
  trials.Tried("b", 5);
  EXPECT_EQ(Told(trials), "a open 35, b open 5");
  trials.Exhausted("b");
  EXPECT_EQ(Told(trials), "a open 500, b open 500");
  trials.Tried("b", 1);
  EXPECT_EQ(Told(trials), "a open 36, b open 6") << "another pass has begun";
  trials.Left("b", {});
  EXPECT_EQ(Told(trials), "a closed 36, b closed 6");
}

TEST(GoalTrialsTest, WhatIsTriedAfterwardsDoesNotCount) {
  GoalTrials trials;
  trials.Tried("a", 2);
  trials.Left("a", {});
  trials.Tried("a", 10);
  EXPECT_EQ(Told(trials), "a closed 2");
}

TEST(GoalTrialsTest, AGoalThatWasClosedElsewhereIsClosedHere) {
  GoalTrials trials;
  trials.Tried("b", 3);
  trials.Left("b", {});
  trials.Tried("a", 2);
  trials.Left("a", {"b", "b"});
  EXPECT_EQ(Told(trials), "b closed 3, a closed 5");
}

TEST(GoalTrialsTest, AGoalCountsOnceHoweverOftenItIsLeft) {
  GoalTrials trials;
  trials.Tried("a", 1);
  trials.Left("a", {"b", "c"});
  trials.Tried("b", 1);
  trials.Left("b", {"d"});
  trials.Tried("c", 1);
  trials.Left("c", {"d"});
  trials.Tried("d", 7);
  EXPECT_EQ(Told(trials), "a open 10, b open 8, c open 8, d open 7");
  trials.Left("d", {});
  EXPECT_EQ(Told(trials), "a closed 10, b closed 8, c closed 8, d closed 7");
}

TEST(GoalTrialsTest, TacticsThatLeadBackCloseNothing) {
  GoalTrials trials;
  trials.Tried("a", 2);
  trials.Left("a", {"a"});
  trials.Left("a", {"b"});
  trials.Tried("b", 3);
  trials.Left("b", {"a"});
  EXPECT_EQ(Told(trials), "a open 5, b open 5");
}

TEST(GoalTrialsTest, CaseNamesDoNotMatter) {
  GoalTrials trials;
  trials.Tried("a", 2);
  trials.Left("a", {"case inl\nb"});
  trials.Tried("case inr\nb", 3);
  trials.Left("b", {});
  EXPECT_EQ(Told(trials), "a closed 5, b closed 3");
}

TEST(GoalTrialsTest, GoalsWithMetavariablesSayNothing) {
  GoalTrials trials;
  trials.Tried("a", 2);
  trials.Left("a", {"⊢ ?x = 1"});
  EXPECT_EQ(Told(trials), "a open 2");
}

TEST(GoalTrialsTest, ManyTacticsAreNotToldApart) {
  GoalTrials trials;
  for (int i = 0; i < 100; ++i) {
    trials.Tried(fmt::format("g{}", i), 40);
    trials.Left(fmt::format("g{}", i), {fmt::format("g{}", i + 1)});
  }
  EXPECT_EQ(trials.Outcomes().front().tried, GoalTrials::kMost);
  EXPECT_EQ(trials.Outcomes().back().tried, 40u);
}

}  // namespace
}  // namespace zermelo::strategy
