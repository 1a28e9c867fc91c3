// Logits equal those of Hugging Face's transformers (testing/make_models.py).
#include "decoder/decoder.h"

#include <atomic>
#include <bit>
#include <cmath>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <thread>

#include "decoder/tensor_shapes.h"
#include "decoder/testing/models.h"

namespace zermelo::decoder {
namespace {

using core::ErrorCode;
using nlohmann::json;
using ::testing::HasSubstr;
using testing::kModels;
using testing::ReadJson;

class DecoderTest : public ::testing::TestWithParam<const char*> {
 protected:
  const json expected_ = ReadJson(kModels / "expected.json").at(GetParam());
  const std::vector<int32_t> tokens_ = expected_.at("tokens").get<std::vector<int32_t>>();
  const Decoder decoder_ = Decoder::Load(kModels / GetParam()).value();

  /// The largest difference between a row of logits and the expected one.
  double Difference(std::span<const float> row, size_t index) const {
    const auto wanted = expected_.at("rows").at(index).get<std::vector<double>>();
    double most = 0;
    for (size_t i = 0; i < wanted.size(); ++i) most = std::max(most, std::abs(wanted[i] - row[i]));
    return most;
  }
  std::span<const float> Row(const std::vector<float>& logits, size_t index) const {
    const size_t width = decoder_.config().vocabulary;
    return {&logits[index * width], width};
  }
};

TEST_P(DecoderTest, LogitsAreThoseOfTransformers) {
  Sequence sequence;
  const Decoder::Step step{.sequence = &sequence, .tokens = tokens_};
  const auto logits = decoder_.Append({&step, 1}, Decoder::Logits::kAll);
  ASSERT_EQ(logits.size(), tokens_.size() * decoder_.config().vocabulary);
  const auto positions = expected_.at("positions").get<std::vector<size_t>>();
  for (size_t i = 0; i < positions.size(); ++i) {
    EXPECT_LT(Difference(Row(logits, positions[i]), i), 1e-4) << "position " << positions[i];
  }
}

TEST_P(DecoderTest, TokenByTokenInABatchGivesTheSame) {
  Sequence first;
  Sequence other;
  const Decoder::Step prefix{.sequence = &first, .tokens = {tokens_.begin(), tokens_.end() - 4}};
  decoder_.Append({&prefix, 1});
  Sequence fork = first;
  std::vector<float> logits;
  for (size_t i = tokens_.size() - 4; i < tokens_.size(); ++i) {
    const std::vector<Decoder::Step> steps{{.sequence = &other, .tokens = {3, 5}},
                                           {.sequence = &first, .tokens = {tokens_[i]}},
                                           {.sequence = &fork, .tokens = {7}}};
    logits = decoder_.Append(steps);
  }
  EXPECT_EQ(first.length(), tokens_.size());
  EXPECT_LT(Difference(Row(logits, 1), 2), 1e-4);
  EXPECT_GT(Difference(Row(logits, 2), 2), 1e-2) << "a copy has tokens of its own";
}

/// The model's tensors, rounded to bfloat16; with one value in each that is not, they are kept in
/// 32 bits.
Decoder Rounded(const std::string& model, bool one_is_not) {
  const auto folder = kModels / model;
  Tensors tensors = ReadSafetensors(folder / "model.safetensors").value();
  for (auto& [name, tensor] : tensors) {
    for (float& value : tensor.values) {
      value = std::bit_cast<float>(std::bit_cast<uint32_t>(value) & 0xFFFF0000U);
    }
    float& first = tensor.values.front();
    if (one_is_not) first = std::nextafter(first, 1.0F);
  }
  return Decoder::Create(ReadDecoderConfig(folder / "config.json").value(), std::move(tensors))
      .value();
}

TEST_P(DecoderTest, WeightsInBfloat16GiveTheSameInHalfTheMemory) {
  const Decoder halves = Rounded(GetParam(), false);
  const Decoder floats = Rounded(GetParam(), true);
  EXPECT_EQ(2 * halves.matrix_bytes(), floats.matrix_bytes());
  for (const size_t count : {size_t{1}, size_t{5}, tokens_.size()}) {
    Sequence first, second;
    const std::vector<int32_t> tokens{tokens_.begin(),
                                      tokens_.begin() + static_cast<std::ptrdiff_t>(count)};
    const Decoder::Step one{.sequence = &first, .tokens = tokens};
    const Decoder::Step other{.sequence = &second, .tokens = tokens};
    const auto expected = floats.Append({&other, 1}, Decoder::Logits::kAll);
    const auto logits = halves.Append({&one, 1}, Decoder::Logits::kAll);
    ASSERT_EQ(logits.size(), expected.size());
    for (size_t i = 0; i < logits.size(); ++i) ASSERT_NEAR(logits[i], expected[i], 1e-5) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, DecoderTest, ::testing::Values("llama", "qwen2", "qwen3"));

// The serial OpenBLAS of Debian returns wrong products when several threads call it.
TEST(DecoderThreadsTest, LogitsOnSeveralThreadsAreThoseOfOne) {
  json described = ReadJson(kModels / "llama/config.json");
  described.update({{"hidden_size", 128},
                    {"intermediate_size", 256},
                    {"num_hidden_layers", 1},
                    {"num_attention_heads", 4},
                    {"num_key_value_heads", 2},
                    {"head_dim", 32}});
  const auto config = ParseDecoderConfig(described).value();
  Tensors tensors;
  for (const auto& [name, shape] : ShapesOf(config)) {
    Tensor& tensor = tensors[name];
    tensor.shape = shape;
    size_t size = 1;
    for (const size_t width : shape) size *= width;
    for (size_t i = 0; i < size; ++i)
      tensor.values.push_back(std::sin(static_cast<float>(i * 7919 % 10007)));
  }
  const auto decoder = Decoder::Create(config, std::move(tensors)).value();
  const auto logits = [&] {
    Sequence sequence;
    Decoder::Step step{.sequence = &sequence, .tokens = {}};
    for (int32_t token = 0; token < 32; ++token) step.tokens.push_back(token);
    return decoder.Append({&step, 1});
  };
  const auto expected = logits();
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 100; ++n) wrong += logits() == expected ? 0 : 1;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

// As Llama 3.1's config.json has it, and as transformers writes it since version 5.
TEST(DecoderScalingTest, LogitsAreThoseOfTransformers) {
  const json all = ReadJson(kModels / "expected.json");
  const auto tokens = all.at("llama").at("tokens").get<std::vector<int32_t>>();
  json rope = all.at("scaled").at("rope_scaling");
  for (const char* key : {"rope_parameters", "rope_scaling"}) {
    if (key == std::string_view("rope_scaling")) {  // as older files name it
      rope["type"] = rope.at("rope_type");
      rope.erase("rope_type");
    }
    json config = ReadJson(kModels / "llama/config.json");
    for (const char* other : {"rope_scaling", "rope_parameters"}) config.erase(other);
    config["rope_theta"] = 5000;
    config[key] = rope;
    const auto decoder =
        Decoder::Create(ParseDecoderConfig(config).value(),
                        ReadSafetensors(kModels / "llama/model.safetensors").value())
            .value();
    Sequence sequence;
    const Decoder::Step step{.sequence = &sequence, .tokens = tokens};
    const auto logits = decoder.Append({&step, 1});
    const auto wanted = all.at("scaled").at("rows").back().get<std::vector<double>>();
    for (size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(logits[i], wanted[i], 1e-4) << key;
  }
}

// ---- what cannot be loaded

Tensors LlamaTensors() { return ReadSafetensors(kModels / "llama/model.safetensors").value(); }

std::string CreateError(const json& changes, Tensors tensors) {
  json config = ReadJson(kModels / "llama/config.json");
  config.update(changes);
  const auto parsed = ParseDecoderConfig(config);
  if (!parsed) return parsed.error().message;
  const auto decoder = Decoder::Create(*parsed, std::move(tensors));
  return decoder ? "" : decoder.error().message;
}

TEST(DecoderErrorTest, TensorsThatDoNotFitAreNamed) {
  EXPECT_EQ(CreateError(json::object(), LlamaTensors()), "");
  Tensors tensors = LlamaTensors();
  tensors.erase("model.layers.1.mlp.up_proj.weight");
  EXPECT_THAT(CreateError(json::object(), tensors),
              HasSubstr("model.layers.1.mlp.up_proj.weight is missing"));
  tensors = LlamaTensors();
  tensors["more"] = {};
  EXPECT_THAT(CreateError(json::object(), tensors), HasSubstr("unknown tensor more"));
  EXPECT_THAT(CreateError({{"vocab_size", 319}}, LlamaTensors()),
              HasSubstr("[320, 24], not [319, 24]"));
  EXPECT_THAT(CreateError({{"num_hidden_layers", 3}}, LlamaTensors()), HasSubstr("layers.2"));
}

TEST(DecoderErrorTest, ModelsOfAnotherKindAreRefused) {
  const std::vector<std::pair<json, std::string>> cases{
      {{{"model_type", "gpt2"}}, "gpt2"},
      {{{"hidden_act", "gelu"}}, "hidden_act"},
      {{{"rope_scaling", {{"rope_type", "yarn"}}}}, "positions are scaled (yarn)"},
      {{{"rope_scaling",
         {{"rope_type", "llama3"},
          {"factor", 0},
          {"low_freq_factor", 1},
          {"high_freq_factor", 4},
          {"original_max_position_embeddings", 100}}}},
       "contradict"},
      {{{"rope_scaling", {{"rope_type", "llama3"}}}}, "'factor' not found"},
      {{{"use_sliding_window", true}}, "sliding window"},
      {{{"num_key_value_heads", 3}}, "contradict"},
      {{{"num_attention_heads", 0}}, "contradict"},
      {{{"hidden_size", -1}}, "contradict"},
      {{{"hidden_size", "many"}}, "type must be number"},
  };
  for (const auto& [changes, words] : cases) {
    EXPECT_THAT(CreateError(changes, LlamaTensors()), HasSubstr(words)) << changes;
  }
  EXPECT_FALSE(ParseDecoderConfig(json::array()));
  EXPECT_EQ(Decoder::Load("/nonexistent").error().code, ErrorCode::kInput);
}

}  // namespace
}  // namespace zermelo::decoder
