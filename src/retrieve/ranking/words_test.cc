#include "retrieve/ranking/words.h"

#include <gtest/gtest.h>

namespace zermelo::retrieve {
namespace {

std::vector<std::string> Last(const std::vector<WordGroup>& groups) {
  std::vector<std::string> words;
  for (const WordGroup& group : groups) words.push_back(group.back());
  return words;
}

TEST(Words, SplitsCamelCaseNamesAndAddsWordsOfNotations) {
  EXPECT_EQ(IndexWords("List.getElem_append", "(a b : Nat) : a + b ≤ b"), "get elem add le");
  EXPECT_EQ(IndexWords("Nat.add_comm", ": True"), "");
}

TEST(Words, EnglishWordsGetTheFormsUsedInNames) {
  const auto groups =
      QueryWords("The addition of naturals is commutative", QueryLanguage::kEnglish);
  EXPECT_EQ(Last(groups), (std::vector<std::string>{"addition", "naturals", "commutative"}));
  EXPECT_EQ(groups[0], (WordGroup{"add", "addition"}));
  EXPECT_EQ(groups[2], (WordGroup{"comm", "commutative"}));
}

TEST(Words, IgnoresVariablesOfAGoal) {
  EXPECT_EQ(Last(QueryWords("n m : Nat ⊢ n + m = m + n", QueryLanguage::kLean)),
            (std::vector<std::string>{"nat", "add", "eq"}));
}

TEST(Words, UsesEachWordOnce) {
  EXPECT_EQ(QueryWords("list list List", QueryLanguage::kEnglish).size(), 1U);
  EXPECT_EQ(QueryWords("", QueryLanguage::kEnglish).size(), 0U);
}

TEST(Words, PutsTheNarrowestExpressionAndTheRarestWordsFirst) {
  const std::vector<WordGroup> groups = {{"nat"}, {"add"}, {"comm", "commutative"}, {"eq"}};
  const auto expressions = MatchExpressions(groups, {90, 50, 5, 900}, 1000);
  ASSERT_EQ(expressions.size(), 4U);
  EXPECT_EQ(expressions[0], "\"comm\" AND \"add\" AND \"nat\"");
  EXPECT_EQ(expressions[1], "(\"comm\" OR \"commutative\") AND \"add\" AND \"nat\"");
  EXPECT_EQ(expressions[2], "(\"comm\" OR \"commutative\") AND \"add\"");
  EXPECT_EQ(expressions[3], "(\"comm\" OR \"commutative\") OR \"add\" OR \"nat\"");
}

TEST(Words, WordsUnknownToTheLibraryDoNotHideTheOthers) {
  const auto expressions = MatchExpressions({{"zebra"}, {"add"}, {"comm"}}, {0, 50, 60}, 10'000);
  EXPECT_EQ(expressions[0], "\"zebra\" AND \"add\" AND \"comm\"");
  EXPECT_EQ(expressions[1], "\"add\" AND \"comm\"");
}

TEST(Words, RemovesEnglishEndings) {
  EXPECT_EQ(QueryWords("appended lists", QueryLanguage::kEnglish),
            (std::vector<WordGroup>{{"append", "appended"}, {"list", "lists"}}));
}

TEST(Words, UsesAFrequentWordIfThereIsNoOther) {
  EXPECT_EQ(MatchExpressions({{"eq"}}, {900}, 1000), (std::vector<std::string>{"\"eq\""}));
  EXPECT_TRUE(MatchExpressions({}, {}, 1000).empty());
}

}  // namespace
}  // namespace zermelo::retrieve
