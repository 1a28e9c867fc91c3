#include "retrieve/statements/source_signature.h"

#include <fstream>
#include <gtest/gtest.h>

namespace zermelo::retrieve {
namespace {

TEST(SourceSignature, IsTheTextBetweenNameAndValue) {
  EXPECT_EQ(
      SourceSignature("@[simp] protected theorem add_comm (n m : ℕ) :\n    n + m = m + n := by\n"
                      "  omega\n",
                      "Nat.add_comm", "(n m : Nat) : n + m = m + n"),
      "(n m : ℕ) : n + m = m + n");
  EXPECT_EQ(
      SourceSignature("def f : Nat → Nat\n  | 0 => 1\n  | n + 1 => f n", "A.f", ": Nat → Nat"),
      ": Nat → Nat");
}

TEST(SourceSignature, ABarEndsItOnlyAtTheStartOfALine) {
  EXPECT_EQ(SourceSignature("theorem t (x : ℝ) : |x| < 1 ∧\n  |x| ≤ 2 := h", "t", "(x : ℝ) : x"),
            "(x : ℝ) : |x| < 1 ∧ |x| ≤ 2");
}

TEST(SourceSignature, CommentsAndValuesInBracketsDoNotEndIt) {
  EXPECT_EQ(SourceSignature("/-- a := b -/\nlemma t -- where\n  (h : P := by simp) : Q := h", "t",
                            "(h : P) : Q"),
            "(h : P := by simp) : Q");
}

TEST(SourceSignature, IsEmptyIfArgumentsComeFromAVariableCommand) {
  EXPECT_EQ(SourceSignature("theorem t : n = n := rfl", "t", "(n : Nat) : n = n"), "");
  EXPECT_EQ(SourceSignature("theorem t : n = n := rfl", "t", "{n : Nat} : n = n"), ": n = n");
}

TEST(SourceSignature, IsEmptyForAnotherDeclaration) {
  EXPECT_EQ(SourceSignature("structure S where\n  x : Nat", "S.x", "(self : S) : Nat"), "");
  EXPECT_EQ(SourceSignature("theorem other : True := trivial", "t", ": True"), "");
  EXPECT_EQ(SourceSignature("", "t", ": True"), "");
  EXPECT_EQ(SourceSignature("theorem", "t", ": True"), "");
  EXPECT_EQ(SourceSignature("theorem t ) := x", "t", ": True"), "");
}

TEST(SourceLines, CountFromOne) {
  const auto file = std::filesystem::path(testing::TempDir()) / "lines.lean";
  std::ofstream(file) << "a\nb\nc";
  const SourceLines lines(file);
  EXPECT_EQ(lines.Between(2, 3), "b\nc");
  EXPECT_EQ(lines.Between(1, 1), "a\n");
  EXPECT_EQ(lines.Between(3, 4), "");
  EXPECT_EQ(lines.Between(0, 1), "");
  EXPECT_EQ(SourceLines("/nowhere").Between(1, 1), "");
}

TEST(FindSource, FindsTheSourcesOfAPackage) {
  const auto root = std::filesystem::path(testing::TempDir()) / "package";
  std::filesystem::create_directories(root / "A");
  std::ofstream(root / "A/B.lean") << "x";
  EXPECT_EQ(FindSource(root / ".lake/build/lib/lean/A/B.olean", "A.B"), root / "A/B.lean");
  EXPECT_EQ(FindSource(root / ".lake/build/lib/lean/A/C.olean", "A.C"), "");
}

}  // namespace
}  // namespace zermelo::retrieve
