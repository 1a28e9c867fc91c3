#include "train/reinforcement/rollouts/sketch_rollouts.h"

#include <gtest/gtest.h>

#include "decoder/testing/models.h"
#include "llm/testing/fake_model.h"
#include "strategy/testing/game_fixture.h"
#include "strategy/testing/scripted_policies.h"

namespace zermelo::train {
namespace {

using core::ErrorCode;
using decoder::testing::kModels;
using ::testing::HasSubstr;

/// A sketch of so many lemmas that all have accepted.
SketchResult Good(size_t lemmas = 3) {
  SketchResult result;
  result.is_written = true;
  result.draft.plan.emplace();
  result.draft.plan->lemmas.resize(lemmas);
  result.draft.structure = 1;
  result.draft.rubric.emplace();
  result.draft.rubric->alignment = result.draft.rubric->value = 9;
  return result;
}

/// As `result`, but the judge has given no marks.
SketchResult WithoutMarks(SketchResult result) {
  result.draft.rubric.reset();
  result.draft.unjudged = true;
  return result;
}

std::optional<double> RewardIn(const SketchResult& result) { return RewardOf(result).value(); }

TEST(SketchRewardTest, FollowsEquation2) {
  EXPECT_EQ(RewardIn(Good()), 1);
  SketchResult rejected = Good();
  rejected.draft.structure = -1;
  EXPECT_EQ(RewardIn(rejected), -1);
  SketchResult unreadable;
  unreadable.is_written = true;
  EXPECT_EQ(RewardIn(unreadable), -1);
}

TEST(SketchRewardTest, IsUnknownIfAMissingVerdictDecides) {
  EXPECT_EQ(RewardIn(WithoutMarks(Good())), std::nullopt);
  SketchResult one_lemma = WithoutMarks(Good());
  one_lemma.draft.plan->unused.resize(1);
  one_lemma.draft.plan->unused[0].invalid = one_lemma.draft.plan->unused[0].unjudged = true;
  EXPECT_EQ(RewardIn(one_lemma), std::nullopt);
  SketchResult crashed = WithoutMarks(Good());
  crashed.draft.structure = -1;
  crashed.lean_crashed = true;
  EXPECT_EQ(RewardIn(crashed), std::nullopt);
  EXPECT_EQ(RewardIn(SketchResult()), std::nullopt) << "nothing was written";
}

TEST(SketchRewardTest, IsKnownIfNoVerdictCanChangeIt) {
  EXPECT_EQ(RewardIn(WithoutMarks(Good(2))), -1) << "too few lemmas";
  SketchResult with_false_lemma = WithoutMarks(Good());
  with_false_lemma.draft.plan->lemmas[0].invalid = true;
  with_false_lemma.draft.plan->lemmas[1].invalid = true;
  with_false_lemma.draft.plan->lemmas[1].unjudged = true;
  EXPECT_EQ(RewardIn(with_false_lemma), -1);
  with_false_lemma.error = core::Error{ErrorCode::kEnvironment, "the server is gone", ""};
  EXPECT_EQ(RewardIn(with_false_lemma), -1);
}

TEST(SketchRewardTest, ASketchThatIsTooLongForTheJudgeIsNoSample) {
  SketchResult too_long = WithoutMarks(Good());
  too_long.error = core::Error{ErrorCode::kTooLong, "4097 tokens", ""};
  EXPECT_EQ(RewardIn(too_long), std::nullopt);
  SketchResult no_room;
  no_room.error = too_long.error;
  EXPECT_EQ(RewardOf(no_room).error().code, ErrorCode::kTooLong) << "for the policy itself";
}

TEST(SketchRewardTest, AModelThatRefusesEveryRequestEndsTheStep) {
  SketchResult refused = WithoutMarks(Good());
  refused.error = core::Error{ErrorCode::kUsage, "wrong key", ""};
  EXPECT_EQ(RewardOf(refused).error().code, ErrorCode::kUsage);
}

/// A model writes proofs in words that are too long for the policy's context.
class SketchRolloutsTest : public strategy::testing::GameTest {
 protected:
  core::Result<std::vector<Rollout>> Sample(const std::string& words) {
    return Sample(words, roles_);
  }
  core::Result<std::vector<Rollout>> Sample(const std::string& words, strategy::Roles& roles) {
    GrpoSettings settings;
    settings.group = 1;
    const auto policy = LoadModel(kModels / "llama", settings).value();
    Problem problem;
    problem.statement = "theorem game : 5 := by\n  sorry\n";
    problem.words = words;
    return SketchRollouts(io, watched, roles, own_)(policy, {problem}, {0}, settings, 0);
  }

  const WriterOf own_ = [this](const ModelAndTokenizer& policy) {
    return OwnWriter(io.get_executor(), policy);
  };
  const std::string too_long_ = std::string(10'000, '.');
  llm::testing::FakeModel model_{io.get_executor(), "fake", [this](const llm::Request&, size_t) {
                                   return llm::testing::Answer({too_long_});
                                 }};
  strategy::testing::OneModel roles_{model_};
};

TEST_F(SketchRolloutsTest, AnAnswerThatIsNoSketchIsASample) {
  const auto sampled = Sample("Take away five.");
  ASSERT_TRUE(sampled) << sampled.error().message;
  ASSERT_EQ(sampled->size(), 1U);
  EXPECT_EQ(sampled->front().known_reward, -1);
}

TEST_F(SketchRolloutsTest, WordsOfTheDataThatAreTooLongAreAnError) {
  const auto sampled = Sample(too_long_);
  ASSERT_FALSE(sampled);
  EXPECT_EQ(sampled.error().code, ErrorCode::kInput);
  EXPECT_THAT(sampled.error().message, HasSubstr("problem 1 are too long"));
}

TEST_F(SketchRolloutsTest, WordsOfAModelThatAreTooLongLoseTheirGroup) {
  const auto sampled = Sample("");
  ASSERT_FALSE(sampled);
  EXPECT_EQ(sampled.error().code, ErrorCode::kEnvironment) << "other words may be shorter";
  EXPECT_THAT(sampled.error().message, HasSubstr("the prompt has"));
}

TEST_F(SketchRolloutsTest, OtherModelsAreAskedWithTheSeedsOfAStep) {
  std::vector<uint64_t> seeds;
  llm::testing::FakeModel model(io.get_executor(), "fake",
                                [&](const llm::Request& request, size_t) {
                                  seeds.push_back(request.sampling.seed.value());
                                  return llm::testing::Answer({"Take away five."});
                                });
  strategy::testing::OneModel roles(model);
  GrpoSettings settings;
  settings.group = 1;
  const auto policy = LoadModel(kModels / "llama", settings).value();
  Problem problem;
  problem.statement = "theorem game : 5 := by\n  sorry\n";
  const auto sample = [&](const SketchRollouts& rollouts, size_t step) {
    return rollouts(policy, {problem}, {0}, settings, step).has_value();
  };
  const SketchRollouts begun(io, watched, roles, own_), continued(io, watched, roles, own_);
  ASSERT_TRUE(sample(begun, 0) && sample(begun, 1) && sample(begun, 1) && sample(continued, 1));
  ASSERT_EQ(seeds.size(), 4U);
  EXPECT_NE(seeds[0], seeds[1]) << "another step, other words";
  EXPECT_NE(seeds[1], seeds[2]) << "a step that is sampled again has other words";
  EXPECT_EQ(seeds[1], seeds[3]) << "a run that goes on has the same";
}

/// A model in one role only.
class OnlyRole final : public strategy::testing::OneModel {
 public:
  OnlyRole(std::string_view role, llm::Model& model) : OneModel(model), role_(role) {}
  llm::Model* chat(std::string_view role) override {
    return role == role_ ? OneModel::chat(role) : nullptr;
  }

 private:
  const std::string_view role_;
};

TEST_F(SketchRolloutsTest, AMissingModelIsAnErrorOfUsage) {
  OnlyRole informal(strategy::role::kInformal, model_), judge(strategy::role::kJudge, model_);
  const auto without_judge = Sample("", informal), without_informal = Sample("", judge);
  EXPECT_EQ(without_judge.error().code, ErrorCode::kUsage);
  EXPECT_THAT(without_judge.error().message, HasSubstr("judge"));
  EXPECT_EQ(without_informal.error().code, ErrorCode::kUsage);
  EXPECT_THAT(without_informal.error().message, HasSubstr("informal"));
  EXPECT_TRUE(Sample("Take away five.", judge)) << "it is not needed";
}

}  // namespace
}  // namespace zermelo::train
