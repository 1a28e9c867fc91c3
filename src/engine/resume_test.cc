// Runs that are killed at any moment and resumed (docs/runs.md).
#include <map>

#include "engine/testing/resume_fixture.h"

namespace zermelo::engine {
namespace {

using testing::Execute;
using testing::ExecuteAndKill;
using testing::GameJob;
using ::testing::HasSubstr;
using testing::ResumeTest;

TEST_F(ResumeTest, AFinishedRunIsReplayedWithoutAnyRequest) {
  const GameJob job = NewJob(1);
  const std::string result = Execute(job);
  EXPECT_THAT(result, HasSubstr("zero"));
  const auto asked = Asked(job);
  const auto story = Story(job);
  EXPECT_GT(asked.size(), 24U + 12U);
  EXPECT_EQ(Execute(job), result);
  EXPECT_EQ(Asked(job), asked);
  EXPECT_EQ(Difference(job, story), "");
}

TEST_F(ResumeTest, EveryStrategyRecordsItsDecisions) {
  const GameJob job = NewJob(1);
  Execute(job);
  std::map<std::string, int> kinds;
  for (const store::Event& event : Events(job)) ++kinds[event.kind];
  for (const auto kind : {event::kSelected, event::kNodeAdded, event::kBackedUp, event::kProofFound,
                          event::kGenerated, event::kChecked, event::kRetrieved, event::kSubgoal,
                          event::kSubgoalState, event::kSketch}) {
    EXPECT_GT(kinds[std::string(kind)], 0) << kind;
  }
}

TEST_F(ResumeTest, EqualSeedsAndEqualRepliesGiveEqualRuns) {
  const GameJob first = NewJob(1), second = NewJob(1);
  EXPECT_EQ(Execute(first), Execute(second));
  EXPECT_EQ(Difference(first, Story(second)), "");
}

TEST_F(ResumeTest, ARunKilledAt50RandomMomentsEqualsAnUndisturbedRun) {
  KillOftenAndCompare([this] { return NewJob(1); });
}

/// With concurrent requests the order differs from run to run, but recorded events must stay.
TEST_F(ResumeTest, WithEightCallsInFlightNoRecordedAnswerIsLostOrRequestedAgain) {
  const GameJob undisturbed = NewJob(8);
  const auto started = core::Clock::now();
  EXPECT_THAT(Execute(undisturbed), HasSubstr("zero"));
  auto longest = core::Clock::now() - started;
  int kills = 0;
  for (int runs = 0; kills < 20 && runs < 100; ++runs) {
    const GameJob job = NewJob(8);
    for (bool alive = true; alive && kills < 20;) {
      const auto before = Story(job);
      const auto paid = Paid(job);
      const size_t asked_before = Asked(job).size();
      const auto begun = core::Clock::now();
      std::uniform_int_distribution<int64_t> moment(
          0, std::chrono::duration_cast<std::chrono::microseconds>(longest).count());
      alive = ExecuteAndKill(job, std::chrono::microseconds(moment(random)));
      // The first execution can have been slower, on a busy machine: later kills would miss.
      if (!alive && before.empty()) longest = std::min(longest, core::Clock::now() - begun);
      kills += alive ? 1 : 0;
      const auto asked = Asked(job);
      for (size_t i = asked_before; i < asked.size(); ++i) EXPECT_FALSE(paid.contains(asked[i]));
      const auto after = Story(job);
      ASSERT_GE(after.size(), before.size());
      EXPECT_EQ(std::vector(after.begin(), after.begin() + static_cast<long>(before.size())),
                before);
    }
    const std::string resumed = Execute(job);
    EXPECT_THAT(resumed, HasSubstr("zero"));
    EXPECT_EQ(Execute(job), resumed);
  }
  EXPECT_EQ(kills, 20);
}

}  // namespace
}  // namespace zermelo::engine
