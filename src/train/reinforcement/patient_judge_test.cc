#include "train/reinforcement/patient_judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace zermelo::train {
namespace {

using core::ErrorCode;
using core::Fail;
using ::testing::ElementsAre;

using Verdicts = core::Result<std::vector<std::optional<bool>>>;

class PatientJudgeTest : public ::testing::Test {
 protected:
  /// The verdicts on two answers by a judge that returns `script` in order, its last one forever.
  Verdicts Ask(std::vector<Verdicts> script, double patience = 100) {
    const Judge scripted = [this, script = std::move(script)](const std::vector<Answer>& answers) {
      EXPECT_EQ(answers.size(), 2U);
      return script[std::min(calls_++, script.size() - 1)];
    };
    const Wait wait = [this](double seconds, const core::Error& why) {
      pauses_.push_back(seconds);
      reasons_.push_back(why.message);
      return !stop_;
    };
    return Patient(scripted, patience, wait)(std::vector<Answer>(2));
  }

  const Verdicts away_ = Fail(ErrorCode::kEnvironment, "no Lean");
  const Verdicts crashed_ = std::vector<std::optional<bool>>(2);
  const Verdicts judged_ = std::vector<std::optional<bool>>{std::nullopt, true};
  size_t calls_ = 0;
  std::vector<double> pauses_;
  std::vector<std::string> reasons_;
  bool stop_ = false;
};

TEST_F(PatientJudgeTest, AVerdictIsReturnedAtOnce) {
  EXPECT_EQ(*Ask({judged_}), *judged_);
  EXPECT_EQ(calls_, 1U);
}

TEST_F(PatientJudgeTest, AnOutageOfAMinuteIsWaitedFor) {
  EXPECT_EQ(*Ask({away_, away_, crashed_, crashed_, away_, away_, judged_}), *judged_);
  EXPECT_THAT(pauses_, ElementsAre(1, 2, 4, 8, 16, 30));
  EXPECT_EQ(reasons_[0], "no Lean");
  EXPECT_EQ(reasons_[2], "Lean has judged none of 2 answers");
}

TEST_F(PatientJudgeTest, PatienceEnds) {
  EXPECT_EQ(Ask({away_}, 10).error().message, "no Lean");
  EXPECT_THAT(pauses_, ElementsAre(1, 2, 4, 3));
  EXPECT_EQ(Ask({crashed_}, 0).error().code, ErrorCode::kEnvironment);
}

TEST_F(PatientJudgeTest, OtherErrorsEndTheRun) {
  EXPECT_EQ(Ask({Fail(ErrorCode::kInput, "a problem cannot be judged")}).error().code,
            ErrorCode::kInput);
  EXPECT_EQ(calls_, 1U);
}

TEST_F(PatientJudgeTest, AStopEndsTheWait) {
  stop_ = true;
  EXPECT_EQ(Ask({away_}).error().code, ErrorCode::kCancelled);
  EXPECT_EQ(calls_, 1U);
}

}  // namespace
}  // namespace zermelo::train
