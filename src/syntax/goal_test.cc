#include "syntax/goal.h"

#include <gtest/gtest.h>
#include <string>

namespace zermelo::syntax {
namespace {

TEST(Goal, HasHypothesesAndTarget) {
  const ProofState state = ParseProofState("x y : Int\nh₀ : 0 < y\n⊢ x = 26");
  ASSERT_EQ(state.goals.size(), 1u);
  const Goal& goal = state.goals[0];
  ASSERT_EQ(goal.hypotheses.size(), 2u);
  EXPECT_EQ(goal.hypotheses[0].names, (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(goal.hypotheses[0].type, "Int");
  EXPECT_EQ(goal.hypotheses[1].type, "0 < y");
  EXPECT_EQ(goal.target, "x = 26");
  EXPECT_EQ(goal.tag, "");
}

TEST(Goal, BlankLinesSeparateGoalsAndCaseNamesThem) {
  const ProofState state =
      ParseProofState("case zero\nh : 0 < 1\n⊢ 0 = 25\n\ncase succ\nn✝ : Nat\n⊢ n✝ + 1 = 25\n");
  ASSERT_EQ(state.goals.size(), 2u);
  EXPECT_EQ(state.goals[0].tag, "zero");
  EXPECT_EQ(state.goals[1].tag, "succ");
  EXPECT_EQ(state.goals[1].hypotheses[0].names[0], "n✝");
}

TEST(Goal, IndentedLinesContinueATypeOrTheTarget) {
  const ProofState state = ParseProofState(
      "key :\n  ∀ (k : Nat),\n    t k = 20 ∧\n      t (k + 1) = 21\n⊢ a +\n    b = c");
  ASSERT_EQ(state.goals.size(), 1u);
  EXPECT_EQ(state.goals[0].target, "a + b = c");
  // A hypothesis whose type starts on the next line.
  ASSERT_EQ(state.goals[0].hypotheses.size(), 1u);
  EXPECT_EQ(state.goals[0].hypotheses[0].type, "∀ (k : Nat), t k = 20 ∧ t (k + 1) = 21");
}

TEST(Goal, LetVariablesHaveValues) {
  const ProofState state = ParseProofState("x : Nat := 3\n⊢ x = 3");
  ASSERT_EQ(state.goals.size(), 1u);
  EXPECT_EQ(state.goals[0].hypotheses[0].type, "Nat");
  EXPECT_EQ(state.goals[0].hypotheses[0].value, "3");
}

TEST(Goal, AColonInsideBracketsBelongsToTheType) {
  const ProofState state = ParseProofState("h : ∀ (n : Nat), n = n\n⊢ True");
  EXPECT_EQ(state.goals[0].hypotheses[0].names[0], "h");
  EXPECT_EQ(state.goals[0].hypotheses[0].type, "∀ (n : Nat), n = n");
}

TEST(Goal, InaccessibleNamesHaveADagger) {
  EXPECT_TRUE(IsInaccessible("n✝¹"));
  EXPECT_FALSE(IsInaccessible("n'"));
}

TEST(Goal, AnyTextIsAccepted) {
  for (const char* text : {"", "\n\n\n", "⊢", "no goals", ": :", "   ", "case", "((((", "h :\n⊢ x",
                           "\xff\xfe : \x80\n⊢ \xc3"}) {
    EXPECT_LE(ParseProofState(text).goals.size(), 1u) << text;
  }
}

}  // namespace
}  // namespace zermelo::syntax
