#include "learn/features.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>

namespace zermelo::learn {
namespace {

std::vector<Feature> Of(std::string_view goal) {
  return FeaturesOf(syntax::ParseProofState(goal).goals.at(0));
}

size_t Common(const std::vector<Feature>& a, const std::vector<Feature>& b) {
  return static_cast<size_t>(
      std::ranges::count_if(a, [&](Feature f) { return std::ranges::binary_search(b, f); }));
}

TEST(FeaturesTest, NamesOfVariablesDoNotMatter) {
  EXPECT_EQ(Of("x y : Nat\nh : x < y\n⊢ x + 1 ≤ y"), Of("n m : Nat\nhnm : n < m\n⊢ n + 1 ≤ m"));
  EXPECT_EQ(Of("x✝¹ x✝ : Nat\n⊢ x✝¹ + x✝ = 0"), Of("a b : Nat\n⊢ a + b = 0"));
  EXPECT_EQ(Of("x✝ : Rat\n⊢ x✝.den = 1"), Of("a : Rat\n⊢ a.den = 1"));
  EXPECT_EQ(Of("⊢ ∀ x, P x"), Of("⊢ ∀ y, P y"));
}

TEST(FeaturesTest, TypesOfVariablesMatter) {
  EXPECT_NE(Of("x : Nat\n⊢ x = x"), Of("x : Int\n⊢ x = x"));
}

TEST(FeaturesTest, WhatStandsBelowWhatMatters) {
  const auto product_of_sums = Of("a b c : Nat\n⊢ (a + b) * c = 0");
  EXPECT_NE(product_of_sums, Of("a b c : Nat\n⊢ a * b + c = 0"));
  EXPECT_EQ(product_of_sums, Of("a b c : Nat\n⊢ (b + c) * a = 0"));
  EXPECT_NE(Of("⊢ f (g x) = 0"), Of("⊢ g (f x) = 0"));
}

TEST(FeaturesTest, SimilarGoalsHaveMoreInCommon) {
  const auto goal = Of("xs ys : List Nat\n⊢ (xs ++ ys).length = xs.length + ys.length");
  const auto similar = Of("as bs : List Nat\n⊢ (as ++ bs).reverse.length = bs.length + as.length");
  const auto other = Of("p q : Prop\nh : p ∧ q\n⊢ q ∧ p");
  EXPECT_GT(Common(goal, similar), goal.size() / 2);
  EXPECT_LT(Common(goal, other), 3u);
}

TEST(FeaturesTest, AnyTextIsRead) {
  for (const char* target : {"", ")", "((((", "∀", "if then else", "fun x =>", "f :", "a , b", "⟨",
                             "+ + +", "{ x // p x }", "x.1.2", "\xff\xfe"}) {
    EXPECT_LE(FeaturesOf({.tag = "", .hypotheses = {}, .target = target}).size(), 96u) << target;
  }
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "(f ";
  EXPECT_FALSE(FeaturesOf({.tag = "", .hypotheses = {}, .target = deep}).empty());
}

}  // namespace
}  // namespace zermelo::learn
