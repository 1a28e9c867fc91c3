// The presets, constant by constant, with the places in the papers.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <set>

#include "strategy/registry.h"

namespace zermelo::strategy {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

struct Constant {
  const char* preset;     // "rmaxts=paper"
  const char* parameter;  // of the strategy
  json value;
  const char* place;  // in the paper
};

/// Every constant that a paper gives. Values of other parameters are the defaults.
const std::vector<Constant>& Constants() {
  static const std::vector<Constant> all{
      // DeepSeek-Prover-V1.5, arXiv 2408.08152
      {"rmaxts=paper", "trees", 16, "table 1: 16 x 6400"},
      {"rmaxts=paper", "generations", 6400, "table 1; section 5.1: of a tree"},
      {"rmaxts=paper", "workers", 32, "A.4, tree parallelization"},
      {"rmaxts=paper", "bandit", "ducb", "section 4.3"},
      {"rmaxts=paper", "gamma", 0.99, "section 4.3, below eq. 9"},
      {"rmaxts=paper", "exploration", 1.0, "eq. 7: no factor"},
      {"rmaxts=paper", "convention", "paper", "eq. 7 to 9 as printed"},
      {"rmaxts=paper", "merge", "siblings", "algorithm 1, line 25"},
      {"rmaxts=paper", "state_merging", "exact", "algorithm 1, line 25"},
      {"rmaxts=paper", "intrinsic_reward", true, "eq. 3"},
      {"rmaxts=paper", "tactic_state", true, "section 4.1, resume"},
      {"rmaxts=paper", "max_prefix_tokens", 2048,
       "reference code; B.1 limits generations likewise"},
      {"rmaxts=paper", "check_seconds", 300.0, "B.1, evaluation settings"},
      {"whole_proof=paper", "per_call", 1, "B.1: three examples drawn for each attempt"},
      {"whole_proof=paper", "corrections", 0, "section 5.1: single-pass generation"},
      {"whole_proof=paper", "check_seconds", 300.0, "B.1, evaluation settings"},
      // Bourbaki, arXiv 2507.02726
      {"sg_mdp=paper", "iterations", 512, "section 4: K"},
      {"sg_mdp=paper", "trials", 10, "section 4: N"},
      {"sg_mdp=paper", "conjectures", true, "section 3.1"},
      {"sg_mdp=paper", "prune", false, "section 3.2: the proof is the tokens of the state"},
      {"sg_mdp=paper", "suggestions", "complete", "section 4, implementation details"},
      {"sg_mdp=paper", "states", "tactics", "section 3.1: the proof's tokens"},
      {"sg_mdp=paper", "metavariables", true, "section 2: Pantograph's metavariable coupling"},
      // Hilbert, arXiv 2509.22819
      {"hilbert=paper", "initial_proofs", 4, "section 4: attempts of the prover"},
      {"hilbert=paper", "subgoal_proofs", 4, "section 4; section 3.2.2, step 1"},
      {"hilbert=paper", "depth", 5, "section 4: D"},
      {"hilbert=paper", "sketch_attempts", 4, "section 4; section 3.2.1, step 2"},
      {"hilbert=paper", "queries", 5, "section 4; section 3.2.1, step 1"},
      {"hilbert=paper", "premises", 5, "section 4; section 3.2.1, step 1"},
      {"hilbert=paper", "shallow_attempts", 6, "section 4; section 3.2.2, step 3"},
      {"hilbert=paper", "shallow_corrections", 6, "section 4; section 3.2.2, step 3"},
      {"hilbert=paper", "shallow_lines", 30, "section 4; section 3.2.2, step 3"},
      {"hilbert=paper", "extraction", "reasoner", "section 3.2.1, step 3"},
      {"hilbert=paper", "builtin_seconds", 0.0, "algorithm 1: the prover is first"},
      {"hilbert=paper", "disprove_seconds", 0.0, "section 3.2.2, step 2: only the reasoner judges"},
      // Seed-Prover 1.5, arXiv 2512.17260
      {"agent=paper", "trajectories", 8, "section 4.1: Pass@8 x 8"},
      {"agent=paper", "rounds", 8, "section 4.1: Pass@8 x 8"},
      {"agent=paper", "share_lemmas", false, "section 3.1: a trajectory is Pass@1"},
      {"agent=paper", "tokens", 65536, "section 3.1: maximum sequence length of 64K"},
      {"agent=paper", "tool_calls", 28, "section 3.1: a limit of 28 tool calls"},
      {"agent=paper", "context", 0, "section 4.1: no error pruning"},
      {"agent=paper", "backtrack_after", 0, "section 4.1: no error pruning"},
      {"sketch=paper", "depth", 4, "section 4.2: initial maximum search depth"},
      {"sketch=paper", "restarts", 1, "section 4.2: one restart, depth 8 in all"},
      {"sketch=paper", "trajectories", 3, "section 3.4: Pass@3 x 3"},
      {"sketch=paper", "rounds", 3, "section 3.4: Pass@3 x 3"},
      {"sketch=paper", "judge", true, "section 3.3; appendix B, prompt 1"},
      {"sketch=paper", "rubric", true, "section 3.3; appendix B, prompt 2"},
      {"sketch=paper", "free_share", 0.0, "section 3.4: the agent alone proves lemmas"},
  };
  return all;
}

std::string NameOf(const Strategy& strategy, const Preset& preset) {
  return fmt::format("{}={}", strategy.name(), preset.name);
}

TEST(Presets, SetEveryConstantOfThePapers) {
  for (const Constant& constant : Constants()) {
    const std::string name(constant.preset);
    const std::string section = name.substr(0, name.find('='));
    StrategyParameters parameters;
    ASSERT_TRUE(SetFromText(parameters, section, name.substr(name.find('=') + 1))) << name;
    EXPECT_EQ(parameters.sections[section][constant.parameter], constant.value)
        << name << " " << constant.parameter << ": " << constant.place;
  }
}

/// Of presets in the table; other presets have no paper.
TEST(Presets, SetNothingThatTheTableLacks) {
  std::map<std::string, std::set<std::string>> in_table;
  for (const Constant& each : Constants()) in_table[each.preset].insert(each.parameter);
  for (const Strategy* strategy : AllStrategies()) {
    for (const Preset& preset : strategy->Presets()) {
      const auto expected = in_table.find(NameOf(*strategy, preset));
      if (expected == in_table.end()) continue;
      std::set<std::string> set;
      for (const auto& [parameter, value] : preset.parameters.items()) set.insert(parameter);
      EXPECT_EQ(set, expected->second) << expected->first;
    }
  }
}

TEST(Presets, KeepWhatTheyDoNotName) {
  StrategyParameters parameters;
  ASSERT_TRUE(SetFromText(parameters, "rmaxts.seed", "7"));
  ASSERT_TRUE(SetFromText(parameters, "rmaxts.preset", "paper"));
  EXPECT_EQ(parameters.sections["rmaxts"]["seed"], 7U);
  EXPECT_EQ(parameters.sections["rmaxts"]["trees"], 16U);
  EXPECT_EQ(parameters.sections["sg_mdp"], StrategyParameters().sections["sg_mdp"]);
  EXPECT_EQ(parameters.strategy, "auto") << "a preset does not choose the strategy";
}

TEST(Presets, TheSketchesAgentIsThePapers) {  // Seed-Prover 1.5, section 3.4: Pass@3×3
  StrategyParameters agent, sketch;
  ASSERT_TRUE(SetFromText(agent, "agent", "paper"));
  ASSERT_TRUE(SetFromText(sketch, "sketch", "paper"));
  EXPECT_EQ(sketch.sections["agent"], agent.sections["agent"]) << "independent and never cut";
  const auto beside = json{{"agent", {{"context", 1024}}}, {"sketch", "paper"}}
                          .get<StrategyParameters>()
                          .sections["agent"];
  EXPECT_EQ(beside["context"], 1024) << "a value overrides it";
  EXPECT_EQ(beside["share_lemmas"], false);
}

TEST(Presets, AValueBesideThemOverridesThemWhereverItStands) {
  StrategyParameters parameters;
  for (const auto& setting : PresetsFirst({{"rmaxts.workers", "3"}, {"rmaxts", "paper"}})) {
    ASSERT_TRUE(SetFromText(parameters, setting.name, setting.value));
  }
  EXPECT_EQ(parameters.sections["rmaxts"]["workers"], 3U);
  EXPECT_EQ(parameters.sections["rmaxts"]["trees"], 16U);
}

TEST(Presets, CanStandInJson) {
  const auto named = json{{"rmaxts", "paper"}}.get<StrategyParameters>();
  EXPECT_EQ(named.sections["rmaxts"]["trees"], 16U);
  const auto beside =
      json{{"rmaxts", {{"workers", 3}, {"preset", "paper"}}}}.get<StrategyParameters>();
  EXPECT_EQ(beside.sections["rmaxts"]["workers"], 3U);
  EXPECT_EQ(beside.sections["rmaxts"]["trees"], 16U);
  EXPECT_FALSE(beside.sections["rmaxts"].contains("preset")) << "a run stores the values";
  EXPECT_THROW((json{{"rmaxts", "papers"}}.get<StrategyParameters>()), json::exception);
}

TEST(Presets, UnknownOneIsAnErrorThatNamesThoseThatExist) {
  StrategyParameters parameters;
  const auto set = SetFromText(parameters, "rmaxts", "article");
  ASSERT_FALSE(set);
  EXPECT_EQ(set.error().code, core::ErrorCode::kUsage);
  EXPECT_THAT(set.error().message, HasSubstr("rmaxts has no preset `article`"));
  EXPECT_THAT(set.error().hint, HasSubstr("presets: paper"));
  EXPECT_FALSE(SetFromText(parameters, "best_first", "paper"));
  EXPECT_EQ(parameters, StrategyParameters());
}

}  // namespace
}  // namespace zermelo::strategy
