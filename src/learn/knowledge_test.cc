#include "learn/knowledge.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/files/file.h"

namespace zermelo::learn {
namespace {

Example Used(std::string_view goal, std::string_view tactic, Source source = {}) {
  return MakeExample(goal, tactic, true, std::move(source)).value();
}

std::vector<std::string> TacticsFor(const Knowledge& knowledge, std::string goal,
                                    Source source = {}) {
  std::vector<std::string> texts;
  for (const auto& each : knowledge.Ask({std::move(goal), std::move(source)}).tactics) {
    texts.push_back(each.tactic.text);
  }
  return texts;
}

TEST(ExampleTest, BytesGiveTheSameExample) {
  const Example example =
      Used("n : Nat\nh : n = 1\n⊢ n < 2", "exact Nat.foo h", {"A/B.lean", "A.b", 7});
  EXPECT_EQ(Decode(Encode(example)), example);
  EXPECT_EQ(example.premises, std::vector<std::string>{"Nat.foo"});
}

TEST(ExampleTest, OtherBytesAreNoExample) {
  const std::string whole = Encode(Used("⊢ p", "simp"));
  for (size_t size = 0; size < whole.size(); ++size) EXPECT_FALSE(Decode(whole.substr(0, size)));
  EXPECT_FALSE(Decode(std::string(100, '\xff')));
}

TEST(ExampleTest, UnfinishedAndHugeTacticsAreNotLearned) {
  EXPECT_FALSE(MakeExample("⊢ p", "exact sorry", true, {}));
  EXPECT_FALSE(MakeExample("⊢ p", "admit", true, {}));
  EXPECT_FALSE(MakeExample("⊢ p", std::string(5000, 'x'), true, {}));
  EXPECT_FALSE(MakeExample("", "simp", true, {}));
}

TEST(KnowledgeTest, TheTacticOfTheNearestGoalComesFirst) {
  Knowledge knowledge;
  knowledge.Add(Used("p q : Prop\nh : p ∧ q\n⊢ q ∧ p", "exact And.comm.mp h"));
  knowledge.Add(Used("xs : List Nat\n⊢ (xs ++ []).length = xs.length", "simp [foo]"));
  knowledge.Add(Used("a b : Nat\n⊢ a + b = b + a", "omega"));
  EXPECT_EQ(TacticsFor(knowledge, "ys : List Int\n⊢ (ys ++ []).length = ys.length").at(0),
            "simp [foo]");
  EXPECT_EQ(TacticsFor(knowledge, "r s : Prop\nk : r ∧ s\n⊢ s ∧ r").at(0), "exact And.comm.mp §0§");
}

TEST(KnowledgeTest, TacticsOfTheoremsWithCorrespondingNamesAreRenamed) {
  Knowledge knowledge;
  knowledge.Add(Used("x y : Nat\n⊢ x &&& y = y &&& x", "exact Nat.and_swap x y",
                     {"Bits.lean", "Nat.and_comm", 1}));
  EXPECT_EQ(
      TacticsFor(knowledge, "x y : Nat\n⊢ x ^^^ y = y ^^^ x", {"Bits.lean", "Nat.xor_comm", 2}),
      (std::vector<std::string>{"exact Nat.xor_swap §0§ §1§", "exact Nat.and_swap §0§ §1§"}));
}

TEST(KnowledgeTest, EqualTacticsAreOne) {
  Knowledge knowledge;
  knowledge.Add(Used("n : Nat\nh : n = 1\n⊢ n < 2", "simp [h]"));
  knowledge.Add(Used("n : Nat\nk : n = 1\n⊢ n < 3", "simp [k]"));
  EXPECT_EQ(TacticsFor(knowledge, "n : Nat\nh : n = 1\n⊢ n < 2"),
            std::vector<std::string>{"simp [§0§]"});
}

TEST(KnowledgeTest, NewerExamplesComeFirstAmongEquals) {
  Knowledge knowledge;
  knowledge.Add(Used("⊢ foo = 1", "old"));
  knowledge.Add(Used("⊢ foo = 1", "new"));
  EXPECT_EQ(TacticsFor(knowledge, "⊢ foo = 1"), (std::vector<std::string>{"new", "old"}));
}

TEST(KnowledgeTest, ExamplesOfTheSameFileComeFirst) {
  Knowledge knowledge;
  knowledge.Add(Used("⊢ foo = 1", "here", {"Here.lean", "a", 1}));
  knowledge.Add(Used("⊢ foo = 1", "there", {"There.lean", "b", 2}));
  EXPECT_EQ(TacticsFor(knowledge, "⊢ foo = 1", {"Here.lean", "c", 3}).at(0), "here");
  EXPECT_EQ(TacticsFor(knowledge, "⊢ foo = 1", {"There.lean", "c", 3}).at(0), "there");
}

TEST(KnowledgeTest, ATheoremLearnsNothingFromItself) {
  Knowledge knowledge;
  knowledge.Add(Used("⊢ foo = 1", "own", {"Here.lean", "a", 1}));
  EXPECT_TRUE(TacticsFor(knowledge, "⊢ foo = 1", {"There.lean", "b", 1}).empty())
      << "same statement";
  EXPECT_TRUE(TacticsFor(knowledge, "⊢ foo = 1", {"There.lean", "a", 2}).empty()) << "same name";
  EXPECT_EQ(TacticsFor(knowledge, "⊢ foo = 1", {"There.lean", "b", 2}).size(), 1u);
}

TEST(KnowledgeTest, InEvaluationsATheoremLearnsNothingFromNamesakes) {
  Knowledge knowledge;
  knowledge.Add(Used("⊢ foo = 1", "own", {"Here.lean", "My.a", 1}));
  Source source{"Set.lean", "a", 2};
  EXPECT_EQ(TacticsFor(knowledge, "⊢ foo = 1", source).size(), 1u);
  source.no_namesakes = true;
  EXPECT_TRUE(TacticsFor(knowledge, "⊢ foo = 1", source).empty());
  source.theorem = "b";
  EXPECT_EQ(TacticsFor(knowledge, "⊢ foo = 1", source).size(), 1u);
}

TEST(KnowledgeTest, ForeignGoalsGiveNothing) {
  Knowledge knowledge;
  EXPECT_TRUE(TacticsFor(knowledge, "⊢ foo = 1").empty());
  knowledge.Add(Used("⊢ foo = 1", "simp"));
  EXPECT_TRUE(TacticsFor(knowledge, "⊢ Qux a b").empty());
  EXPECT_TRUE(TacticsFor(knowledge, "no goal").empty());
}

TEST(KnowledgeTest, NeighboursVoteForPremises) {
  Knowledge knowledge;
  knowledge.Add(Used("⊢ foo 1 = 1", "simp [A.rare]"));
  knowledge.Add(Used("⊢ foo 2 = 1", "simp [A.often]"));
  knowledge.Add(Used("⊢ foo 3 = 1", "grind [A.often]"));
  const auto premises = knowledge.Ask({"⊢ foo 4 = 1", {}}).premises;
  EXPECT_EQ(premises, (std::vector<std::string>{"A.often", "A.rare"}));
}

TEST(KnowledgeTest, WhatIsSavedIsKnownToTheNext) {
  const auto folder = std::move(*core::TemporaryFolder::Create("zermelo-test-"));
  const auto path = folder.path() / "learned";
  const std::vector<Example> examples{Used("⊢ foo = 1", "simp"), Used("⊢ foo = 2", "omega")};
  Knowledge first;
  ASSERT_TRUE(first.Save(examples)) << "into nothing";
  first.KeepIn(path);
  ASSERT_TRUE(first.Save(examples));
  ASSERT_TRUE(first.Save(examples)) << "again";
  EXPECT_EQ(first.size(), 0u);
  Knowledge next;
  ASSERT_TRUE(next.Read(path));
  EXPECT_EQ(next.size(), 2u);
  EXPECT_EQ(TacticsFor(next, "⊢ foo = 2").at(0), "omega");
  ASSERT_TRUE(next.Read(folder.path() / "none"));
  EXPECT_FALSE(next.Read(folder.path()));
  EXPECT_EQ(next.size(), 2u);
}

TEST(KnowledgeTest, RareFeaturesFindTheirExamplesAmongMany) {
  Knowledge knowledge;
  knowledge.Add(Used("⊢ needle 1 = 1", "found"));
  for (int i = 0; i < 20'000; ++i) {
    Example example;
    example.features = FeaturesOf(syntax::ParseProofState("⊢ hay 1 = 1").goals.front());
    example.tactic.text = fmt::format("t{}", i);
    knowledge.Add(example);
  }
  EXPECT_EQ(TacticsFor(knowledge, "⊢ needle 1 = 1").at(0), "found");
}

}  // namespace
}  // namespace zermelo::learn
