#include "engine/strategies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace zermelo::engine {
namespace {

using ::testing::HasSubstr;

TEST(StrategyParameters, SurviveJson) {
  StrategyParameters parameters;
  parameters.strategy = StrategyName::kSgMdp;
  parameters.all = true;
  parameters.rmaxts.bandit = strategy::TreePolicy::kSwucb;
  parameters.sg_mdp.lambda = 0.25;
  parameters.agent.protocol = strategy::ToolProtocol::kText;
  parameters.sketch.depth = 2;
  const nlohmann::json json = parameters;
  EXPECT_EQ(json.get<StrategyParameters>(), parameters);
  EXPECT_EQ(json["rmaxts"]["bandit"], "swucb");
  EXPECT_EQ(json["agent"]["protocol"], "text");
}

TEST(StrategyParameters, MissingFieldsHaveTheirDefaults) {
  const auto parameters =
      nlohmann::json::parse(R"({"rmaxts": {"workers": 3}})").get<StrategyParameters>();
  StrategyParameters expected;
  expected.rmaxts.workers = 3;
  EXPECT_EQ(parameters, expected);
}

TEST(StrategyParameters, OnlyTheLimitsOfAnAttemptEndIt) {
  StrategyParameters parameters;
  parameters.strategy = StrategyName::kWholeProof;
  FitToAttempt({.samples = 5, .time = std::chrono::seconds(60), .seed = 7}, parameters);
  EXPECT_EQ(parameters.whole_proof.samples, 5U);
  EXPECT_EQ(parameters.rmaxts.generations, 5U);
  EXPECT_EQ(parameters.rmaxts.seed, 7U);
  EXPECT_EQ(parameters.best_first.batch, 5U) << "without models, a check must not exceed them";
  EXPECT_EQ(parameters.automatic.builtin_share, StrategyParameters().automatic.builtin_share);
  FitToAttempt({.samples = {}, .time = std::chrono::hours(1), .timed = false}, parameters);
  EXPECT_GT(parameters.whole_proof.samples, 1'000'000U);
  EXPECT_EQ(parameters.automatic.builtin_share, 15.0 / 3600);
}

TEST(StrategyParameters, AutoSharesTheSamplesOfAnAttempt) {
  StrategyParameters parameters;
  parameters.automatic.whole_proof_share = 0.25;
  FitToAttempt({.samples = 100, .time = std::chrono::seconds(60), .has_models = true}, parameters);
  EXPECT_EQ(parameters.whole_proof.samples, 25U);
  EXPECT_EQ(parameters.rmaxts.generations, StrategyParameters().rmaxts.generations);
  EXPECT_EQ(parameters.best_first.batch, StrategyParameters().best_first.batch);
}

TEST(StrategyParameters, AreSetByName) {
  StrategyParameters parameters;
  EXPECT_TRUE(SetFromText(parameters, "strategy", "rmaxts"));
  EXPECT_TRUE(SetFromText(parameters, "rmaxts.workers", "16"));
  EXPECT_TRUE(SetFromText(parameters, "rmaxts.bandit", "uct"));
  EXPECT_TRUE(SetFromText(parameters, "rmaxts.tactic_state", "false"));
  EXPECT_TRUE(SetFromText(parameters, "rmaxts.exploration", "2"));
  EXPECT_EQ(parameters.strategy, StrategyName::kRmaxts);
  EXPECT_EQ(parameters.rmaxts.workers, 16U);
  EXPECT_EQ(parameters.rmaxts.bandit, strategy::TreePolicy::kUct);
  EXPECT_FALSE(parameters.rmaxts.tactic_state);
  EXPECT_EQ(parameters.rmaxts.exploration, 2);
}

TEST(StrategyParameters, AWrongNameOrValueIsAnErrorThatChangesNothing) {
  StrategyParameters parameters;
  const auto refused = [&](const char* name, const char* value) {
    const auto set = SetFromText(parameters, name, value);
    EXPECT_FALSE(set) << name;
    EXPECT_EQ(parameters, StrategyParameters());
    return set ? "" : set.error().message + " / " + set.error().hint;
  };
  EXPECT_THAT(refused("rmaxts.worker", "3"), HasSubstr("rmaxts.workers"));
  EXPECT_THAT(refused("rmaxts", "3"), HasSubstr("no strategy parameter"));
  EXPECT_THAT(refused("rmaxts.workers", "many"), HasSubstr("whole number"));
  EXPECT_THAT(refused("rmaxts.workers", "-1"), HasSubstr("whole number"));
  EXPECT_THAT(refused("rmaxts.workers", "0"), HasSubstr("rmaxts: "));
  EXPECT_THAT(refused("rmaxts.bandit", "thompson"), HasSubstr("ducb"));
  EXPECT_THAT(refused("sg_mdp.suggestions", "ignore"), HasSubstr("replace"));
  EXPECT_THAT(refused("agent.protocol", "telepathy"), HasSubstr("auto, native or text"));
  EXPECT_THAT(refused("agent.tool_calls", "0"), HasSubstr("agent: "));
  EXPECT_THAT(refused("sketch.free_share", "2"), HasSubstr("from 0 to 1"));
  EXPECT_THAT(refused("sketch.depht", "2"), HasSubstr("sketch.depth"));
  EXPECT_THAT(refused("strategy", "best"), HasSubstr("best_first"));
}

TEST(CanRun, NamesTheMissingModel) {
  StrategyParameters parameters;
  parameters.strategy = StrategyName::kRmaxts;
  const auto can = CanRun(parameters, {});
  ASSERT_FALSE(can);
  EXPECT_THAT(can.error().hint, HasSubstr("--model"));
  for (const auto strategy : {StrategyName::kAgent, StrategyName::kSketch}) {
    parameters.strategy = strategy;
    const auto chats = CanRun(parameters, {});
    ASSERT_FALSE(chats);
    EXPECT_THAT(chats.error().hint, HasSubstr("[roles]"));
  }
}

}  // namespace
}  // namespace zermelo::engine
