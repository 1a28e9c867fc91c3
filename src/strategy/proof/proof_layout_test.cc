#include "strategy/proof/proof_layout.h"

#include <gtest/gtest.h>

namespace zermelo::strategy {
namespace {

TEST(FlatText, PutsTacticsBelowEachOther) {
  EXPECT_EQ(FlatText({}), "");
  EXPECT_EQ(FlatText({{"intro x", 1}, {"constructor", 2}, {"simp", 0}, {"omega", 0}}),
            "intro x\nconstructor\nsimp\nomega");
}

TEST(IndentedText, EndsEachLineForThePrompt) {
  EXPECT_EQ(IndentedText({}), "");
  EXPECT_EQ(IndentedText({{"intro x", 1}, {"cases x with\n| zero => rfl", 0}}),
            "  intro x\n  cases x with\n  | zero => rfl\n");
}

TEST(LaidOutText, LinearProofIsFlat) {
  EXPECT_EQ(LaidOutText({{"intro x", 1}, {"simp", 1}, {"omega", 0}}), "intro x\nsimp\nomega");
}

TEST(LaidOutText, EachOfSeveralGoalsGetsABlock) {
  EXPECT_EQ(LaidOutText({{"constructor", 2}, {"intro h", 1}, {"simp", 0}, {"omega", 0}}),
            "constructor\n"
            "· intro h\n"
            "  simp\n"
            "· omega");
}

TEST(LaidOutText, BlocksNest) {
  EXPECT_EQ(
      LaidOutText(
          {{"cases h", 2}, {"constructor", 2}, {"simp", 0}, {"skip", 1}, {"omega", 0}, {"rfl", 0}}),
      "cases h\n"
      "· constructor\n"
      "  · simp\n"
      "  · skip\n"
      "    omega\n"
      "· rfl");
}

TEST(LaidOutText, BlockMayBeginWithABranch) {
  EXPECT_EQ(LaidOutText({{"constructor", 2}, {"constructor", 2}, {"a", 0}, {"b", 0}, {"c", 0}}),
            "constructor\n"
            "· constructor\n"
            "  · a\n"
            "  · b\n"
            "· c");
}

TEST(LaidOutText, LinesOfATacticStayTogether) {
  EXPECT_EQ(LaidOutText({{"constructor", 2},
                         {"induction n with\n| zero => simp\n| succ n ih => omega", 0},
                         {"have h := 1\nomega", 0}}),
            "constructor\n"
            "· induction n with\n"
            "  | zero => simp\n"
            "  | succ n ih => omega\n"
            "· have h := 1\n"
            "  omega");
}

TEST(LaidOutText, ConjectureIsFollowedByItsProof) {
  EXPECT_EQ(LaidOutText({{"intro x", 1},
                         {"have h : p := ?_", 2},
                         {"constructor", 2},
                         {"a", 0},
                         {"b", 0},
                         {"exact h", 0}}),
            "intro x\n"
            "have h : p := by\n"
            "  constructor\n"
            "  · a\n"
            "  · b\n"
            "exact h");
}

TEST(LaidOutText, UnfinishedProofIsWrittenAsFarAsItGoes) {
  EXPECT_EQ(LaidOutText({{"constructor", 2}, {"simp", 0}}), "constructor\n· simp");
  EXPECT_EQ(LaidOutText({}), "");
}

}  // namespace
}  // namespace zermelo::strategy
