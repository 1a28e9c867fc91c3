#include "learn/pattern.h"

#include <gtest/gtest.h>

namespace zermelo::learn {
namespace {

syntax::Goal GoalOf(std::string_view text) { return syntax::ParseProofState(text).goals.at(0); }

std::optional<std::string> FitTo(const syntax::Goal& goal, const Pattern& pattern) {
  return Fit(pattern, goal, FeaturesOfTypes(goal));
}

/// The tactic that was used on one goal, for another; "none" if it does not fit.
std::string Moved(std::string_view tactic, std::string_view from, std::string_view to) {
  return FitTo(GoalOf(to), Generalise(tactic, GoalOf(from))).value_or("none");
}

TEST(PatternTest, HypothesesBecomeHoles) {
  const Pattern pattern = Generalise("exact foo h (h.symm) n", GoalOf("n : Nat\nh : n = 1\n⊢ p"));
  EXPECT_EQ(pattern.text, "exact foo §0§ (§0§.symm) §1§");
  ASSERT_EQ(pattern.holes.size(), 2u);
  EXPECT_EQ(pattern.holes[0].name, "h");
}

TEST(PatternTest, FieldsAndNamesOfArgumentsAreNoHypotheses) {
  EXPECT_EQ(Generalise("exact (foo (n := 3)).n", GoalOf("n : Nat\n⊢ p")).text,
            "exact (foo (n := 3)).n");
}

TEST(PatternTest, EachHoleGetsTheHypothesisWhoseTypeFitsBest) {
  const auto from = "a b : Nat\nh : a < b\nk : a ∣ b\n⊢ a ≠ b";
  EXPECT_EQ(Moved("exact foo h k a", from, "x y : Nat\nhd : x ∣ y\nhl : x < y\n⊢ x ≠ y"),
            "exact foo hl hd y");
  EXPECT_EQ(Moved("exact foo h h", from, "x y : Nat\nhl : x < y\n⊢ x ≠ y"), "exact foo hl hl");
}

TEST(PatternTest, HypothesesOfEqualTypesKeepTheirOrder) {
  EXPECT_EQ(Moved("exact Nat.lt_trans hab hbc", "a b c : Nat\nhab : a < b\nhbc : b < c\n⊢ a < c",
                  "x y z : Nat\nh1 : x < y\nh2 : y < z\n⊢ x < z"),
            "exact Nat.lt_trans h1 h2");
}

TEST(PatternTest, TheSameNameDecidesBetweenEqualTypes) {
  const auto goal = "a b c : Nat\n⊢ a + b = c";
  EXPECT_EQ(Moved("induction b", goal, goal), "induction b");
}

TEST(PatternTest, ATwoHolesNeverGetOneHypothesis) {
  EXPECT_EQ(Moved("exact foo a b", "a b : Nat\n⊢ a = b", "x : Nat\n⊢ x = 0"), "none");
}

TEST(PatternTest, WhatNoHypothesisFitsIsLeftOutOfLists) {
  const auto from = "n : Nat\nh : n ∣ 3\n⊢ n = 1", to = "n : Nat\n⊢ n = 1";
  EXPECT_EQ(Moved("simp [h, foo]", from, to), "simp [foo]");
  EXPECT_EQ(Moved("simp [foo, h]", from, to), "simp [foo]");
  EXPECT_EQ(Moved("simp [foo, f h (g n), bar]", from, to), "simp [foo, bar]");
  EXPECT_EQ(Moved("simp_all [h] <;> omega", from, to), "simp_all <;> omega");
  EXPECT_EQ(Moved("rw [h]", from, to), "none");
  EXPECT_EQ(Moved("simp only [h]", from, to), "none");
  EXPECT_EQ(Moved("exact h", from, to), "none");
}

TEST(PatternTest, WhatNoHypothesisFitsIsLeftOutOfPlaces) {
  const auto from = "n : Nat\nh : n ∣ 3\nk : n = 2\n⊢ n = 1", to = "n : Nat\nk : n = 2\n⊢ n = 1";
  EXPECT_EQ(Moved("simp at h k", from, to), "simp at k");
  EXPECT_EQ(Moved("simp at k h", from, to), "simp at k");
  EXPECT_EQ(Moved("simp at h", from, to), "none");
}

TEST(PatternTest, RenamingIsUndone) {
  const Pattern pattern =
      Generalise("rename_i m ih\nexact foo m ih", GoalOf("n m✝ : Nat\nih✝ : m✝ = 1\n⊢ p"));
  EXPECT_EQ(pattern.text, "exact foo §0§ §1§");
  EXPECT_EQ(FitTo(GoalOf("k : Nat\nhk : k = 1\n⊢ p"), pattern), "exact foo k hk");
}

TEST(PatternTest, PremisesAreDottedNamesWithACapital) {
  EXPECT_EQ(PremisesIn("simp [Nat.add_comm, h.symm, foo] <;> exact Nat.add_comm _ _"),
            std::vector<std::string>{"Nat.add_comm"});
}

TEST(PatternTest, AnyTextIsAccepted) {
  const syntax::Goal goal = GoalOf("n : Nat\nh : n ∣ 3\n⊢ n = 1"), empty = GoalOf("⊢ p");
  for (const char* tactic : {"", "h", "[h", "h]", "simp [h", "at h", " at h", "§0§", "rename_i",
                             "rename_i a b c\nh", "simp [[h], h] at h at h", "\xff h"}) {
    static_cast<void>(FitTo(empty, Generalise(tactic, goal)));
  }
}

}  // namespace
}  // namespace zermelo::learn
