#include "data/perplexity.h"

#include <cmath>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/files/file.h"
#include "decoder/model_folder.h"
#include "decoder/scoring.h"
#include "decoder/testing/models.h"

namespace zermelo::data {
namespace {

using core::ErrorCode;
using decoder::testing::kModels;
using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Row RowWith(json fields) {
  Row row;
  row.json = std::move(fields);
  row.kind = "proof";
  return row;
}

class UnderAModel : public ::testing::Test {
 protected:
  /// Of the tokens from number `from` to the end of `text`, and of the end of text if wanted.
  double Expected(const std::string& text, size_t from, bool end) const {
    auto tokens = model_.tokenizer.Encode(text);
    if (end) tokens.push_back(model_.decoder.config().ends.at(0));
    const auto logprobs = decoder::LogProbabilities(model_.decoder, tokens);
    double sum = 0;
    for (size_t i = from; i < tokens.size(); ++i) sum += logprobs[i - 1];
    return std::exp(-sum / static_cast<double>(tokens.size() - from));
  }
  double Of(json fields) const { return perplexity_(RowWith(std::move(fields))).value().value(); }

  const decoder::DecoderAndTokenizer model_ = decoder::LoadModelFolder(kModels / "llama").value();
  const Perplexity perplexity_ = PerplexityFrom(kModels / "llama").value();
};

TEST_F(UnderAModel, OnlyWhatCarriesLossCounts) {
  const size_t prompt = model_.tokenizer.Encode("theorem t\n").size();
  const double expected = Expected("theorem t\n  simp\n", prompt, true);
  EXPECT_NEAR(Of({{"prompt", "theorem t\n"}, {"completion", "  simp\n"}}), expected,
              1e-3 * expected);
  const json segments{{{"text", "theorem t\n"}, {"loss", false}},
                      {{"text", "  simp\n"}, {"loss", true}}};
  EXPECT_NEAR(Of({{"segments", segments}}), expected, 1e-3 * expected);
  EXPECT_GT(std::abs(Expected("theorem t\n  simp\n", 1, true) - expected), 1e-2 * expected);
}

TEST_F(UnderAModel, APromptForReinforcementLearningCountsAsAWhole) {
  const double expected = Expected("theorem t : p := by\n", 1, false);
  EXPECT_NEAR(Of({{"prompt", "theorem t : p := by\n"}, {"theorem", {{"name", "t"}}}}), expected,
              1e-3 * expected);
}

TEST_F(UnderAModel, ARowLongerThanTheContextIsUnknown) {
  const auto value =
      perplexity_(RowWith({{"prompt", std::string(5000, '!')}, {"completion", "a"}}));
  ASSERT_TRUE(value);
  EXPECT_FALSE(*value);
}

TEST_F(UnderAModel, AChatIsRefused) {
  const json chat{{{"role", "user"}, {"content", "Prove it."}}};
  for (const json& row : {json{{"prompt", chat}}, json{{"messages", chat}}}) {
    const auto value = perplexity_(RowWith(row));
    ASSERT_FALSE(value);
    EXPECT_EQ(value.error().code, ErrorCode::kUsage);
  }
}

class FromAFile : public ::testing::Test {
 protected:
  auto Read(const std::string& text) const {
    const auto path = folder_.path() / "scored.jsonl";
    std::ofstream(path) << text;
    return PerplexityFrom(path);
  }
  const core::TemporaryFolder folder_ = core::TemporaryFolder::Create("perplexity").value();
};

TEST_F(FromAFile, RowsAreKnownByTheirContent) {
  const auto perplexity = Read(
      "{\"prompt\": \"b\", \"completion\": \"c\", \"source\": {\"run\": 7}, \"perplexity\": "
      "2.5}\n\n"
      "{\"completion\": \"c\", \"prompt\": \"a\", \"perplexity\": 3}\n");
  ASSERT_TRUE(perplexity);
  EXPECT_EQ((*perplexity)(RowWith({{"prompt", "a"}, {"completion", "c"}, {"source", "x"}})).value(),
            3);
  EXPECT_EQ((*perplexity)(RowWith({{"prompt", "b"}, {"completion", "c"}})).value(), 2.5);
  EXPECT_EQ(
      (*perplexity)(RowWith({{"prompt", "b"}, {"completion", "c"}, {"pass_rate", 0.5}})).value(),
      2.5)
      << "statistics are not what is scored";
  EXPECT_EQ((*perplexity)(RowWith({{"prompt", "c"}, {"completion", "c"}})).value(), std::nullopt);
}

TEST_F(FromAFile, ALineWithoutANumberIsNamed) {
  EXPECT_THAT(Read("{\"perplexity\": 1}\n{\"prompt\": \"a\"}\n").error().message,
              HasSubstr("scored.jsonl:2: "));
  EXPECT_THAT(Read("no JSON\n").error().message, HasSubstr("scored.jsonl:1: "));
  EXPECT_EQ(PerplexityFrom(folder_.path() / "none").error().code, ErrorCode::kInput);
}

TEST(DropTailsTest, EachKindLosesItsOwnTails) {
  const std::vector<double> values{5, 1, 4, NAN, 2, 3, 500, 100, 200, 400, 300, -1};
  Filtered filtered;
  filtered.removed["duplicate"] = 7;
  for (size_t i = 0; i < values.size(); ++i) {
    filtered.rows.push_back(RowWith({{"prompt", i}}));
    if (i >= 6) filtered.rows.back().kind = "tactic";
  }
  const Perplexity given = [&](const Row& row) -> core::Result<std::optional<double>> {
    const double value = values[row.json["prompt"].get<size_t>()];
    return value < 0 ? std::nullopt : std::optional(value);
  };
  ASSERT_TRUE(DropTails(given, {.lower = 0.2, .upper = 0.4}, filtered));
  std::vector<double> kept;
  for (const Row& row : filtered.rows) kept.push_back(row.json["perplexity"]);
  EXPECT_THAT(kept, ElementsAre(2, 3, 200, 300)) << "in the order of the rows";
  EXPECT_EQ(filtered.removed["perplexity"], 8U) << "two of them unknown";
  EXPECT_EQ(filtered.removed["duplicate"], 7U);
}

TEST(DropTailsTest, WithoutTailsTheRowsGetTheirPerplexity) {
  Filtered filtered;
  filtered.rows = {RowWith({{"prompt", "a"}})};
  const Perplexity given = [](const Row&) { return std::optional(1.23456789); };
  ASSERT_TRUE(DropTails(given, {.lower = 0, .upper = 0}, filtered));
  EXPECT_EQ(filtered.rows.at(0).json["perplexity"], 1.2346);
}

TEST(DropTailsTest, AnErrorEndsIt) {
  Filtered filtered;
  filtered.rows = {RowWith({{"prompt", "a"}})};
  const Perplexity fails = [](const Row&) -> core::Result<std::optional<double>> {
    return core::Fail(ErrorCode::kUsage, "no text");
  };
  EXPECT_FALSE(DropTails(fails, Tails(), filtered));
}

}  // namespace
}  // namespace zermelo::data
