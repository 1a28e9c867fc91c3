#include "syntax/signature.h"

#include <gtest/gtest.h>

namespace zermelo::syntax {
namespace {

TEST(ParseSignature, BindersAndType) {
  const auto read =
      ParseSignature("(n m : ℕ) {h : n = m := by (simp)} [i : Add ℕ] [Mul (ℕ)] ⦃x⦄ : n + m = 0");
  ASSERT_TRUE(read);
  using Kind = BracketKind;
  const std::vector<Binder> binders{{Kind::kRound, {"n", "m"}, "ℕ"},
                                    {Kind::kCurly, {"h"}, "n = m := by (simp)"},
                                    {Kind::kSquare, {"i"}, "Add ℕ"},
                                    {Kind::kSquare, {}, "Mul (ℕ)"},
                                    {Kind::kStrict, {"x"}, ""}};
  EXPECT_EQ(read->binders, binders);
  EXPECT_EQ(read->type, "n + m = 0");
}

TEST(ParseSignature, WithoutATypeThereIsNone) {
  EXPECT_FALSE(ParseSignature("(n : ℕ)"));
  EXPECT_FALSE(ParseSignature("n : ℕ"));
  EXPECT_FALSE(ParseSignature("(n : ℕ] : n = n"));
  EXPECT_FALSE(ParseSignature("((n : ℕ) : n = n"));
  EXPECT_FALSE(ParseSignature(""));
  EXPECT_EQ(ParseBinders("(n : ℕ)").size(), 1U);
}

TEST(OnOneLine, CommentsAndBlanksBecomeOneBlank) {
  EXPECT_EQ(OnOneLine("(n  m : ℕ) -- so\n    /- or -/ : n.succ\n= m"), "(n m : ℕ) : n.succ = m");
}

}  // namespace
}  // namespace zermelo::syntax
