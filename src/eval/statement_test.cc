#include "eval/statement.h"

#include <gmock/gmock.h>

namespace zermelo::eval {
namespace {

TEST(Statements, EndInSorryWhereverTheyStop) {
  EXPECT_EQ(EndWithSorry("theorem a : p := by\n"), "theorem a : p := by\n  sorry");
  EXPECT_EQ(EndWithSorry("theorem a : p :="), "theorem a : p := by\n  sorry");
  EXPECT_EQ(EndWithSorry("theorem a : p := sorry\n"), "theorem a : p := sorry");
  EXPECT_EQ(EndWithSorry("theorem a : p := by -- now\n"), "theorem a : p := by -- now\n  sorry");
}

TEST(Statements, TheWantedTheoremIsCutOut) {
  Problem problem;
  ASSERT_TRUE(CutStatement(
      "def f := 1\n\ntheorem a : f = 1 := by\n  sorry\n\nlemma b : f = 1 := rfl\n", "a", problem));
  EXPECT_EQ(problem.header, "def f := 1\n\n");
  EXPECT_EQ(problem.statement, "theorem a : f = 1 := by\n  sorry");
  EXPECT_EQ(problem.trailer, "\n\nlemma b : f = 1 := rfl\n");
  EXPECT_EQ(problem.theorem, "a");
  ASSERT_TRUE(CutStatement("example : 1 = 1 := by\n  sorry\n", "x", problem));
  EXPECT_EQ(problem.theorem, "example (line 1)");
  EXPECT_FALSE(CutStatement("def f := 1\n", "", problem));
}

TEST(Answers, AKnownAnswerFillsTheOnlyHole) {
  std::string one = "abbrev a : Nat := sorry\ntheorem t : a = 1 := by sorry\n";
  EXPECT_EQ(GiveAnswers(one, "1"), 0U);
  EXPECT_EQ(one, "abbrev a : Nat := 1\ntheorem t : a = 1 := by sorry\n");
  std::string two =
      "abbrev a : Nat := sorry\nabbrev b : Nat := sorry\ntheorem t : a = b := by sorry\n";
  const std::string before = two;
  EXPECT_EQ(GiveAnswers(two, "1"), 2U);
  EXPECT_EQ(two, before);
}

TEST(Comments, TextCannotEndItsComment) {
  EXPECT_EQ(AsDocComment("/-- a -/\n"), "/-- a -/\n");
  EXPECT_EQ(AsDocComment("a /- b"), "/-- a / - b -/\n");
  EXPECT_EQ(AsDocComment("/-- a -/ axiom f : False /-- b -/"),
            "/-- a - / axiom f : False / -- b -/\n");
  EXPECT_EQ(AsDocComment("  \n"), "");
}

}  // namespace
}  // namespace zermelo::eval
