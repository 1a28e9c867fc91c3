#include "eval/budget.h"

#include <gtest/gtest.h>

namespace zermelo::eval {
namespace {

AttemptBudget Parsed(const std::string& text) {
  const auto budget = ParseBudget(text);
  EXPECT_TRUE(budget) << text;
  return budget.value_or(AttemptBudget{.attempts = 0});
}

TEST(Budgets, ParseTheNotationOfThePapers) {
  EXPECT_EQ(Parsed("16x6400"), (AttemptBudget{.attempts = 16, .samples = 6400}));
  EXPECT_EQ(Parsed("4×6.4k"), (AttemptBudget{.attempts = 4, .samples = 6400}));
  EXPECT_EQ(Parsed("128"), (AttemptBudget{.samples = 128}));
  EXPECT_EQ(Parsed("10s"), (AttemptBudget{.seconds = 10}));
  EXPECT_EQ(Parsed("4x1.5h"), (AttemptBudget{.attempts = 4, .seconds = 5400}));
  EXPECT_EQ(Parsed("2Mtok"), (AttemptBudget{.tokens = 2'000'000}));
  EXPECT_EQ(Parsed("$0.50"), (AttemptBudget{.dollars = 0.5}));
  EXPECT_EQ(
      ParseBudget("16x6400,30m,2usd,500ktokens"),
      (AttemptBudget{
          .attempts = 16, .samples = 6400, .seconds = 1800, .tokens = 500'000, .dollars = 2}));
}

TEST(Budgets, SurviveFormattingAndParsing) {
  for (const char* text : {"16x6400", "60s", "4x6400,1800s,2000000tok,$0.5", "$2"}) {
    EXPECT_EQ(ToText(Parsed(text)), text);
    EXPECT_EQ(Parsed(ToText(Parsed(text))), ParseBudget(text));
  }
}

TEST(Budgets, MalformedOnesAreRejected) {
  for (const char* text : {"", "x", "16x", "x6400", "0x5", "16x0", "-3", "1.5", "2x2x2", "60q", "$",
                           "$x", "inf", "nan", "1e99", "16x6400,", "10x5,3x2", "60 s", "1.5tok"}) {
    EXPECT_FALSE(ParseBudget(text)) << text;
  }
}

}  // namespace
}  // namespace zermelo::eval
