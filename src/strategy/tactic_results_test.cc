#include "strategy/tactic_results.h"

#include <gtest/gtest.h>

namespace zermelo::strategy {
namespace {

using lean::ProbeResult;
using Outcome = ProbeResult::Outcome;
using std::chrono::seconds;

ProbeResult Of(Outcome outcome, std::string message = "") {
  ProbeResult result;
  result.outcome = outcome;
  result.message = std::move(message);
  return result;
}

TEST(TacticResults, AreOfATacticAfterAPrefix) {
  TacticResults results;
  results.Add("intro x", "simp", seconds(2), Of(Outcome::kOpen));
  ASSERT_NE(results.Find("intro x", "simp", seconds(100)), nullptr);
  EXPECT_EQ(results.Find("intro x", "simp", seconds(2))->outcome, Outcome::kOpen);
  EXPECT_EQ(results.Find("", "simp", seconds(2)), nullptr);
  EXPECT_EQ(results.Find("intro x", "omega", seconds(2)), nullptr);
}

TEST(TacticResults, ATacticOfTwoLinesIsNotTwoTactics) {
  TacticResults results;
  results.Add("intro x", "constructor\nexact h", seconds(2), Of(Outcome::kOpen));
  EXPECT_EQ(results.Find("intro x\nconstructor", "exact h", seconds(2)), nullptr);
}

TEST(TacticResults, ATacticThatWasCutOffMayDoMoreInMoreTime) {
  TacticResults results;
  results.Add("", "simp", seconds(2), Of(Outcome::kSlow));
  EXPECT_NE(results.Find("", "simp", seconds(1)), nullptr);
  EXPECT_EQ(results.Find("", "simp", seconds(3)), nullptr);
  results.Add("", "simp", seconds(8), Of(Outcome::kSlow));
  results.Add("", "simp", seconds(1), Of(Outcome::kSlow));
  EXPECT_NE(results.Find("", "simp", seconds(8)), nullptr) << "the longest counts";
  results.Add("", "simp", seconds(32), Of(Outcome::kFailed));
  EXPECT_EQ(results.Find("", "simp", seconds(100))->outcome, Outcome::kFailed);
}

TEST(TacticResults, SoMayASearchOfTheLibrary) {
  TacticResults results;
  results.Add("", "exact?", seconds(2), Of(Outcome::kFailed));
  results.Add("", "apply?", seconds(2), Of(Outcome::kClosed));
  EXPECT_NE(results.Find("", "exact?", seconds(2)), nullptr);
  EXPECT_EQ(results.Find("", "exact?", seconds(3)), nullptr);
  EXPECT_NE(results.Find("", "apply?", seconds(3)), nullptr);
  results.Add("", "rw?", seconds(2), Of(Outcome::kOpen));
  EXPECT_EQ(results.Find("", "rw?", seconds(3)), nullptr) << "it may close the goal";
}

TEST(TacticResults, WhoRanOutOfHeartbeatsMayHaveMoreInAnotherCheck) {
  TacticResults results;
  results.Add("", "simp", seconds(2),
              Of(Outcome::kFailed,
                 "(deterministic) timeout at `whnf`, maximum number of heartbeats "
                 "(200000) has been reached"));
  EXPECT_EQ(results.Find("", "simp", seconds(2)), nullptr);
}

TEST(TacticResults, WhatLeanDiesOfIsNotTriedAgain) {
  TacticResults results;
  ProbeResult crashed = Of(Outcome::kFailed);
  crashed.crashed = true;
  results.Add("", "exact?", seconds(1), crashed);
  EXPECT_NE(results.Find("", "exact?", seconds(100)), nullptr);
}

TEST(TacticResults, WhatWasNotTriedIsNotKnown) {
  TacticResults results;
  results.Add("", "simp", seconds(2), Of(Outcome::kUnknown));
  EXPECT_EQ(results.Find("", "simp", seconds(1)), nullptr);
}

TEST(TacticResults, TheirMemoryIsBounded) {
  TacticResults results;
  const std::string long_message(TacticResults::kMostBytes / 4, 'x');
  size_t kept = 0;
  for (int i = 0; i < 10; ++i) {
    const std::string tactic = "simp [" + std::to_string(i) + "]";
    results.Add("", tactic, seconds(2), Of(Outcome::kFailed, long_message));
    kept += results.Find("", tactic, seconds(2)) != nullptr ? 1 : 0;
  }
  EXPECT_EQ(kept, 4U);
  EXPECT_NE(results.Find("", "simp [0]", seconds(2)), nullptr);
  results.Add("", "decide", seconds(2), Of(Outcome::kSlow, long_message));
  EXPECT_NE(results.Find("", "decide", seconds(2)), nullptr) << "would cost most to run again";
}

}  // namespace
}  // namespace zermelo::strategy
