#include "train/model/gguf.h"

#include <bit>
#include <c10/util/Half.h>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <variant>

#include "core/files/file.h"
#include "decoder/decoder.h"
#include "decoder/testing/models.h"
#include "decoder/tokenizer/tokenizer.h"
#include "train/testing/files.h"

namespace zermelo::train {
namespace {

using core::ErrorCode;
using decoder::testing::kModels;
using decoder::testing::ReadJson;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace fs = std::filesystem;

/// A reader of GGUF files as the specification describes them.
class GgufFile {
 public:
  using Value = std::variant<double, std::string, std::vector<std::string>, std::vector<int32_t>>;
  struct Stored {
    std::vector<uint64_t> dimensions;  // the first one is contiguous
    uint32_t type = 0;
    uint64_t place = 0;
    std::vector<float> values;
  };

  explicit GgufFile(const fs::path& path) : bytes_(testing::Bytes(path)) {
    EXPECT_EQ(bytes_.substr(0, 4), "GGUF");
    at_ = 4;
    EXPECT_EQ(Number<uint32_t>(), 3U);
    const auto tensor_count = Number<uint64_t>();
    const auto value_count = Number<uint64_t>();
    for (uint64_t i = 0; i < value_count; ++i) {
      const std::string key = Text();
      EXPECT_TRUE(values.emplace(key, ReadValue(Number<uint32_t>())).second) << key;
    }
    for (uint64_t i = 0; i < tensor_count; ++i) {
      const std::string name = Text();
      Stored& tensor = tensors[name];
      tensor.dimensions.resize(Number<uint32_t>());
      for (uint64_t& dimension : tensor.dimensions) dimension = Number<uint64_t>();
      tensor.type = Number<uint32_t>();
      tensor.place = Number<uint64_t>();
    }
    at_ = (at_ + 31) / 32 * 32;
    uint64_t end = 0;
    for (auto& [name, tensor] : tensors) {
      EXPECT_EQ(tensor.place % 32, 0U) << name;
      ReadTensor(tensor);
      end = std::max(end, tensor.place + tensor.values.size() * (tensor.type == 0 ? 4 : 2));
    }
    EXPECT_EQ(bytes_.size(), at_ + (end + 31) / 32 * 32);
  }

  double NumberAt(const std::string& key) const { return std::get<double>(values.at(key)); }
  const std::string& TextAt(const std::string& key) const {
    return std::get<std::string>(values.at(key));
  }

  std::map<std::string, Value> values;
  std::map<std::string, Stored> tensors;

 private:
  template <class T>
  T Number() {
    T out{};
    std::memcpy(&out, bytes_.data() + at_, sizeof out);
    at_ += sizeof out;
    return out;
  }
  std::string Text() {
    const auto size = Number<uint64_t>();
    at_ += size;
    return bytes_.substr(at_ - size, size);
  }
  Value ReadValue(uint32_t type) {
    switch (type) {
      case 4:
        return static_cast<double>(Number<uint32_t>());
      case 6:
        return static_cast<double>(Number<float>());
      case 7:
        return static_cast<double>(Number<uint8_t>());
      case 8:
        return Text();
      default:
        EXPECT_EQ(type, 9U);
    }
    const auto of = Number<uint32_t>();
    std::vector<std::string> texts(Number<uint64_t>());
    if (of == 8) {
      for (std::string& text : texts) text = Text();
      return texts;
    }
    EXPECT_EQ(of, 5U);
    std::vector<int32_t> numbers(texts.size());
    for (int32_t& number : numbers) number = Number<int32_t>();
    return numbers;
  }
  void ReadTensor(Stored& tensor) const {
    size_t count = 1;
    for (const uint64_t dimension : tensor.dimensions) count *= dimension;
    const char* const from = bytes_.data() + at_ + tensor.place;
    tensor.values.resize(count);
    for (size_t i = 0; i < count; ++i) {
      if (tensor.type == 0) {
        std::memcpy(&tensor.values[i], from + 4 * i, 4);
      } else {
        uint16_t bits = 0;
        std::memcpy(&bits, from + 2 * i, 2);
        tensor.values[i] = c10::Half(bits, c10::Half::from_bits());
      }
    }
  }

  const std::string bytes_;
  size_t at_ = 0;
};

class GgufTest : public ::testing::Test {
 protected:
  GgufTest() {
    for (const char* kind : {"llama", "qwen2", "qwen3"}) {
      fs::copy(kModels / kind, folder_.path() / kind);
      fs::copy_file(kModels / "llama/tokenizer.json", Model(kind) / "tokenizer.json",
                    fs::copy_options::overwrite_existing);
    }
  }
  fs::path Model(const std::string& kind) const { return folder_.path() / kind; }
  GgufFile Exported(const std::string& kind, GgufType type = GgufType::kF32) const {
    const fs::path file = folder_.path() / (kind + ".gguf");
    const auto written = WriteGguf(Model(kind), file, type);
    EXPECT_TRUE(written) << written.error().message;
    return GgufFile(file);
  }

  const core::TemporaryFolder folder_ = core::TemporaryFolder::Create("zermelo-gguf").value();
};

TEST_F(GgufTest, MetadataDescribesTheModel) {
  const GgufFile file = Exported("llama");
  EXPECT_EQ(file.TextAt("general.architecture"), "llama");
  EXPECT_EQ(file.TextAt("general.name"), "llama");
  EXPECT_EQ(file.NumberAt("llama.block_count"), 2);
  EXPECT_EQ(file.NumberAt("llama.context_length"), 1024);
  EXPECT_EQ(file.NumberAt("llama.embedding_length"), 24);
  EXPECT_EQ(file.NumberAt("llama.feed_forward_length"), 40);
  EXPECT_EQ(file.NumberAt("llama.attention.head_count"), 4);
  EXPECT_EQ(file.NumberAt("llama.attention.head_count_kv"), 2);
  EXPECT_EQ(file.NumberAt("llama.rope.dimension_count"), 6);
  EXPECT_EQ(file.NumberAt("llama.rope.freq_base"), 5000);
  EXPECT_NEAR(file.NumberAt("llama.attention.layer_norm_rms_epsilon"), 1e-6, 1e-9);
  EXPECT_EQ(Exported("qwen3").NumberAt("qwen3.attention.key_length"), 8);
  EXPECT_EQ(Exported("qwen2").TextAt("general.architecture"), "qwen2");
}

TEST_F(GgufTest, TheTokenizerIsThatOfTheFolder) {
  const GgufFile file = Exported("llama");
  EXPECT_EQ(file.TextAt("tokenizer.ggml.model"), "gpt2");
  EXPECT_EQ(file.TextAt("tokenizer.ggml.pre"), "gpt-2");
  EXPECT_EQ(file.NumberAt("tokenizer.ggml.eos_token_id"), 0);
  EXPECT_EQ(file.NumberAt("tokenizer.ggml.add_bos_token"), 0);
  const auto json = ReadJson(Model("llama") / "tokenizer.json");
  const auto& texts = std::get<std::vector<std::string>>(file.values.at("tokenizer.ggml.tokens"));
  const auto& kinds = std::get<std::vector<int32_t>>(file.values.at("tokenizer.ggml.token_type"));
  ASSERT_EQ(texts.size(), 320U) << "as many as the model knows";
  ASSERT_EQ(kinds.size(), 320U);
  for (const auto& [text, number] : json.at("model").at("vocab").items()) {
    EXPECT_EQ(texts.at(number.get<size_t>()), text);
    EXPECT_EQ(kinds.at(number.get<size_t>()), number == 0 ? 3 : 1) << text;
  }
  const auto& merges = std::get<std::vector<std::string>>(file.values.at("tokenizer.ggml.merges"));
  EXPECT_EQ(merges.size(), json.at("model").at("merges").size());
  EXPECT_THAT(merges[0], HasSubstr(" "));
}

TEST_F(GgufTest, PublishedWaysToDivideTextsAreNamed) {
  const std::map<std::string, std::string> names{
      {"llama3", "llama-bpe"}, {"qwen", "qwen2"}, {"smollm", "smollm"}};
  for (const auto& [kind, name] : names) {
    auto tokenizer = ReadJson(kModels / "tokenizers" / (kind + ".json"));
    std::ofstream(Model("llama") / "tokenizer.json") << tokenizer;
    EXPECT_EQ(Exported("llama").TextAt("tokenizer.ggml.pre"), name);
    auto& ignored = tokenizer.at("model").at("ignore_merges");
    ignored = !ignored.get<bool>();
    std::ofstream(Model("llama") / "tokenizer.json") << tokenizer;
    const auto other = WriteGguf(Model("llama"), folder_.path() / "x.gguf", GgufType::kF32);
    EXPECT_THAT(other.error().message, HasSubstr("this way to divide texts")) << kind;
  }
}

TEST_F(GgufTest, ScaledPositionsAreFactors) {
  auto config = ReadJson(Model("llama") / "config.json");
  config["rope_scaling"] = ReadJson(kModels / "expected.json").at("scaled").at("rope_scaling");
  std::ofstream(Model("llama") / "config.json") << config;
  const auto factors = Exported("llama").tensors.at("rope_freqs.weight").values;
  ASSERT_EQ(factors.size(), 3U);
  EXPECT_EQ(factors[0], 1);
  EXPECT_GT(factors[1], 1);
  EXPECT_LT(factors[1], 8);
  EXPECT_FLOAT_EQ(factors[2], 8);
  config["model_type"] = "qwen2";
  std::ofstream(Model("qwen2") / "config.json") << config;
  EXPECT_FALSE(WriteGguf(Model("qwen2"), folder_.path() / "x.gguf", GgufType::kF32));
}

TEST_F(GgufTest, TensorsAreThoseOfTheFolder) {
  const GgufFile file = Exported("qwen2");
  const auto tensors = decoder::ReadSafetensors(Model("qwen2") / "model.safetensors").value();
  EXPECT_FALSE(file.tensors.contains("output.weight")) << "the embedding is the output layer";
  for (const auto& [ours, theirs] : std::map<std::string, std::string>{
           {"token_embd.weight", "model.embed_tokens.weight"},
           {"output_norm.weight", "model.norm.weight"},
           {"blk.1.attn_q.weight", "model.layers.1.self_attn.q_proj.weight"},
           {"blk.1.attn_k.bias", "model.layers.1.self_attn.k_proj.bias"},
           {"blk.0.attn_output.weight", "model.layers.0.self_attn.o_proj.weight"},
           {"blk.0.ffn_norm.weight", "model.layers.0.post_attention_layernorm.weight"},
           {"blk.1.ffn_down.weight", "model.layers.1.mlp.down_proj.weight"}}) {
    EXPECT_EQ(file.tensors.at(ours).values, tensors.at(theirs).values) << ours;
  }
  EXPECT_THAT(file.tensors.at("blk.1.ffn_down.weight").dimensions, ElementsAre(40, 24));
  EXPECT_EQ(file.tensors.size(), tensors.size());
  EXPECT_EQ(Exported("qwen3").tensors.at("blk.0.attn_q_norm.weight").dimensions[0], 8U);
}

/// Rotating neighbours of the exported rows is the same as rotating the halves of the original.
TEST_F(GgufTest, LlamasQueriesAndKeysAreInterleaved) {
  const GgufFile file = Exported("llama");
  const auto tensors = decoder::ReadSafetensors(Model("llama") / "model.safetensors").value();
  for (const auto& [ours, theirs] : std::map<std::string, std::string>{
           {"blk.0.attn_q.weight", "model.layers.0.self_attn.q_proj.weight"},
           {"blk.0.attn_k.weight", "model.layers.0.self_attn.k_proj.weight"}}) {
    const auto& exported = file.tensors.at(ours);
    const auto& original = tensors.at(theirs).values;
    const size_t rows = exported.dimensions[1];
    for (size_t row = 0; row < rows; ++row) {
      const size_t head = row / 6, i = row % 6 / 2, second = row % 2;
      const size_t from = head * 6 + i + 3 * second;
      for (size_t column = 0; column < 24; ++column) {
        ASSERT_EQ(exported.values[row * 24 + column], original[from * 24 + column])
            << ours << " " << row;
      }
    }
  }
  EXPECT_EQ(file.tensors.at("blk.0.attn_v.weight").values,
            tensors.at("model.layers.0.self_attn.v_proj.weight").values);
}

TEST_F(GgufTest, F16HalvesTheMatrices) {
  const GgufFile whole = Exported("llama");
  const GgufFile half = Exported("llama", GgufType::kF16);
  EXPECT_EQ(half.NumberAt("general.file_type"), 1);
  EXPECT_EQ(half.tensors.at("output_norm.weight").type, 0U);
  const auto& exact = whole.tensors.at("blk.1.ffn_up.weight").values;
  const auto& near = half.tensors.at("blk.1.ffn_up.weight");
  EXPECT_EQ(near.type, 1U);
  for (size_t i = 0; i < exact.size(); ++i) {
    EXPECT_NEAR(near.values[i], exact[i], std::abs(exact[i]) / 1024) << i;
  }
}

TEST_F(GgufTest, WhatLlamaCppCannotReadIsAnError) {
  const fs::path file = folder_.path() / "x.gguf";
  const auto error = [&](const fs::path& model) {
    return WriteGguf(model, file, GgufType::kF32).error();
  };
  EXPECT_THAT(error(kModels / "qwen3").message, HasSubstr("pre_tokenizer"));
  EXPECT_EQ(error(folder_.path()).code, ErrorCode::kInput);
  auto config = ReadJson(Model("llama") / "config.json");
  config.erase("eos_token_id");
  std::ofstream(Model("llama") / "config.json") << config;
  EXPECT_THAT(error(Model("llama")).message, HasSubstr("eos_token_id"));
  EXPECT_FALSE(fs::exists(file));
  const auto unwritable = WriteGguf(Model("qwen2"), folder_.path() / "none/x.gguf", GgufType::kF32);
  EXPECT_EQ(unwritable.error().code, ErrorCode::kEnvironment);
}

/// What llama.cpp and transformers say of models that the trainer wrote (llama_cpp_test.py and
/// hugging_face_test.py in tests/e2e/data).
TEST(OthersAnswersTest, TokensAndLogprobsAreThoseOfTheDecoder) {
  const char* const answers = std::getenv("ZERMELO_OTHERS_ANSWERS");
  if (answers == nullptr) GTEST_SKIP() << "ZERMELO_OTHERS_ANSWERS is not set";
  const auto rows = ReadJson(answers);
  EXPECT_GT(rows.size(), 9U);
  for (const auto& row : rows) {
    const fs::path model = row.at("model").get<std::string>();
    const auto tokens = row.at("tokens").get<std::vector<decoder::Token>>();
    const auto tokenizer = decoder::Tokenizer::Read(model / "tokenizer.json").value();
    EXPECT_EQ(tokenizer.Encode(row.at("text").get<std::string>()), tokens) << model;
    const auto decoder = decoder::Decoder::Load(model).value();
    decoder::Sequence sequence;
    const decoder::Decoder::Step step{.sequence = &sequence, .tokens = tokens};
    const auto logits = decoder.Append({&step, 1});
    double sum = 0;
    for (const float logit : logits) sum += std::exp(static_cast<double>(logit));
    for (const auto& [token, logprob] :
         row.at("logprobs").get<std::vector<std::pair<size_t, double>>>()) {
      EXPECT_NEAR(logits.at(token) - std::log(sum), logprob, 1e-3) << model << " " << token;
    }
  }
}

}  // namespace
}  // namespace zermelo::train
