#include "train/reinforcement/grpo.h"

#include <ATen/Parallel.h>
#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/files/file.h"
#include "decoder/testing/models.h"
#include "train/reinforcement/rollouts/rollouts.h"
#include "train/reinforcement/vapo.h"
#include "train/testing/files.h"
#include "train/testing/full_disk.h"

namespace zermelo::train {
namespace {

using core::ErrorCode;
using decoder::testing::kModels;
using testing::Bytes;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::Lines;
using testing::WriteLines;

TEST(DrawProblemsTest, EachOnceBeforeOneComesAgain) {
  std::vector<size_t> all;
  for (size_t step = 0; step < 5; ++step) {
    const auto drawn = DrawProblems(2, 5, 7, step);
    EXPECT_EQ(drawn, DrawProblems(2, 5, 7, step));
    all.insert(all.end(), drawn.begin(), drawn.end());
  }
  std::sort(all.begin(), all.begin() + 5);
  std::sort(all.begin() + 5, all.end());
  EXPECT_THAT(all, ElementsAre(0, 1, 2, 3, 4, 0, 1, 2, 3, 4));
}

TEST(AdvantagesTest, GroupsOfEqualRewardAreLeftOutIfAsked) {
  const auto rollouts = [] {
    std::vector<Rollout> all(6);
    for (size_t i = 0; i < 6; ++i) all[i].problem = i / 2;
    all[0].reward = all[2].reward = all[3].reward = 1;
    return all;
  };
  GrpoSettings settings;
  settings.divide_by_deviation = false;
  auto all = rollouts();
  std::vector<double> advantages;
  EXPECT_EQ(SetGroupAdvantages(settings, all, advantages), 1U);
  EXPECT_EQ(all.size(), 6U);
  EXPECT_THAT(advantages, ElementsAre(0.5, -0.5, 0, 0, 0, 0));
  settings.drop_equal = true;
  auto dropped = rollouts();
  SetGroupAdvantages(settings, dropped, advantages);
  EXPECT_EQ(dropped.size(), 2U);
  EXPECT_THAT(advantages, ElementsAre(0.5, -0.5));
}

class GrpoTest : public ::testing::Test {
 protected:
  GrpoTest() {
    files_.model = kModels / "llama";
    files_.data =
        WriteLines(folder_.path() / "problems.jsonl",
                   {{{"prompt", "theorem a"},
                     {"theorem", {{"header", "import A\n"}, {"statement", "theorem a := by"}}}},
                    {{"prompt", "theorem b"}, {"theorem", {{"statement", "theorem b := by"}}}}});
    files_.out = folder_.path() / "run";
    settings_.steps = 4;
    settings_.prompts = 2;
    settings_.group = 8;
    settings_.max_tokens = 4;
    settings_.checkpoint_every = 2;
    settings_.learning_rate = 3e-3;
    settings_.kl_weight = 0;
  }
  core::Status Train(const Judge& judge) { return TrainIn(judge); }
  core::Status TrainIn(const Environment& environment) {
    return TrainGrpo(
        files_, settings_, environment,
        [this](const nlohmann::json& line) { steps_.push_back(line); }, stop_);
  }
  /// Proved if the answer has a lower-case letter.
  static core::Result<std::vector<std::optional<bool>>> Letters(
      const std::vector<Answer>& answers) {
    std::vector<std::optional<bool>> out;
    for (const Answer& answer : answers) {
      out.emplace_back(
          std::ranges::any_of(answer.text, [](char c) { return c >= 'a' && c <= 'z'; }));
    }
    return out;
  }

  /// Letters, until there is no Lean any more.
  static Judge GoneAtTheFourthStep() {
    return [calls = 0](const std::vector<Answer>& answers) mutable
           -> core::Result<std::vector<std::optional<bool>>> {
      if (++calls == 4) return core::Fail(ErrorCode::kEnvironment, "no Lean");
      return Letters(answers);
    };
  }
  /// A judge that must not be asked.
  static core::Result<std::vector<std::optional<bool>>> Unasked(
      const std::vector<Answer>& answers) {
    ADD_FAILURE() << "asked about " << answers.size() << " answers";
    return std::vector<std::optional<bool>>(answers.size(), false);
  }

  const core::TemporaryFolder folder_ = core::TemporaryFolder::Create("zermelo-grpo").value();
  RlFiles files_;
  GrpoSettings settings_;
  std::vector<nlohmann::json> steps_;
  std::atomic<bool> stop_ = false;
};

TEST_F(GrpoTest, GoesOnWithTheSameLeanAndModelsOnly) {
  Environment environment{Judge(Letters)};
  settings_.steps = 2;
  ASSERT_TRUE(TrainIn(environment)) << "as versions that recorded no names";
  environment.names = {{"lean", "4.28.0"}, {"judge", "large"}, {"informal", "large"}};
  settings_.steps = 4;
  ASSERT_TRUE(TrainIn(environment));
  for (const char* name : {"lean", "judge", "informal"}) {
    Environment other = environment;
    other.names[name] = "another";
    const auto trained = TrainIn(other);
    ASSERT_FALSE(trained) << name;
    EXPECT_EQ(trained.error().code, ErrorCode::kUsage);
    EXPECT_THAT(trained.error().message, HasSubstr(std::string("another ") + name));
  }
}

TEST_F(GrpoTest, AnswersDoNotDependOnWhatIsWrittenBesideThem) {
  settings_.group = 20;  // two groups do not fit at once
  const auto policy = LoadModel(files_.model, settings_);
  const auto problems = ReadProblems(files_.data);
  ASSERT_TRUE(policy && problems);
  const auto alone = SampleAnswers(*policy, *problems, {1}, settings_, 3);
  at::set_num_threads(2);
  const auto all = SampleAnswers(*policy, *problems, {1, 0, 1, 0, 1}, settings_, 3);
  at::set_num_threads(1);
  ASSERT_TRUE(alone && all);
  ASSERT_EQ(all->size(), 100U);
  for (size_t i = 0; i < all->size(); ++i) {
    EXPECT_EQ((*all)[i].problem, i / 20 % 2 == 0 ? 1U : 0U);
  }
  for (size_t i = 0; i < 20; ++i) {
    EXPECT_EQ((*all)[i].row.tokens, (*alone)[i].row.tokens) << i;
  }
  EXPECT_NE((*all)[0].row.tokens, (*all)[40].row.tokens) << "the third group has other seeds";
}

TEST_F(GrpoTest, LearnsWhatIsRewarded) {
  settings_.steps = 40;
  settings_.group = 16;
  const auto trained = Train(Letters);
  ASSERT_TRUE(trained) << trained.error().message;
  const auto proved = [&](size_t from, size_t to) {
    double sum = 0;
    for (size_t i = from; i < to; ++i) sum += steps_[i].at("proved").get<double>();
    return sum / static_cast<double>(to - from);
  };
  EXPECT_GT(proved(35, 40), proved(0, 5) + 0.2) << proved(0, 5);
  EXPECT_GT(proved(35, 40), 0.9);
}

TEST_F(GrpoTest, WithoutRewardsNothingIsLearnt) {
  const Judge none = [](const std::vector<Answer>& answers) {
    return std::vector<std::optional<bool>>(answers.size(), false);
  };
  ASSERT_TRUE(Train(none));
  EXPECT_EQ(Bytes(files_.out / "model/model.safetensors").size(),
            Bytes(files_.model / "model.safetensors").size());
  EXPECT_EQ(steps_.back().at("unequal_groups"), 0);
  EXPECT_EQ(steps_.back().at("loss"), 0);
}

TEST_F(GrpoTest, TheKlTermHoldsTheModelNearItsReference) {
  settings_.steps = 12;
  ASSERT_TRUE(Train(Letters));
  files_.out = folder_.path() / "held";
  settings_.kl_weight = 1e-9;  // measured, without effect
  steps_.clear();
  ASSERT_TRUE(Train(Letters));
  const double free = steps_.back().at("kl").get<double>();
  files_.out = folder_.path() / "held fast";
  settings_.kl_weight = 5;
  steps_.clear();
  ASSERT_TRUE(Train(Letters));
  EXPECT_LT(steps_.back().at("kl").get<double>(), 0.5 * free);
}

TEST_F(GrpoTest, WhatHasNoVerdictIsNoSample) {
  const Judge crashes = [](const std::vector<Answer>& answers) {
    std::vector<std::optional<bool>> out(answers.size(), false);
    out[0] = std::nullopt;
    return out;
  };
  ASSERT_TRUE(Train(crashes));
  EXPECT_GE(steps_[0].at("without_verdict").get<int>(), 1);
  EXPECT_LT(steps_[0].at("samples").get<int>(), 16);
  EXPECT_EQ(Lines(files_.out / "rollouts.jsonl").size() +
                static_cast<size_t>(steps_[0].at("without_verdict").get<int>() +
                                    steps_[1].at("without_verdict").get<int>() +
                                    steps_[2].at("without_verdict").get<int>() +
                                    steps_[3].at("without_verdict").get<int>()),
            64U);
}

TEST_F(GrpoTest, AVerifierThatIsGoneEndsTheRunAndItGoesOnBitForBit) {
  settings_.inner_epochs = 2;
  ASSERT_TRUE(Train(Letters));
  const std::string whole = Bytes(files_.out / "model/model.safetensors");
  files_.out = folder_.path() / "again";
  EXPECT_EQ(Train(GoneAtTheFourthStep()).error().message, "no Lean");
  steps_.clear();
  ASSERT_TRUE(Train(Letters));
  EXPECT_EQ(steps_.size(), 2U) << "from the checkpoint after step 2";
  EXPECT_EQ(Bytes(files_.out / "model/model.safetensors"), whole);
  EXPECT_EQ(Lines(files_.out / "rollouts.jsonl").size(), 64U);
}

TEST_F(GrpoTest, AnEarlyJudgeChangesNothingAndLeavesTheOtherNothingToDo) {
  settings_.group = 20;  // two groups do not fit at once
  ASSERT_TRUE(Train(Letters));
  const std::string whole = Bytes(files_.out / "model/model.safetensors");
  files_.out = folder_.path() / "early";
  Environment environment{Judge(Unasked)};
  size_t calls = 0;
  environment.early_judge = [&](const std::vector<Answer>& answers) {
    ++calls;
    return Letters(answers);
  };
  ASSERT_TRUE(TrainIn(environment));
  EXPECT_EQ(Bytes(files_.out / "model/model.safetensors"), whole);
  EXPECT_GE(calls, settings_.steps);
}

TEST_F(GrpoTest, AnswersToAProblemAreReportedWhenTheyAreComplete) {
  settings_.group = 20;  // two groups do not fit at once
  const auto policy = LoadModel(files_.model, settings_);
  const auto problems = ReadProblems(files_.data);
  ASSERT_TRUE(policy && problems);
  std::vector<size_t> numbers;
  const auto written = WriteAnswers(*policy, *problems, {1, 0}, settings_, 3,
                                    [&](size_t number, const std::vector<Rollout>& rollouts) {
                                      numbers.push_back(number);
                                      EXPECT_EQ(rollouts.size(), 20U);
                                      EXPECT_EQ(rollouts.front().problem, number == 0 ? 1U : 0U);
                                    });
  ASSERT_TRUE(written);
  EXPECT_THAT(numbers, ElementsAre(0, 1));
}

TEST_F(GrpoTest, AnEarlyJudgeThatIsAwayLeavesAllToTheOther) {
  ASSERT_TRUE(Train(Letters));
  const std::string whole = Bytes(files_.out / "model/model.safetensors");
  files_.out = folder_.path() / "again";
  Environment environment{Judge(Letters)};
  environment.early_judge =
      [](const std::vector<Answer>&) -> core::Result<std::vector<std::optional<bool>>> {
    return core::Fail(ErrorCode::kEnvironment, "no Lean");
  };
  ASSERT_TRUE(TrainIn(environment));
  EXPECT_EQ(Bytes(files_.out / "model/model.safetensors"), whole);
}

TEST_F(GrpoTest, WhatAnEarlyJudgeCouldNotJudgeForLackOfLeanIsJudgedAgain) {
  settings_.group = 20;  // two groups do not fit at once
  ASSERT_TRUE(Train(Letters));
  const std::string whole = Bytes(files_.out / "model/model.safetensors");
  files_.out = folder_.path() / "again";
  Environment environment{Judge(Letters)};
  environment.early_judge = [calls = 0](const std::vector<Answer>& answers) mutable
      -> core::Result<std::vector<std::optional<bool>>> {
    if (++calls % 2 == 0) return core::Fail(ErrorCode::kEnvironment, "no Lean");
    return Letters(answers);
  };
  ASSERT_TRUE(TrainIn(environment));
  EXPECT_EQ(Bytes(files_.out / "model/model.safetensors"), whole);
}

TEST_F(GrpoTest, AProblemThatCannotBeJudgedEndsTheRun) {
  Environment environment{Judge(Unasked)};
  environment.early_judge =
      [](const std::vector<Answer>&) -> core::Result<std::vector<std::optional<bool>>> {
    return core::Fail(ErrorCode::kInput, "a problem cannot be judged");
  };
  EXPECT_EQ(TrainIn(environment).error().code, ErrorCode::kInput);
}

TEST_F(GrpoTest, OfAnEarlyJudgeToo_WhatHasNoVerdictIsNoSample) {
  Environment environment{Judge(Unasked)};
  environment.early_judge = [](const std::vector<Answer>& answers) {
    std::vector<std::optional<bool>> out(answers.size(), false);
    out[0] = std::nullopt;
    return out;
  };
  ASSERT_TRUE(TrainIn(environment));
  EXPECT_GE(steps_[0].at("without_verdict").get<int>(), 1);
  EXPECT_GT(steps_[0].at("tokens_per_second").get<double>(), 0);
}

TEST_F(GrpoTest, MiniBatchesLearnWhatIsRewardedInFewerSteps) {
  settings_.steps = 20;
  settings_.group = 16;
  const auto proved = [&](size_t mini_batch) {
    settings_.mini_batch = mini_batch;
    files_.out = folder_.path() / std::to_string(mini_batch);
    steps_.clear();
    EXPECT_TRUE(Train(Letters));
    double sum = 0;
    for (size_t i = 15; i < 20; ++i) sum += steps_[i].at("proved").get<double>() / 5;
    return sum;
  };
  EXPECT_GT(proved(8), proved(0) + 0.05);
}

class VapoTest : public GrpoTest {
 protected:
  VapoTest() {
    static_cast<RunSettings&>(vapo_) = settings_;
    vapo_.prompts = 2;
    vapo_.group = 8;
    vapo_.max_tokens = 4;
    vapo_.value_steps = 2;
  }
  core::Status Train(const Judge& judge) {
    return TrainVapo(
        files_, vapo_, judge, [this](const nlohmann::json& line) { steps_.push_back(line); },
        stop_);
  }
  VapoSettings vapo_;
};

TEST_F(VapoTest, LearnsWhatIsRewarded) {
  vapo_.steps = 90;
  vapo_.group = 16;
  vapo_.value_steps = 10;
  const auto trained = Train(Letters);
  ASSERT_TRUE(trained) << trained.error().message;
  const auto mean = [&](const char* key, size_t from, size_t to) {
    double sum = 0;
    for (size_t i = from; i < to; ++i) sum += steps_[i].at(key).get<double>();
    return sum / static_cast<double>(to - from);
  };
  EXPECT_FALSE(steps_[9].contains("loss")) << "only the critic learns";
  EXPECT_TRUE(steps_[10].contains("loss"));
  EXPECT_NEAR(mean("proved", 0, 10), mean("proved", 5, 10), 0.2);
  EXPECT_GT(mean("proved", 85, 90), 0.9);
  EXPECT_GT(mean("proved", 85, 90), mean("proved", 0, 10) + 0.2);
}

TEST_F(VapoTest, GoesOnBitForBit) {
  ASSERT_TRUE(Train(Letters));
  const std::string whole = Bytes(files_.out / "model/model.safetensors");
  const std::string state = Bytes(files_.out / "model/optimizer.safetensors");
  files_.out = folder_.path() / "again";
  EXPECT_EQ(Train(GoneAtTheFourthStep()).error().message, "no Lean");
  ASSERT_TRUE(Train(Letters));
  EXPECT_EQ(Bytes(files_.out / "model/model.safetensors"), whole);
  EXPECT_EQ(Bytes(files_.out / "model/optimizer.safetensors"), state);
}

TEST_F(GrpoTest, EqualAnswersAreJudgedOnce) {
  settings_.temperature = 0;
  settings_.steps = 1;
  size_t judged = 0;
  const Judge count = [&](const std::vector<Answer>& answers) {
    judged += answers.size();
    EXPECT_EQ(answers[0].problem->statement == "import A\ntheorem a := by\n  sorry\n",
              answers[0].problem->prompt == "theorem a");
    return std::vector<std::optional<bool>>(answers.size(), true);
  };
  ASSERT_TRUE(Train(count));
  EXPECT_EQ(judged, 2U);
  EXPECT_EQ(steps_[0].at("samples"), 16);
}

TEST(RewardsTest, ASketchBringsItsReward) {
  std::vector<Rollout> rollouts(2);
  rollouts[0].known_reward = 1;
  rollouts[1].known_reward = -1;
  size_t asked = 0;
  const Judge judge = [&](const std::vector<Answer>& answers) {
    asked += answers.size();
    return std::vector<std::optional<bool>>(answers.size());
  };
  ASSERT_TRUE(RewardAnswers(std::vector<Problem>(1), judge, 0, rollouts));
  EXPECT_EQ(asked, 0U);
  ASSERT_EQ(rollouts.size(), 2U);
  EXPECT_EQ(rollouts[0].reward, 1);
  EXPECT_EQ(rollouts[1].reward, -1);
}

TEST(RewardsTest, AConversationWithoutAProofIsAFailureThatNeedsNoVerdict) {
  std::vector<Rollout> rollouts(2);
  for (Rollout& rollout : rollouts) rollout.tool_calls = 1;
  rollouts[1].file = "theorem t : True := trivial\n";
  const Judge judge = [](const std::vector<Answer>& answers) {
    EXPECT_EQ(answers.size(), 1U);
    EXPECT_EQ(CandidateOf(answers.at(0)), "theorem t : True := trivial\n");
    return std::vector<std::optional<bool>>{true};
  };
  ASSERT_TRUE(RewardAnswers(std::vector<Problem>(1), judge, -1, rollouts));
  EXPECT_EQ(rollouts.at(0).reward, -1);
  EXPECT_EQ(rollouts.at(1).reward, 1);
}

TEST_F(GrpoTest, ProblemsThatCannotBeReadAreNamed) {
  WriteLines(files_.data, {{{"prompt", "a"}}});
  EXPECT_THAT(Train(Letters).error().message, HasSubstr("problems.jsonl:1: "));
  WriteLines(files_.data, {});
  EXPECT_EQ(Train(Letters).error().code, ErrorCode::kInput);
}

TEST_F(GrpoTest, ALossThatIsNotFiniteKeepsTheLastCheckpoint) {
  settings_.steps = 50;
  settings_.learning_rate = 1e30;
  settings_.checkpoint_every = 1;
  const auto trained = Train(Letters);
  ASSERT_FALSE(trained);
  EXPECT_EQ(trained.error().code, ErrorCode::kEnvironment);
  EXPECT_THAT(trained.error().message, HasSubstr("not finite"));
  EXPECT_TRUE(std::filesystem::exists(files_.out / "model/model.safetensors"));
}

TEST_F(GrpoTest, AFullDiskKeepsTheLastCheckpointAndTheRunGoesOn) {
  ASSERT_TRUE(Train(Letters));
  const std::string whole = Bytes(files_.out / "model/model.safetensors");
  files_.out = folder_.path() / "full";
  settings_.steps = 2;
  ASSERT_TRUE(Train(Letters));
  settings_.steps = 4;
  {
    const testing::FullDisk full(20'000);  // enough for all but the weights
    const auto failed = Train(Letters);
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().code, ErrorCode::kEnvironment);
  }
  EXPECT_EQ(std::filesystem::read_symlink(files_.out / "model"), "checkpoint-00000002");
  ASSERT_TRUE(Train(Letters));
  EXPECT_EQ(Bytes(files_.out / "model/model.safetensors"), whole);
}

}  // namespace
}  // namespace zermelo::train
