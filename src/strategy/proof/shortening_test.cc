#include "strategy/proof/shortening.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace zermelo::strategy {
namespace {

using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

/// The proofs that single edits lead to.
std::vector<std::string> Shorter(const std::string& proof) {
  std::vector<std::string> shorter;
  for (const Edit& edit : EditsOf(proof)) shorter.push_back(Edited(proof, std::span(&edit, 1)));
  return shorter;
}

TEST(EditsOf, ItemsOfListsAndWholeLists) {
  EXPECT_THAT(
      Shorter("induction x <;> grind [f, ← g.h, = k]"),
      UnorderedElementsAre("induction x <;> grind", "induction x <;> grind [← g.h, = k]",
                           "induction x <;> grind [f, = k]", "induction x <;> grind [f, ← g.h]"));
  EXPECT_THAT(Shorter("simp +arith (maxSteps := 3) only [f, g] at *"),
              UnorderedElementsAre("simp +arith only [f, g] at *",
                                   "simp +arith (maxSteps := 3) only [g] at *",
                                   "simp +arith (maxSteps := 3) only [f] at *"));
  EXPECT_THAT(Shorter("simp [show ∀ a b, a + b = f a b from fun _ _ => rfl]"),
              UnorderedElementsAre("simp"));
  EXPECT_THAT(Shorter("rw [f, g]"), IsEmpty());
}

TEST(EditsOf, LinesThatStandAlone) {
  EXPECT_THAT(Shorter("rename_i a\ntry have := f a\nhave h : p := by\n  omega\nomega"),
              UnorderedElementsAre("try have := f a\nhave h : p := by\n  omega\nomega",
                                   "rename_i a\nhave := f a\nhave h : p := by\n  omega\nomega",
                                   "rename_i a\nhave h : p := by\n  omega\nomega"));
  EXPECT_THAT(Shorter("omega\ntry simp"), IsEmpty()) << "the last line";
}

TEST(EditsOf, AlternativesOfFirst) {
  EXPECT_THAT(Shorter("cases x <;> first | rfl | (simp; done) | omega"),
              UnorderedElementsAre("cases x <;> rfl", "cases x <;> simp", "cases x <;> omega",
                                   "cases x <;> first | (simp; done) | omega",
                                   "cases x <;> first | rfl | omega",
                                   "cases x <;> first | rfl | (simp; done)"));
  EXPECT_THAT(Shorter("first\n  | omega\n  | (cases h <;> simp)\nrfl"),
              UnorderedElementsAre("omega\nrfl", "(cases h <;> simp)\nrfl"));
  EXPECT_THAT(Shorter("exact ⟨0, by first | rfl | omega⟩"),
              UnorderedElementsAre("exact ⟨0, by rfl⟩", "exact ⟨0, by omega⟩"));
  EXPECT_THAT(Shorter("first | rcases h with h | h <;> omega | rfl"), IsEmpty());
}

TEST(EditsOf, StrangeTextIsHarmless) {
  for (const char* text :
       {"", "first", "first |", "first | |", "grind [", "grind [,]", "simp [,a,,]", ")]}",
        "first | (", "try", "simp +", "grind ( [", "have\nhave\n"})
    for (const Edit& edit : EditsOf(text)) EXPECT_LE(edit.end, std::string_view(text).size());
}

TEST(Edited, TakesThoseThatDoNotOverlapEarlierOnes) {
  const std::vector<Edit> edits = {{4, 6, ""}, {5, 9, ""}, {0, 3, "x"}};
  EXPECT_EQ(Edited("abcdefghi", edits), "xdghi");
}

}  // namespace
}  // namespace zermelo::strategy
