#include "syntax/goal/goal_change.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>

#include "syntax/goal/goal_json.h"

namespace zermelo::syntax {
namespace {

using nlohmann::json;

json Changed(const std::string& before, const std::string& after) {
  const ProofState then = ParseProofState(before), now = ParseProofState(after);
  return ChangeJson(Compare(then, now), now);
}

TEST(GoalChange, IntroAddsAHypothesisAndChangesTheTarget) {
  EXPECT_EQ(Changed("n : Nat\n⊢ n > 0 → n ≠ 0", "n : Nat\nh : n > 0\n⊢ n ≠ 0"),
            json::parse(R"({"closed": [], "goals": [{"before": 0, "after": 0,
              "added": [{"names": ["h"], "type": "n > 0"}], "target": "n ≠ 0"}]})"));
}

TEST(GoalChange, ANameAddedToALineIsOneHypothesis) {
  const json change = Changed("a : Nat\n⊢ ∀ b : Nat, a = b", "a b : Nat\n⊢ a = b");
  EXPECT_EQ(change["goals"][0]["added"], json::parse(R"([{"names": ["b"], "type": "Nat"}])"));
  EXPECT_FALSE(change["goals"][0].contains("removed"));
}

TEST(GoalChange, ATacticThatClosesAGoalLeavesTheOthersAsTheyAre) {
  EXPECT_EQ(Changed("case left\n⊢ p\n\ncase right\n⊢ q", "case right\n⊢ q"),
            json::parse(R"({"closed": [0], "goals": []})"));
  EXPECT_EQ(Changed("⊢ p", ""), json::parse(R"({"closed": [0], "goals": []})"));
}

TEST(GoalChange, SimpAtChangesAHypothesis) {
  EXPECT_EQ(Changed("h : x + 0 = 1\n⊢ x = 1", "h : x = 1\n⊢ x = 1"),
            json::parse(R"({"closed": [], "goals": [{"before": 0, "after": 0, "changed": [{
              "before": {"names": ["h"], "type": "x + 0 = 1"},
              "after": {"names": ["h"], "type": "x = 1"}}]}]})"));
}

TEST(GoalChange, CasesReplaceAHypothesisInEachGoal) {
  const json change =
      Changed("h : p ∨ q\n⊢ r\n\n⊢ s", "case inl\nhp : p\n⊢ r\n\ncase inr\nhq : q\n⊢ r\n\n⊢ s");
  ASSERT_EQ(change["goals"].size(), 2u);
  EXPECT_EQ(change["closed"], json::array());
  EXPECT_EQ(change["goals"][1]["before"], 0);
  EXPECT_EQ(change["goals"][1]["after"], 1);
  EXPECT_EQ(change["goals"][1]["removed"], json::parse(R"([{"names": ["h"], "type": "p ∨ q"}])"));
  EXPECT_EQ(change["goals"][1]["added"], json::parse(R"([{"names": ["hq"], "type": "q"}])"));
}

TEST(GoalChange, GoalsAreMatchedByWhatTheyHaveInCommon) {
  const json change =
      Changed("case a\nx : A\n⊢ p ∧ True\n\ncase b\ny : B\n⊢ q ∧ True", "case b\ny : B\n⊢ q");
  EXPECT_EQ(change["closed"], json::parse("[0]"));
  EXPECT_EQ(change["goals"][0]["before"], 1);
}

TEST(GoalChange, NothingChangesWhenTheGoalsOnlyMove) {
  EXPECT_EQ(Changed("⊢ p\n\n⊢ q", "⊢ q\n\n⊢ p"), json::parse(R"({"closed": [], "goals": []})"));
}

TEST(GoalJson, HasNamesTypesValuesTargetAndCase) {
  const auto goal = ParseProofState("case h.a\nx y✝ : Nat\nz : Nat := 3\n⊢ x = z").goals.at(0);
  EXPECT_EQ(GoalJson(goal), json::parse(R"({"case": "h.a", "target": "x = z", "hypotheses": [
    {"names": ["x", "y✝"], "type": "Nat"}, {"names": ["z"], "type": "Nat", "value": "3"}]})"));
  EXPECT_EQ(GoalJson(ParseProofState("| a").goals.at(0)),
            json::parse(R"({"hypotheses": [], "target": "a", "conv": true})"));
}

}  // namespace
}  // namespace zermelo::syntax
