#include "data/examples.h"

#include <gtest/gtest.h>

namespace zermelo::data {
namespace {

TEST(ExamplesTest, EachTracedTacticIsAnExampleOfItsTheorem) {
  ProofExample proof;
  proof.origin.theorem.name = "A.b";
  proof.origin.source = {{"file", "A.lean"}};
  TracedTactic intro, closing, unfinished;
  intro.before = "⊢ ∀ (n : Nat), n = n";
  intro.tactic = "intro n";
  closing.before = "n : Nat\n⊢ n = n";
  closing.tactic = "exact Eq.refl n";
  closing.closes = true;
  closing.premises = {"Eq.refl", "mine"};
  closing.elsewhere = {"Eq.refl"};
  unfinished.before = "⊢ p";
  unfinished.tactic = "sorry";
  proof.traced = {intro, closing, unfinished};

  const auto examples = ExamplesOf({proof});
  ASSERT_EQ(examples.size(), 2u);
  EXPECT_EQ(examples[0].tactic.text, "intro n");
  EXPECT_FALSE(examples[0].closes);
  EXPECT_EQ(examples[1].tactic.text, "exact Eq.refl §0§");
  EXPECT_TRUE(examples[1].closes);
  EXPECT_EQ(examples[1].premises, std::vector<std::string>{"Eq.refl"});
  EXPECT_EQ(examples[1].source.place, "A.lean");
  EXPECT_EQ(examples[1].source.theorem, "A.b");
  // The theorem under another name, in a section with its variable.
  EXPECT_EQ(examples[1].source.statement,
            learn::SourceOf("c", "C.lean", "m : Nat\n⊢ m = m").statement);
}

}  // namespace
}  // namespace zermelo::data
