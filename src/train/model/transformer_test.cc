// Logits equal those of Hugging Face's transformers (decoder/testing/make_models.py).
#include "train/model/transformer.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/files/file.h"
#include "decoder/decoder.h"
#include "decoder/testing/models.h"

namespace zermelo::train {
namespace {

using decoder::testing::kModels;
using decoder::testing::ReadJson;

Row Learnt(std::vector<decoder::Token> tokens) {
  Row row{.tokens = std::move(tokens), .learnt = {}};
  row.learnt.resize(row.tokens.size(), true);
  return row;
}

class TransformerTest : public ::testing::TestWithParam<const char*> {
 protected:
  const nlohmann::json expected_ = ReadJson(kModels / "expected.json").at(GetParam());
  const std::vector<decoder::Token> tokens_ =
      expected_.at("tokens").get<std::vector<decoder::Token>>();
  Transformer model_ = Transformer::Load(kModels / GetParam()).value();
};

TEST_P(TransformerTest, LogitsAreThoseOfTransformers) {
  const std::vector<Row> rows{Learnt(tokens_)};
  const std::vector<Pack> packs{{0}};
  const at::Tensor logits = model_.Logits(model_.States(Collate(rows, packs)));
  const auto positions = expected_.at("positions").get<std::vector<int64_t>>();
  for (size_t i = 0; i < positions.size(); ++i) {
    const auto wanted = expected_.at("rows").at(i).get<std::vector<float>>();
    const auto difference = (logits[positions[i]] - at::tensor(wanted)).abs().max().item<double>();
    EXPECT_LT(difference, 1e-4) << "position " << positions[i];
  }
}

TEST_P(TransformerTest, APackedRowIsAsAlone) {
  const std::vector<Row> rows{Learnt({5, 6, 7, 8}), Learnt(tokens_), Learnt({9, 10})};
  const std::vector<Pack> together{{0, 1}, {2}};
  const std::vector<Pack> alone{{1}};
  const at::Tensor packed = model_.TargetLogprobs(Collate(rows, together));
  const at::Tensor single = model_.TargetLogprobs(Collate(rows, alone));
  ASSERT_EQ(packed.numel(), single.numel() + 3 + 1);
  EXPECT_LT((packed.slice(0, 3, 3 + single.numel()) - single).abs().max().item<double>(), 1e-4);
}

TEST_P(TransformerTest, GradientsAreThoseOfFiniteDifferences) {
  const std::vector<Row> rows{Learnt({1, 2, 3, 4, 5, 6}), Learnt({7, 8, 9})};
  const PackedRows batch = Collate(rows, std::vector<Pack>{{0, 1}});
  (-model_.TargetLogprobs(batch).mean()).backward();
  const c10::NoGradGuard no_gradients;
  for (const char* name :
       {"model.layers.0.self_attn.q_proj.weight", "model.layers.1.mlp.down_proj.weight",
        "model.layers.0.input_layernorm.weight", "model.embed_tokens.weight"}) {
    at::Tensor& parameter = model_.parameters().find(name)->second;
    at::Tensor value = parameter.view(-1)[30 % parameter.numel()];
    const double gradient = parameter.grad().view(-1)[30 % parameter.numel()].item<double>();
    constexpr double kStep = 1e-2;
    value += kStep;
    const double above = -model_.TargetLogprobs(batch).mean().item<double>();
    value -= 2 * kStep;
    const double below = -model_.TargetLogprobs(batch).mean().item<double>();
    value += kStep;
    EXPECT_NEAR(gradient, (above - below) / (2 * kStep), 2e-3) << name;
  }
}

TEST_P(TransformerTest, RecomputedActivationsGiveTheSameGradients) {
  const std::vector<Row> rows{Learnt({1, 2, 3, 4, 5, 6}), Learnt({7, 8, 9})};
  for (const auto& packs : {std::vector<Pack>{{0, 1}}, std::vector<Pack>{{0}, {1}}}) {
    const PackedRows batch = Collate(rows, packs);
    const auto gradients = [&](bool recompute) {
      model_.set_recompute(recompute);
      const at::Tensor loss = -model_.TargetLogprobs(batch).mean();
      loss.backward();
      NamedTensors out{{"loss", loss.detach()}};
      for (auto& [name, parameter] : model_.parameters()) {
        out[name] = parameter.grad().clone();
        parameter.mutable_grad().reset();
      }
      return out;
    };
    const NamedTensors kept = gradients(false);
    const NamedTensors again = gradients(true);
    ASSERT_EQ(again.size(), kept.size());
    for (const auto& [name, gradient] : kept) {
      EXPECT_LT((again.find(name)->second - gradient).abs().max().item<double>(), 1e-6) << name;
    }
  }
}

TEST_P(TransformerTest, WhatIsSavedIsReadByTheDecoder) {
  const auto folder = core::TemporaryFolder::Create("zermelo-train").value();
  ASSERT_TRUE(model_.Save(folder.path()));
  const auto decoder = decoder::Decoder::Load(folder.path());
  ASSERT_TRUE(decoder) << decoder.error().message;
  decoder::Sequence sequence;
  const decoder::Decoder::Step step{.sequence = &sequence, .tokens = tokens_};
  const auto logits = decoder->Append({&step, 1});
  const std::vector<Row> rows{Learnt(tokens_)};
  const at::Tensor own = model_.Logits(model_.States(Collate(rows, std::vector<Pack>{{0}})));
  EXPECT_LT((own[-1] - at::tensor(logits)).abs().max().item<double>(), 1e-4);
}

INSTANTIATE_TEST_SUITE_P(Kinds, TransformerTest, ::testing::Values("llama", "qwen2", "qwen3"));

TEST(RandomTransformerTest, ASeedGivesTheSameWeights) {
  const auto config = ReadJson(kModels / "qwen3/config.json");
  const auto one = Transformer::Random(config, 3).value();
  const auto same = Transformer::Random(config, 3).value();
  const auto other = Transformer::Random(config, 4).value();
  const auto weight = [](const Transformer& model) {
    return model.parameters().find("lm_head.weight")->second;
  };
  EXPECT_TRUE(at::equal(weight(one), weight(same)));
  EXPECT_FALSE(at::equal(weight(one), weight(other)));
  EXPECT_NEAR(weight(one).std().item<double>(), 0.02, 0.002);
}

TEST(RandomTransformerTest, Bfloat16IsNear) {
  auto model = Transformer::Load(kModels / "llama").value();
  const std::vector<Row> rows{Learnt({1, 2, 3, 4, 5, 6})};
  const PackedRows batch = Collate(rows, std::vector<Pack>{{0}});
  const at::Tensor exact = model.TargetLogprobs(batch);
  model.set_precision(Precision::kBfloat16);
  const double difference = (model.TargetLogprobs(batch) - exact).abs().max().item<double>();
  EXPECT_GT(difference, 0);
  EXPECT_LT(difference, 0.5);
}

}  // namespace
}  // namespace zermelo::train
