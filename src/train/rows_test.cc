#include "train/rows.h"

#include <ATen/ATen.h>
#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>

#include "core/files/file.h"
#include "decoder/testing/models.h"
#include "train/testing/files.h"

namespace zermelo::train {
namespace {

using decoder::testing::kModels;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::WriteLines;

class RowsTest : public ::testing::Test {
 protected:
  core::Result<RowFile> Read(const std::vector<nlohmann::json>& lines, size_t context = 100,
                             bool drop = false) {
    return ReadRows(WriteLines(folder_.path() / "rows.jsonl", lines), tokenizer_, {0}, context,
                    drop);
  }
  std::string ErrorOf(const std::vector<nlohmann::json>& lines, size_t context = 100) {
    const auto read = Read(lines, context);
    return read ? "" : read.error().message;
  }

  const core::TemporaryFolder folder_ = core::TemporaryFolder::Create("zermelo-rows").value();
  const decoder::Tokenizer tokenizer_ =
      decoder::Tokenizer::Read(kModels / "llama/tokenizer.json").value();
};

TEST_F(RowsTest, OnlyTheCompletionAndTheEndAreLearnt) {
  const auto read = Read({{{"prompt", "ab"}, {"completion", "c"}, {"source", nullptr}}});
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->rows.size(), 1U);
  EXPECT_EQ(read->rows[0].tokens.size(), 4U);
  EXPECT_EQ(read->rows[0].tokens.back(), 0);
  EXPECT_THAT(read->rows[0].learnt, ElementsAre(false, false, true, true));
}

TEST_F(RowsTest, SegmentsAreLearntAsTheySay) {
  const auto read = Read({{{"segments",
                            {{{"text", "a"}, {"loss", false}},
                             {{"text", "b"}, {"loss", true}},
                             {{"text", "c"}, {"loss", false}}}}}});
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_THAT(read->rows[0].learnt, ElementsAre(false, true, false, false));
}

TEST_F(RowsTest, OfAConversationTheAssistantsMessagesAreLearntWithTheirEnds) {
  const auto message = [](const char* role, const char* content) {
    return nlohmann::json{{"role", role}, {"content", content}};
  };
  const auto read = Read({{{"messages",
                            {message("user", "prove"), message("assistant", "by rfl"),
                             message("user", "no"), message("assistant", "omega")}}}},
                         1000);
  ASSERT_TRUE(read) << read.error().message;
  const Row& row = read->rows.at(0);
  std::vector<decoder::Token> learnt, all = row.tokens;
  for (size_t i = 0; i < row.tokens.size(); ++i) {
    if (row.learnt[i]) learnt.push_back(row.tokens[i]);
  }
  EXPECT_EQ(tokenizer_.Decode(learnt), "by rfl<|im_end|>omega<|im_end|>");
  EXPECT_EQ(tokenizer_.Decode(all),
            "<|im_start|>user\nprove<|im_end|>\n<|im_start|>assistant\nby rfl<|im_end|>\n"
            "<|im_start|>user\nno<|im_end|>\n<|im_start|>assistant\nomega<|im_end|>\n");
}

TEST_F(RowsTest, OfAChatInTwoPartsOnlyTheCompletionIsLearnt) {
  const auto message = [](const char* role, const char* content) {
    return nlohmann::json{{"role", role}, {"content", content}};
  };
  const auto read =
      Read({{{"prompt",
              {message("user", "prove"), message("assistant", "by rfl"), message("user", "no")}},
             {"completion", {message("assistant", "omega")}}}},
           1000);
  ASSERT_TRUE(read) << read.error().message;
  const Row& row = read->rows.at(0);
  std::vector<decoder::Token> learnt;
  for (size_t i = 0; i < row.tokens.size(); ++i) {
    if (row.learnt[i]) learnt.push_back(row.tokens[i]);
  }
  EXPECT_EQ(tokenizer_.Decode(learnt), "omega<|im_end|>");
  EXPECT_THAT(tokenizer_.Decode(row.tokens), HasSubstr("assistant\nby rfl<|im_end|>\n"));
}

TEST_F(RowsTest, WhatWasJudgedToBeWrongIsNotLearnt) {
  const auto row = [](const char* text) {
    return nlohmann::json{{"prompt", "a"}, {"completion", text}};
  };
  nlohmann::json refused = row("b"), bad = row("c"), good = row("d");
  refused["label"] = false;
  bad["reward"] = -1.0;
  good["label"] = true;
  good["reward"] = 1.0;
  const auto read = Read({refused, bad, good});
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->rows.size(), 1U);
  EXPECT_EQ(read->rejected, 2U);
  EXPECT_THAT(ErrorOf({refused, bad}), HasSubstr("2 judged to be wrong"));
}

TEST_F(RowsTest, AConversationWithNativeToolCallsIsNamed) {
  const nlohmann::json call{
      {"role", "assistant"}, {"content", ""}, {"tool_calls", {{{"id", "1"}}}}};
  EXPECT_THAT(ErrorOf({{{"messages", {call}}}}), HasSubstr("native tool calls"));
}

TEST_F(RowsTest, WhatCannotBeLearntIsNamed) {
  EXPECT_THAT(ErrorOf({{{"prompt", "a"}}}), HasSubstr("rows.jsonl:1: "));
  EXPECT_THAT(ErrorOf({{{"prompt", "a"}, {"completion", 3}}}), HasSubstr("rows.jsonl:1: "));
  EXPECT_THAT(ErrorOf({"a"}), HasSubstr("rows.jsonl:1: "));
  EXPECT_THAT(ErrorOf({}), HasSubstr("no rows"));
  EXPECT_THAT(ErrorOf({{{"segments", {{{"text", "ab"}, {"loss", false}}}}}}),
              HasSubstr("no token of it carries loss"));
  EXPECT_THAT(ErrorOf({{{"segments", nlohmann::json::array()}}}), HasSubstr("the row is empty"));
  EXPECT_THAT(ErrorOf({{{"prompt", "abcd"}, {"completion", "e"}}}, 5),
              HasSubstr("6 tokens, more than a context of 5"));
  const auto kept = Read(
      {{{"prompt", "abcd"}, {"completion", "e"}}, {{"prompt", "a"}, {"completion", "e"}}}, 5, true);
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->dropped, 1U);
  EXPECT_EQ(kept->rows.size(), 1U);
}

std::vector<Row> OfLengths(const std::vector<size_t>& lengths) {
  std::vector<Row> rows;
  for (const size_t length : lengths) {
    rows.push_back({.tokens = std::vector<decoder::Token>(length, 1),
                    .learnt = std::vector<bool>(length, true)});
  }
  return rows;
}

TEST(PacksTest, HaveEveryRowOnceAndFit) {
  const auto rows = OfLengths({5, 3, 9, 1, 4, 7, 2, 8, 6, 10});
  const auto packs = MakePacks(rows, 10, 1, 0);
  std::vector<size_t> all;
  for (const Pack& pack : packs) {
    size_t length = 0;
    for (const size_t index : pack) length += rows[index].tokens.size();
    EXPECT_LE(length, 10U);
    all.insert(all.end(), pack.begin(), pack.end());
  }
  std::ranges::sort(all);
  EXPECT_THAT(all, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
  EXPECT_EQ(MakePacks(rows, 10, 1, 0), packs);
  EXPECT_NE(MakePacks(rows, 10, 1, 1), packs);
  EXPECT_NE(MakePacks(rows, 10, 2, 0), packs);
}

TEST(PacksTest, AreNearlyFull) {
  std::vector<size_t> lengths;
  for (size_t i = 0; i < 1000; ++i) lengths.push_back(10 + i * 37 % 91);
  const auto packs = MakePacks(OfLengths(lengths), 200, 1, 0);
  const double tokens = std::accumulate(lengths.begin(), lengths.end(), 0.0);
  EXPECT_GT(tokens / (200.0 * static_cast<double>(packs.size())), 0.95);
}

TEST(CollateTest, PositionsMasksAndTargets) {
  const std::vector<Row> rows{{.tokens = {1, 2}, .learnt = {true, true}},
                              {.tokens = {3, 4, 5}, .learnt = {false, false, true}},
                              {.tokens = {6}, .learnt = {true}}};
  const PackedRows packed = Collate(rows, std::vector<Pack>{{1, 0}, {2}});
  const auto equal = [](const at::Tensor& tensor, const std::vector<int64_t>& values) {
    return at::equal(tensor.reshape(-1), at::tensor(values, at::kLong));
  };
  EXPECT_TRUE(equal(packed.tokens, {3, 4, 5, 1, 2, 6, 0, 0, 0, 0}));
  EXPECT_TRUE(equal(packed.positions, {0, 1, 2, 0, 1, 0, 0, 0, 0, 0}));
  EXPECT_TRUE(equal(packed.places, {1, 3}));
  EXPECT_TRUE(equal(packed.targets, {5, 2}));
  EXPECT_TRUE(equal(packed.owners, {0, 1}));
  const at::Tensor open = (packed.mask[0][0] == 0).to(at::kLong);
  EXPECT_TRUE(
      equal(open, {1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1}));
  EXPECT_FALSE(Collate(rows, std::vector<Pack>{{1}, {0}}).mask.defined());
}

}  // namespace
}  // namespace zermelo::train
