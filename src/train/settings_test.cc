#include "train/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace zermelo::train {
namespace {

using core::ErrorCode;
using nlohmann::json;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

/// That `settings` has all of these values.
void ExpectHas(const json& settings, const json& values) {
  for (const auto& [key, value] : values.items()) {
    ASSERT_TRUE(settings.contains(key)) << key;
    EXPECT_EQ(settings.at(key), value) << key;
  }
}

TEST(SettingsTest, PresetsAndChanges) {
  const auto paper = ReadGrpoSettings({"paper=dsv15", "group=4"});
  ASSERT_TRUE(paper);
  EXPECT_EQ(paper->kl_weight, 0.02);
  EXPECT_EQ(paper->learning_rate, 5e-6);
  EXPECT_EQ(paper->group, 4U);
  EXPECT_EQ(paper->prompts * 32, 512U);
  EXPECT_EQ(ReadGrpoSettings({"paper=seed15"})->failure, -1);
  EXPECT_TRUE(ReadGrpoSettings({"paper=seed15"})->tools);
  EXPECT_EQ(ReadVapoSettings({"paper=seed15"})->tool_calls, 28U);
  EXPECT_EQ(ReadGrpoSettings({"tool_calls=0"}).error().code, ErrorCode::kUsage);
  EXPECT_EQ(ReadGrpoSettings({"tools=true", "sketches=true"}).error().code, ErrorCode::kUsage);
  EXPECT_TRUE(ToJson(*ReadGrpoSettings({"sketches=true"})).contains("tool_seconds"));
  EXPECT_FALSE(ToJson(*ReadGrpoSettings({})).contains("sketches"));
  EXPECT_EQ(ReadSftSettings({"paper=dsv15"})->context, 4096U);
  EXPECT_EQ(ReadSftSettings({"schedule=cosine"})->schedule, "cosine");
  EXPECT_EQ(ReadSftSettings({"learning_rate=1"})->learning_rate, 1);
  for (const char* wrong : {"learning_rat=1", "steps=-1", "steps=1.5", "steps=x", "steps=0",
                            "schedule=linear", "ema=1", "paper=x", "drop_long=1", "steps"}) {
    EXPECT_EQ(ReadSftSettings({wrong}).error().code, ErrorCode::kUsage) << wrong;
  }
  EXPECT_THAT(ReadSftSettings({"learning_rat=1"}).error().hint, HasSubstr("learning_rate"));
}

// DeepSeek-Prover-V1.5, 3.1, 3.2 and B.1; VAPO, 5.1; Seed-Prover 1.5, 3.1 and equation 1.
TEST(SettingsTest, PresetsAreWhatThePapersGiveWhateverWasSetBefore) {
  ExpectHas(ToJson(*ReadSftSettings({"batch=1", "warmup=3", "paper=dsv15"})),
            {{"batch", 2048}, {"context", 4096}, {"learning_rate", 1e-4}, {"warmup", 100}});
  ExpectHas(ToJson(*ReadGrpoSettings(
                {"tools=true", "drop_equal=true", "mini_batch=8", "keep=1", "paper=dsv15"})),
            {{"group", 32},
             {"prompts", 16},
             {"learning_rate", 5e-6},
             {"kl_weight", 0.02},
             {"max_tokens", 2048},
             {"steps", 800},
             {"checkpoint_every", 100},
             {"keep", 8},
             {"average", "sequence"},
             {"drop_equal", false},
             {"failure", 0}});
  ExpectHas(ToJson(*ReadVapoSettings({"alpha=1", "nll_weight=0", "paper=vapo"})),
            {{"prompts", 512},
             {"group", 16},
             {"mini_batch", 512},
             {"learning_rate", 1e-6},
             {"critic_rate", 2},
             {"value_steps", 50},
             {"alpha", 0.05},
             {"nll_weight", 0.1},
             {"decoupled", true},
             {"average", "token"}});
  EXPECT_EQ(ReadGrpoSettings({"kl_weight=1", "paper=seed15"})->kl_weight, 0);
  const json seed{{"failure", -1},        {"average", "sequence"}, {"clip_low", 0.2},
                  {"clip_high", 0.28},    {"tools", true},         {"tool_calls", 28},
                  {"tool_tokens", 65536}, {"max_tokens", 65536}};
  ExpectHas(ToJson(*ReadGrpoSettings({"sketches=true", "paper=seed15"})), seed);
  const json vapo = ToJson(*ReadVapoSettings({"value_steps=0", "decoupled=false", "paper=seed15"}));
  ExpectHas(vapo, seed);
  ExpectHas(vapo, {{"value_steps", 50}, {"decoupled", true}, {"alpha", 0.05}});
}

TEST(SettingsTest, WhatAPaperLeavesOpenIsMarkedAsOurs) {
  EXPECT_FALSE(ToJson(*ReadGrpoSettings({})).contains("ours"));
  const auto paper = ReadGrpoSettings({"paper=dsv15", "clip_low=0.1"});
  EXPECT_THAT(paper->ours, Contains("clip_high"));
  EXPECT_THAT(paper->ours, Not(Contains("clip_low"))) << "the user's";
  EXPECT_THAT(ReadGrpoSettings({"clip_low=0.1", "paper=dsv15"})->ours, Not(Contains("clip_low")));
  const auto variant = ReadGrpoSettings({"paper=dsv15", "variant=dapo"});
  EXPECT_THAT(variant->ours, Contains("temperature"));
  EXPECT_THAT(variant->ours, Not(Contains("clip_low"))) << "DAPO gives it";
  EXPECT_THAT(paper->ours, Not(Contains("group")));
  EXPECT_EQ(ToJson(*paper).at("ours"), json(paper->ours));
  const auto seed = ReadVapoSettings({"paper=seed15", "mini_batch=1"});
  EXPECT_THAT(seed->ours, Contains("prompts"));
  for (const std::string& key : seed->ours) EXPECT_TRUE(ToJson(*seed).contains(key)) << key;
}

}  // namespace
}  // namespace zermelo::train
