// Runs that are killed at any moment and resumed (docs/runs.md).
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>

#include "core/file.h"
#include "engine/game_run.h"

namespace zermelo::engine {
namespace {

using testing::Execute;
using testing::ExecuteAndKill;
using testing::GameJob;
using ::testing::HasSubstr;

class ResumeTest : public ::testing::Test {
 protected:
  GameJob NewJob(size_t lanes) {
    GameJob job;
    job.folder = folder.path() / std::to_string(jobs_++);
    std::filesystem::create_directory(job.folder);
    job.lanes = lanes;
    return job;
  }
  static std::vector<store::Event> Events(const GameJob& job) {
    auto database = store::Database::Open(job.database(), store::Access::kReadOnly);
    if (!database) return {};  // killed before it was there
    return store::Runs(**database).Events(1, 0, 1'000'000).value();
  }
  /// What is the same in every execution: all but when, and what tells of resuming.
  static std::vector<std::string> Story(const GameJob& job) {
    std::vector<std::string> story;
    for (const store::Event& event : Events(job)) {
      if (event.kind == event::kResumed) continue;
      story.push_back(event.kind + " " + event.fields + (event.call ? event.call->reply : ""));
      if (event.kind == event::kSearchEnded) break;  // resumed once more, it ends once more
    }
    return story;
  }
  /// The first event in which a run differs from another; empty: in none.
  static std::string Difference(const GameJob& job, const std::vector<std::string>& story) {
    const auto mine = Story(job);
    const auto [a, b] = std::mismatch(mine.begin(), mine.end(), story.begin(), story.end());
    if (a == mine.end() && b == story.end()) return "";
    return (a == mine.end() ? "nothing" : *a) + " instead of " +
           (b == story.end() ? "nothing" : *b);
  }
  static std::vector<std::string> Asked(const GameJob& job) {
    std::vector<std::string> keys;
    std::ifstream log(job.asked());
    for (std::string key; std::getline(log, key);) keys.push_back(key);
    return keys;
  }
  /// The keys of the generations that are in the record.
  static std::set<std::string> Paid(const GameJob& job) {
    std::set<std::string> keys;
    for (const store::Event& event : Events(job)) {
      if (event.call) keys.insert(event.call->key);
    }
    return keys;
  }

  const core::TemporaryFolder folder = std::move(*core::TemporaryFolder::Create("zermelo-test-"));
  std::mt19937 random{20260101};

 private:
  int jobs_ = 0;
};

TEST_F(ResumeTest, ARunThatEndedIsReplayedWithoutAskingAnybody) {
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

TEST_F(ResumeTest, EveryStrategyLeavesItsDecisions) {
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

/// With one thing at a time, the order of arrival is always the same: a run that was killed often
/// must be the undisturbed run, event for event.
TEST_F(ResumeTest, KilledAt50RandomMomentsARunComesOutAsIfItHadNotBeen) {
  const GameJob undisturbed = NewJob(1);
  const auto started = core::Clock::now();
  const std::string result = Execute(undisturbed);
  const double seconds = core::Seconds(core::Clock::now() - started);
  const auto story = Story(undisturbed);
  const auto asked_undisturbed = Asked(undisturbed);
  std::uniform_int_distribution<int64_t> moment(0, static_cast<int64_t>(seconds * 1e6));
  int kills = 0, runs = 0;
  for (; kills < 50 && runs < 200; ++runs) {
    const GameJob job = NewJob(1);
    int kills_here = 0;
    for (bool alive = true; alive && kills < 50;) {
      const auto paid = Paid(job);
      const size_t asked_before = Asked(job).size();
      alive = ExecuteAndKill(job, std::chrono::microseconds(moment(random)));
      kills += alive ? 1 : 0;
      kills_here += alive ? 1 : 0;
      const auto asked = Asked(job);
      for (size_t i = asked_before; i < asked.size(); ++i) {
        EXPECT_FALSE(paid.contains(asked[i])) << "paid for twice";
      }
    }
    EXPECT_EQ(Execute(job), result);
    EXPECT_EQ(Difference(job, story), "") << "after " << kills_here << " kills";
    EXPECT_EQ(Paid(job), Paid(undisturbed));
    // Only what was in flight when it was killed is asked for again.
    EXPECT_LE(Asked(job).size(), asked_undisturbed.size() + static_cast<size_t>(kills_here));
  }
  EXPECT_EQ(kills, 50);
}

/// With many things at a time the order differs from run to run, but what is in the record stays.
TEST_F(ResumeTest, WithEightCallsInFlightNothingThatArrivedIsLostOrAskedAgain) {
  const GameJob undisturbed = NewJob(8);
  const auto started = core::Clock::now();
  EXPECT_THAT(Execute(undisturbed), HasSubstr("zero"));
  const double seconds = core::Seconds(core::Clock::now() - started);
  std::uniform_int_distribution<int64_t> moment(0, static_cast<int64_t>(seconds * 1e6));
  int kills = 0;
  for (int runs = 0; kills < 20 && runs < 100; ++runs) {
    const GameJob job = NewJob(8);
    for (bool alive = true; alive && kills < 20;) {
      const auto before = Story(job);
      const auto paid = Paid(job);
      const size_t asked_before = Asked(job).size();
      alive = ExecuteAndKill(job, std::chrono::microseconds(moment(random)));
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
