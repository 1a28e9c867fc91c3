// Tokens equal those of Hugging Face's tokenizers (testing/make_models.py).
#include "decoder/tokenizer/tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "decoder/testing/models.h"

namespace zermelo::decoder {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using testing::kModels;
using testing::ReadJson;

TEST(TokenizerTest, EncodesAsTheOriginal) {
  const json expected = ReadJson(kModels / "expected.json");
  for (const char* kind : {"llama", "qwen3"}) {  // GPT-2's pattern, and a split with a template
    const Tokenizer tokenizer = Tokenizer::Read(kModels / kind / "tokenizer.json").value();
    const auto encoded = expected.at(kind).at("encoded").get<std::vector<std::vector<Token>>>();
    const auto texts = expected.at("texts").get<std::vector<std::string>>();
    for (size_t i = 0; i < texts.size(); ++i) {
      EXPECT_EQ(tokenizer.Encode(texts[i]), encoded[i]) << kind << ": " << texts[i];
    }
  }
}

TEST(TokenizerTest, EncodesAsPublishedTokenizers) {
  const json expected = ReadJson(kModels / "expected.json").at("published");
  ASSERT_EQ(expected.size(), 3U);
  for (const auto& [kind, published] : expected.items()) {
    const auto tokenizer = Tokenizer::Read(kModels / "tokenizers" / (kind + ".json")).value();
    const auto encoded = published.at("encoded").get<std::vector<std::vector<Token>>>();
    const auto texts = published.at("texts").get<std::vector<std::string>>();
    for (size_t i = 0; i < texts.size(); ++i) {
      EXPECT_EQ(tokenizer.Encode(texts[i]), encoded[i]) << kind << ": " << texts[i];
    }
  }
}

TEST(TokenizerTest, NoUtf8IsLeftAsItIs) {
  const auto tokenizer = Tokenizer::Read(kModels / "tokenizers/qwen.json").value();
  const std::string text = "e\xcc\x81 \xff\xfe";
  EXPECT_EQ(tokenizer.Decode(tokenizer.Encode(text)), text);
}

TEST(TokenizerTest, DecodingGivesTheTextBack) {
  const Tokenizer tokenizer = Tokenizer::Read(kModels / "llama/tokenizer.json").value();
  std::string bytes;
  for (int byte = 0; byte < 256; ++byte) bytes += static_cast<char>(byte);
  for (const std::string& text : {std::string("theorem ℕ ⊢ x₁\n"), bytes, std::string()}) {
    EXPECT_EQ(tokenizer.Decode(tokenizer.Encode(text)), text);
  }
  EXPECT_EQ(tokenizer.Decode({-1, 1'000'000}), "");
  EXPECT_EQ(tokenizer.Decode(tokenizer.Encode("<|end|>omega")), "omega")
      << "special tokens are no text";
}

TEST(TokenizerTest, ALongPieceTakesTimeLinearInItsLength) {
  const Tokenizer tokenizer = Tokenizer::Read(kModels / "llama/tokenizer.json").value();
  const std::string text(1'000'000, 'a');
  EXPECT_EQ(tokenizer.Decode(tokenizer.Encode(text)), text);
}

TEST(TokenizerTest, OtherKindsAreRefused) {
  const json good = ReadJson(kModels / "llama/tokenizer.json");
  const auto error = [&](const std::string& at, const json& value) {
    json changed = good;
    changed[json::json_pointer(at)] = value;
    const auto read = Tokenizer::Create(changed);
    return read ? std::string() : read.error().message;
  };
  EXPECT_EQ(error("/version", "1.0"), "");
  EXPECT_EQ(error("/normalizer", {{"type", "NFC"}}), "");
  EXPECT_THAT(error("/normalizer", {{"type", "NFKC"}}), HasSubstr("normalises texts (NFKC)"));
  EXPECT_THAT(error("/model/type", "Unigram"), HasSubstr("not BPE"));
  EXPECT_THAT(error("/pre_tokenizer", {{"type", "Metaspace"}}),
              HasSubstr("Metaspace is not supported"));
  EXPECT_THAT(error("/pre_tokenizer",
                    {{"type", "Split"}, {"behavior", "Isolated"}, {"pattern", {{"Regex", "("}}}}),
              HasSubstr("the pattern `(` is wrong"));
  EXPECT_THAT(error("/model/merges/0", {"a", "no such token"}), HasSubstr("unknown token"));
  EXPECT_THAT(error("/model/vocab", json::object()), HasSubstr("no token for the byte 0"));
  EXPECT_THAT(error("/model/vocab/a", "one"), HasSubstr("type must be number"));
  EXPECT_THAT(error("/post_processor", {{"type", "BertProcessing"}}), HasSubstr("post_processor"));
  EXPECT_FALSE(Tokenizer::Create(json()));
  EXPECT_FALSE(Tokenizer::Create(json::array()));
}

}  // namespace
}  // namespace zermelo::decoder
