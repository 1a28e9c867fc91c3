#include "policy/heuristics/file_facts.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace zermelo::policy {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class FileFactsTest : public ::testing::Test {
 protected:
  void Choose(const std::string& file, const std::string& goal, size_t effort = 0) {
    StepContext context;
    context.file = std::make_shared<const std::vector<syntax::FileConstant>>(
        syntax::ConstantsOf(syntax::File(file)));
    context.effort = effort;
    file_ = context.file;
    facts = ChooseFor(syntax::ParseProofState(goal).goals.front(), context);
    theorems.clear();
    for (const auto* theorem : facts.theorems) theorems.push_back(theorem->name);
  }

  FileFacts facts;
  std::vector<std::string> theorems;

 private:
  std::shared_ptr<const std::vector<syntax::FileConstant>> file_;
};

constexpr const char* kFile =
    "def snoc : List α → α → List α\n  | [], a => [a]\n  | x :: xs, a => x :: snoc xs a\n"
    "def rev : List α → List α\n  | [] => []\n  | x :: xs => snoc (rev xs) x\n"
    "def other (n : Nat) : Nat := n\n"
    "theorem snoc_length : (snoc xs a).length = xs.length + 1 := sorry\n"
    "theorem other_eq (n : Nat) : other n = n := rfl\n"
    "theorem rev_snoc : rev (snoc xs a) = a :: rev xs := sorry\n";

TEST_F(FileFactsTest, WhatTheGoalMentionsAndWhatThatMentions) {
  Choose(kFile, "α : Type\nxs : List α\n⊢ rev (rev xs) = xs");
  ASSERT_EQ(facts.mentioned.size(), 1U);
  EXPECT_EQ(facts.mentioned[0]->name, "rev");
  EXPECT_THAT(facts.definitions, ElementsAre("rev", "snoc"));
  EXPECT_THAT(theorems, ElementsAre("rev_snoc"));
}

TEST_F(FileFactsTest, TheNearestTheoremFirst) {
  Choose(kFile, "xs : List α\na : α\n⊢ (snoc xs a).length = 1 + xs.length");
  EXPECT_THAT(theorems, ElementsAre("rev_snoc", "snoc_length"));
}

TEST_F(FileFactsTest, NothingForAGoalAboutSomethingElse) {
  Choose(kFile, "n : Nat\nh : n % 7 = 3\n⊢ (2 * n + 1) % 7 = 0");
  EXPECT_THAT(facts.definitions, IsEmpty());
  EXPECT_THAT(theorems, IsEmpty());
}

TEST_F(FileFactsTest, ATheoremAboutNumbersByItsOperators) {
  constexpr const char* kNumbers =
      "def f (n : Nat) : Nat := n\n"
      "theorem fermat (h : 2 < n) (e : a ^ n + b ^ n = c ^ n) : a * b * c = 0 := sorry\n"
      "theorem divides (h : a ∣ b) : a ∣ b % c := sorry\n"
      "theorem of_f : f a ^ 2 + b * c = 0 := sorry\n";
  Choose(kNumbers, "a b c : Nat\ne : a ^ 5 + b ^ 5 = c ^ 5\n⊢ a * b * c = 0");
  EXPECT_THAT(theorems, ElementsAre("fermat"));
}

TEST_F(FileFactsTest, AFunctionOfAnotherTypeIsNotMeant) {
  const std::string file =
      "inductive T | leaf | node (l r : T)\ninductive H | nil | heap (a : H)\n"
      "def T.size : T → Nat\n  | .leaf => 0\n  | .node l r => l.size + r.size\n"
      "def H.size : H → Nat\n  | .nil => 0\n  | .heap a => a.size\n";
  Choose(file, "t : T\n⊢ t.size ≤ 1");
  EXPECT_THAT(facts.definitions, ElementsAre("T.size"));
  ASSERT_NE(facts.Type("T"), nullptr);
  EXPECT_EQ(facts.Type("H"), nullptr);
}

TEST_F(FileFactsTest, AFunctionThatIsPrintedWithoutItsNamespace) {
  const std::string file =
      "inductive V : Nat → Type | nil : V 0 | cons (a : Nat) (v : V n) : V (n + 1)\n"
      "namespace V\n"
      "def sum : V n → Nat | nil => 0 | cons a v => a + sum v\n"
      "def replicate : (n : Nat) → Nat → V n | 0, _ => nil | n + 1, a => cons a (replicate n a)\n"
      "theorem replicate_zero : replicate 0 a = nil := rfl\n"
      "end V\n"
      "def H := Nat\n"
      "def H.sum (h : H) : Nat := h\n";
  Choose(file, "n k : Nat\n⊢ (replicate n k).sum = n * k");
  EXPECT_THAT(facts.definitions, ElementsAre("V.replicate", "V.sum"));
  EXPECT_EQ(facts.mentioned.size(), 2U);
  EXPECT_THAT(theorems, ElementsAre("V.replicate_zero"));
}

TEST_F(FileFactsTest, AFewOfMany) {
  std::string file = "def f (n : Nat) : Nat := n\n";
  for (int i = 0; i < 50; ++i) file += fmt::format("theorem t{0} : f {0} = {0} := rfl\n", i);
  Choose(file, "⊢ f 100 = 100");
  EXPECT_THAT(theorems, ElementsAre("t49", "t48", "t47", "t46", "t45", "t44"));
  Choose(file, "⊢ f 100 = 100", 1);
  EXPECT_EQ(theorems.size(), 12U);
}

TEST_F(FileFactsTest, AGeneralTheoremComesBeforeNearerOnesAboutSingleValues) {
  std::string file =
      "def f (n : Nat) : Nat := n\ntheorem all (n : Nat) : f n = n := rfl\n"
      "variable (k : Nat)\ntheorem of_k : f k = k := rfl\n";
  for (int i = 0; i < 9; ++i) file += fmt::format("theorem t{0} : f {0} = {0} := rfl\n", i);
  Choose(file, "n : Nat\n⊢ f (f n) = n");
  EXPECT_THAT(theorems, ElementsAre("t8", "t7", "t6", "t5", "of_k", "all"));
}

TEST_F(FileFactsTest, AnOperatorOfOnesOwnIsUnfolded) {
  Choose(
      "structure V where\n  x : Nat\ndef V.plus (a b : V) : V := ⟨a.x + b.x⟩\n"
      "instance : Add V := ⟨V.plus⟩\n",
      "a b : V\n⊢ a + b = b + a");
  EXPECT_THAT(facts.definitions,
              ElementsAre("V.plus", "show ∀ a b : V, a + b = V.plus a b from fun _ _ => rfl"));
}

TEST_F(FileFactsTest, TheoremsAboutTheGoalsOperators) {
  std::string file =
      "structure V where\n  x : Nat\n"
      "instance : Add V := ⟨fun a b => ⟨a.x + b.x⟩⟩\ninstance : Mul V := ⟨fun a b => ⟨a.x * b.x⟩⟩\n"
      "theorem mul_one (a b : V) : a * b = b := sorry\n";
  for (int i = 0; i < 6; ++i) file += fmt::format("theorem t{} (a b : V) : a + b = b := rfl\n", i);
  Choose(file, "a b : V\n⊢ a * b = b * a");
  EXPECT_THAT(theorems, ElementsAre("mul_one"));
}

TEST_F(FileFactsTest, OnlyOperatorsThatAreUsed) {
  const std::string file =
      "structure V where\n  x : Nat\n"
      "instance : Add V := ⟨fun a b => ⟨a.x + b.x⟩⟩\ninstance : Mul V := ⟨fun a b => ⟨a.x * b.x⟩⟩\n"
      "def V.square (a : V) : V := a * a\n";
  Choose(file, "a b : V\n⊢ a = b");
  EXPECT_THAT(facts.definitions, IsEmpty());
  Choose(file, "a b : V\n⊢ a.square = b.square");
  EXPECT_THAT(facts.definitions,
              ElementsAre("V.square", ::testing::StartsWith("show ∀ a b : V, a *")));
}

TEST_F(FileFactsTest, ANotationMentions) {
  Choose("def app (a b : List Nat) := a\ninfixl:65 \" +++ \" => app\n",
         "a : List Nat\n⊢ a +++ a = a");
  EXPECT_THAT(facts.definitions, ElementsAre("app"));
}

}  // namespace
}  // namespace zermelo::policy
