#include "syntax/proof/proof_cuts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace zermelo::syntax {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// The text between the cuts.
std::vector<std::string> Pieces(const std::string& tactics) {
  std::vector<std::string> pieces;
  size_t begin = 0;
  for (const CutPoint& cut : CutPoints(tactics)) {
    pieces.push_back(tactics.substr(begin, cut.end - begin));
    begin = cut.end;
  }
  return pieces;
}

std::vector<std::string> Heads(const CutPoint& cut) {
  std::vector<std::string> heads;
  for (const auto& tactic : cut.around) heads.push_back(tactic.head);
  return heads;
}

TEST(CutPoints, AreAfterEachTactic) {
  EXPECT_THAT(Pieces("intro x\n-- why\nsimp at x; omega"),
              ElementsAre("intro x", "\n-- why\nsimp at x", "; omega"));
  EXPECT_THAT(Pieces(""), IsEmpty());
}

TEST(CutPoints, AreNotAfterALineThatATacticContinuesBelow) {
  EXPECT_THAT(
      Pieces("skip\nset_option maxRecDepth 999 in\nset_option a.b 1 in\ndecide\nrfl"),
      ElementsAre("skip", "\nset_option maxRecDepth 999 in\nset_option a.b 1 in\ndecide", "\nrfl"));
  EXPECT_THAT(Pieces("open Nat in\nsimp\ncases n <;>\nsimp\nomega"),
              ElementsAre("open Nat in\nsimp", "\ncases n <;>\nsimp", "\nomega"));
}

TEST(CutPoints, TheStateIsAskedForAtTheNextTactic) {
  const std::string text = "constructor\n· intro x\n  simp\n· rfl";
  const auto cuts = CutPoints(text);
  ASSERT_EQ(cuts.size(), 4U);
  EXPECT_EQ(cuts[0].next, text.find("· intro"));
  EXPECT_EQ(cuts[1].next, text.find("simp"));
  EXPECT_EQ(cuts[2].next, text.find("· rfl")) << "the block is over";
  EXPECT_EQ(cuts[3].next, kNowhere);
}

TEST(CutPoints, ListTheEnclosingTactics) {
  const auto cuts =
      CutPoints("constructor\n· have h : p  :=  by\n    skip\n    simp\n  rfl\n· rfl");
  ASSERT_EQ(cuts.size(), 5U);
  EXPECT_THAT(Heads(cuts[0]), IsEmpty());
  EXPECT_THAT(Heads(cuts[1]), ElementsAre("·", "have h : p := by"));
  EXPECT_THAT(Heads(cuts[2]), ElementsAre("·")) << "the have is over";
  EXPECT_THAT(Heads(cuts[3]), IsEmpty());
}

TEST(CutPoints, OnlyTheLastAlternativeMayEndEarly) {
  const std::string text = "cases h with\n| inl a =>\n  skip\n  rfl\n| inr b =>\n  skip\n  rfl";
  EXPECT_THAT(Pieces(text), ElementsAre(text.substr(0, text.find("skip", 30) + 4), "\n  rfl"));
  EXPECT_THAT(Heads(CutPoints(text)[0]), ElementsAre("| inr b =>"));
}

TEST(CutPoints, AreNotInsideCombinatorsOrBrackets) {
  EXPECT_EQ(Pieces("all_goals\n  skip\n  rfl").size(), 1U);
  EXPECT_EQ(Pieces("exact foo (by\n  skip\n  rfl)").size(), 1U);
  EXPECT_EQ(Pieces("constructor <;> rfl").size(), 1U);
}

TEST(FirstSorry, FindsIt) {
  EXPECT_EQ(FirstSorry("skip\nsorry"), 5U);
  EXPECT_EQ(FirstSorry("exact foo sorry"), 10U);
  EXPECT_EQ(FirstSorry("skip -- sorry"), kNowhere);
}

}  // namespace
}  // namespace zermelo::syntax
