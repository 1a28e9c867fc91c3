#include "syntax/proof/tactic_places.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace zermelo::syntax {
namespace {

using ::testing::ElementsAre;

constexpr const char* kText = R"(theorem t (a b : Nat) (h : a = b) : a + b = b + a := by
    have k : b = a := by
      rw [h]
    cases a with
    | zero => simp
    | succ n =>
      all_goals (first | rw [x] | skip)
      omega
)";

TEST(TacticPlacesTest, EveryTacticWithAStateIsListed) {
  const File file(kText);
  std::vector<std::string> first_words;
  std::vector<size_t> depths;
  const auto places = TacticPlaces(file, file.declarations()[0]);
  for (const auto& place : places) {
    const auto text = file.Slice(place.range);
    first_words.emplace_back(text.substr(0, text.find(' ')));
    depths.push_back(place.depth);
  }
  EXPECT_THAT(first_words, ElementsAre("have", "rw", "cases", "simp", "all_goals", "omega"));
  EXPECT_THAT(depths, ElementsAre(0, 1, 0, 1, 1, 1));
}

TEST(TacticPlacesTest, TheNextTacticIsThatOfTheSameBlock) {
  const File file(kText);
  const auto places = TacticPlaces(file, file.declarations()[0]);
  ASSERT_EQ(places.size(), 6U);
  EXPECT_EQ(places[0].next, 2U);
  EXPECT_FALSE(places[1].next);
  EXPECT_FALSE(places[2].next);
  EXPECT_EQ(places[4].next, 5U);
}

}  // namespace
}  // namespace zermelo::syntax
