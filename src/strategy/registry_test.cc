#include "strategy/registry.h"

#include <algorithm>
#include <cstdlib>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/files/file.h"
#include "strategy/testing/strategies_page.h"

namespace zermelo::strategy {
namespace {

using ::testing::HasSubstr;

TEST(StrategyParameters, SurviveJson) {
  StrategyParameters parameters;
  parameters.strategy = "sg_mdp";
  parameters.all = true;
  parameters.sections["rmaxts"]["bandit"] = "swucb";
  parameters.sections["sg_mdp"]["lambda"] = 0.25;
  parameters.sections["agent"]["protocol"] = "text";
  parameters.sections["sketch"]["depth"] = 2U;
  const nlohmann::json json = parameters;
  EXPECT_EQ(json.get<StrategyParameters>(), parameters);
  EXPECT_EQ(json["rmaxts"]["bandit"], "swucb");
  EXPECT_EQ(json["agent"]["protocol"], "text");
}

TEST(StrategyParameters, MissingFieldsHaveTheirDefaults) {
  const auto parameters =
      nlohmann::json::parse(R"({"rmaxts": {"workers": 3}})").get<StrategyParameters>();
  StrategyParameters expected;
  expected.sections["rmaxts"]["workers"] = 3U;
  EXPECT_EQ(parameters, expected);
}

TEST(StrategyParameters, AreSetByName) {
  StrategyParameters parameters;
  EXPECT_TRUE(SetFromText(parameters, "strategy", "rmaxts"));
  EXPECT_TRUE(SetFromText(parameters, "rmaxts.workers", "16"));
  EXPECT_TRUE(SetFromText(parameters, "rmaxts.bandit", "uct"));
  EXPECT_TRUE(SetFromText(parameters, "rmaxts.tactic_state", "false"));
  EXPECT_TRUE(SetFromText(parameters, "rmaxts.exploration", "2"));
  EXPECT_EQ(parameters.strategy, "rmaxts");
  const auto& rmaxts = parameters.sections["rmaxts"];
  EXPECT_EQ(rmaxts["workers"], 16U);
  EXPECT_EQ(rmaxts["bandit"], "uct");
  EXPECT_FALSE(rmaxts["tactic_state"]);
  EXPECT_EQ(rmaxts["exploration"].dump(), "2.0");
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

TEST(StrategyParameters, HeuristicsAreLeftOutByName) {
  StrategyParameters parameters;
  EXPECT_FALSE(nlohmann::json(parameters).contains("builtin"));
  ASSERT_TRUE(SetFromText(parameters, "builtin.without", "arith,cases"));
  EXPECT_EQ(parameters.without, "arith,cases");
  EXPECT_EQ(nlohmann::json(parameters).get<StrategyParameters>(), parameters);
  ASSERT_TRUE(SetFromText(parameters, "sg_mdp.trials", "3"));
  EXPECT_EQ(parameters.without, "arith,cases");
  const auto refused = SetFromText(parameters, "builtin.without", "magic");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().hint, HasSubstr("induction"));
  ASSERT_TRUE(SetFromText(parameters, "builtin.without", ""));
  EXPECT_EQ(parameters.without, "");
}

class NoLean : public lean::Checker {
 public:
  core::Task<core::Result<lean::CheckResult>> Check(lean::CheckRequest) override {
    co_return core::Fail(core::ErrorCode::kEnvironment, "there is no Lean");
  }
  size_t size() const override { return 1; }
  uint64_t checks() const override { return 0; }
};

TEST(CanRun, NamesTheMissingModel) {
  NoLean lean;
  const Services services{.checker = lean};
  StrategyParameters parameters;
  parameters.strategy = "rmaxts";
  const auto can = CanRun(parameters, services);
  ASSERT_FALSE(can);
  EXPECT_THAT(can.error().hint, HasSubstr("--model"));
  for (const char* strategy : {"agent", "sketch"}) {
    parameters.strategy = strategy;
    const auto chats = CanRun(parameters, services);
    ASSERT_FALSE(chats);
    EXPECT_THAT(chats.error().hint, HasSubstr("[roles]"));
  }
}

TEST(Fit, ABudgetReplacesTheStrategysOwnLimits) {
  StrategyParameters parameters;
  EvaluatedAttempt attempt;
  attempt.seed = 7;
  attempt.samples = 20;
  attempt.one_call_at_a_time = true;
  attempt.time = std::chrono::seconds(120);
  attempt.timed = false;
  Fit(attempt, parameters);
  EXPECT_EQ(parameters.sections["rmaxts"]["seed"], 7U);
  EXPECT_EQ(parameters.sections["rmaxts"]["generations"], 6400U) << "a part of auto keeps its own";
  EXPECT_EQ(parameters.sections["whole_proof"]["samples"], 10U) << "auto's share";
  EXPECT_EQ(parameters.sections["whole_proof"]["calls"], 1U);
  EXPECT_EQ(parameters.sections["best_first"]["batch"], 12U);
  EXPECT_EQ(parameters.sections["auto"]["builtin_share"], 0.125);
  parameters.strategy = "rmaxts";
  attempt.samples = 33;
  parameters.sections["rmaxts"]["trees"] = 16U;
  auto one = parameters;
  Fit(attempt, one);
  EXPECT_EQ(one.sections["rmaxts"]["trees"], 16U);
  EXPECT_EQ(one.sections["rmaxts"]["generations"], 3U) << "the trees share the samples";
  attempt.alone = false;
  attempt.samples = 5;
  Fit(attempt, parameters);
  EXPECT_EQ(parameters.sections["rmaxts"]["trees"], 1U) << "of K x W, an attempt is one tree";
  EXPECT_EQ(parameters.sections["rmaxts"]["generations"], 5U);
  EXPECT_EQ(parameters.sections["best_first"]["batch"], 5U);
}

TEST(AllStrategies, HaveTheNamesOfTheirFoldersAndASummary) {
  EXPECT_TRUE(NamesOfStrategies().starts_with("auto, ")) << "the default is named first";
  for (const Strategy* each : AllStrategies()) {
    EXPECT_FALSE(each->summary().empty());
    EXPECT_TRUE(each->Check(each->Defaults())) << each->name();
    EXPECT_EQ(FindStrategy(each->name()), each);
  }
  EXPECT_EQ(FindStrategy("best"), nullptr);
}

TEST(AllStrategies, ExplainEachOfTheirParametersInALine) {
  for (const Strategy* each : AllStrategies()) {
    const nlohmann::json defaults = each->Defaults();
    std::vector<std::string> expected, names;
    for (const auto& [name, value] : defaults.items()) expected.push_back(name);
    for (const Parameter& parameter : each->Parameters()) {
      names.emplace_back(parameter.name);
      EXPECT_FALSE(parameter.help.empty()) << parameter.name;
      EXPECT_EQ(parameter.help.find_first_of("|\n"), std::string_view::npos) << parameter.name;
    }
    EXPECT_THAT(names, ::testing::UnorderedElementsAreArray(expected)) << each->name();
  }
}

TEST(AllStrategies, HavePresetsOfTheirParametersWithASummary) {
  for (const Strategy* each : AllStrategies()) {
    const nlohmann::json defaults = each->Defaults();
    for (const Preset& preset : each->Presets()) {
      EXPECT_FALSE(preset.summary.empty());
      for (const auto& [name, value] : preset.parameters.items()) {
        EXPECT_TRUE(defaults.contains(name)) << each->name() << "." << name;
      }
    }
  }
}

TEST(AllStrategies, AreInTheDocumentation) {
  const auto page = core::ReadTextFile(testing::kStrategiesPage, 1U << 20U);
  ASSERT_TRUE(page);
  const std::string expected = testing::WithRegistration(*page);
  if (std::getenv("ZERMELO_GOLDEN_UPDATE") != nullptr) {
    ASSERT_TRUE(core::WriteFileAtomically(testing::kStrategiesPage, expected));
    return;
  }
  EXPECT_EQ(*page, expected) << "run this test with ZERMELO_GOLDEN_UPDATE=1";
}

TEST(TacticSearch, IsTheOneStrategyThatSaysSo) {
  EXPECT_EQ(std::ranges::count_if(AllStrategies(), &Strategy::IsTacticSearch), 1);
  EXPECT_TRUE(TacticSearch().needs().tactics);
  EXPECT_FALSE(TacticSearch().needs().proofs || TacticSearch().needs().AsksByRole());
}

}  // namespace
}  // namespace zermelo::strategy
