#include "train/model/bpe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "decoder/tokenizer/tokenizer.h"

namespace zermelo::train {
namespace {

using ::testing::ElementsAre;

TEST(BpeTest, MergesTheMostFrequentPairs) {
  // "ab" 5 times, then "abab" as (ab)(ab) twice; " a" comes once only.
  const auto json = LearnTokenizer({"abab abab", "ab a"}, 300).value();
  const auto merges = json.at("model").at("merges").get<std::vector<std::vector<std::string>>>();
  ASSERT_GE(merges.size(), 2U);
  EXPECT_THAT(merges[0], ElementsAre("a", "b"));
  EXPECT_THAT(merges[1], ElementsAre("ab", "ab"));
  for (const auto& merge : merges) EXPECT_NE(merge, (std::vector<std::string>{"Ġ", "a"}));
}

TEST(BpeTest, TheDecoderReadsItAndTextsComeBack) {
  const std::string text = "theorem t (n : ℕ) : n + 0 = n := by\n  simp\n";
  const auto json = LearnTokenizer({text, text, text}, 400).value();
  const auto tokenizer = decoder::Tokenizer::Create(json);
  ASSERT_TRUE(tokenizer) << tokenizer.error().message;
  for (const std::string& other : {text, std::string("∀ x, \xff<|end| >")}) {
    EXPECT_EQ(tokenizer->Decode(tokenizer->Encode(other)), other);
  }
  EXPECT_LT(tokenizer->Encode(text).size(), text.size() / 2);
  EXPECT_EQ(tokenizer->Encode("<|end|>"), std::vector<decoder::Token>{0});
}

TEST(BpeTest, HasAtMostTheTokensAskedFor) {
  std::string text;
  for (int i = 0; i < 2000; ++i) text += "w" + std::to_string(i * 7919 % 1000) + " ";
  const auto json = LearnTokenizer({text}, 320).value();
  EXPECT_EQ(json.at("model").at("vocab").size(), 320U);
  EXPECT_EQ(LearnTokenizer({"a"}, 1000)->at("model").at("vocab").size(), 257U);
  EXPECT_EQ(LearnTokenizer({"a"}, 256).error().code, core::ErrorCode::kUsage);
}

}  // namespace
}  // namespace zermelo::train
