#include "decoder/scoring.h"

#include <cmath>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "decoder/testing/models.h"

namespace zermelo::decoder {
namespace {

using nlohmann::json;
using testing::kModels;
using testing::ReadJson;

TEST(LogProbabilitiesTest, AreThoseOfTransformers) {
  const json expected = ReadJson(kModels / "expected.json").at("qwen3");
  const auto tokens = expected.at("tokens").get<std::vector<Token>>();
  const auto decoder = Decoder::Load(kModels / "qwen3").value();
  const auto logprobs = LogProbabilities(decoder, tokens);
  ASSERT_EQ(logprobs.size(), tokens.size() - 1);
  for (const size_t row : {size_t{0}, size_t{1}}) {
    const auto logits = expected.at("rows").at(row).get<std::vector<double>>();
    const auto position = expected.at("positions").at(row).get<size_t>();
    double sum = 0;
    for (const double logit : logits) sum += std::exp(logit);
    const auto next = static_cast<size_t>(tokens[position + 1]);
    EXPECT_NEAR(logprobs[position], logits[next] - std::log(sum), 1e-4) << position;
  }
}

TEST(LogProbabilitiesTest, OfALongTextAreThoseOfItsTokensInTurn) {
  const auto decoder = Decoder::Load(kModels / "llama").value();
  std::vector<Token> tokens;
  for (Token i = 0; i < 300; ++i) tokens.push_back(i * 7 % 320);
  const auto logprobs = LogProbabilities(decoder, tokens);
  ASSERT_EQ(logprobs.size(), 299U);
  Sequence sequence;
  for (size_t i = 0; i < 299; ++i) {
    const Decoder::Step step{.sequence = &sequence, .tokens = {tokens[i]}};
    const auto logits = decoder.Append({&step, 1});
    double sum = 0;
    for (const float logit : logits) sum += std::exp(logit);
    ASSERT_NEAR(logprobs[i], logits[static_cast<size_t>(tokens[i + 1])] - std::log(sum), 1e-3) << i;
  }
}

TEST(LogProbabilitiesTest, OneTokenHasNone) {
  EXPECT_TRUE(
      LogProbabilities(Decoder::Load(kModels / "llama").value(), std::vector<Token>{3}).empty());
}

}  // namespace
}  // namespace zermelo::decoder
