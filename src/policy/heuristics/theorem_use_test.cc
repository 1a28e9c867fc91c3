#include "policy/heuristics/theorem_use.h"

#include <gtest/gtest.h>
#include <string>

namespace zermelo::policy {
namespace {

/// "simp", "grind", "simp grind" or "".
std::string UseOfStatement(const std::string& signature) {
  syntax::FileConstant theorem;
  theorem.signature = signature;
  const TheoremUse use = UseOf(theorem);
  std::string text = use.simp ? "simp" : "";
  if (use.grind) text += text.empty() ? "grind" : " grind";
  return text;
}

TEST(TheoremUse, EquationsAndStatementsAboutFunctions) {
  EXPECT_EQ(UseOfStatement("(a b : Nat) : f a b = f b a"), "simp grind");
  EXPECT_EQ(UseOfStatement("(xs : List α) (h : 0 < xs.length) : (rev xs).length = xs.length"),
            "simp grind");
  EXPECT_EQ(UseOfStatement("{x : Nat} : Even x → Even (x + 2)"), "simp grind");
  EXPECT_EQ(UseOfStatement(": ∀ a b, mul a b = mul b a"), "simp grind");
}

TEST(TheoremUse, ConclusionsAboutAVariableMatchEverything) {
  EXPECT_EQ(UseOfStatement("(a b c : G) (h : op a b = op a c) : b = c"), "grind");
  EXPECT_EQ(UseOfStatement("(a b c : G) : op a b = op a c → b = c"), "grind");
  EXPECT_EQ(UseOfStatement("(P : V → Prop) (h : Path a b) (ha : P a) : P b"), "grind");
  EXPECT_EQ(UseOfStatement("(a b : α) : a = b"), "");
  EXPECT_EQ(UseOfStatement("[Inhabited α] (a b : α) : a = b"), "");
  EXPECT_EQ(UseOfStatement("(f : Nat → Nat) (h : ∀ n, f n < f (n + 1)) (n : Nat) : n ≤ f n"), "");
}

TEST(TheoremUse, ConditionsAboutEverything) {
  EXPECT_EQ(UseOfStatement("(e : G) (h : ∀ a : G, op e a = a) : e = one"), "");
  EXPECT_EQ(UseOfStatement("(h : ∀ a : G, op a a = one) (a b : G) : op a b = op b a"), "grind");
}

}  // namespace
}  // namespace zermelo::policy
