// For tests only: jobs that are killed and resumed, and the contents of their records.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>
#include <regex>
#include <set>

#include "core/files/file.h"
#include "engine/testing/game_run.h"

namespace zermelo::engine::testing {

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
    if (!database) return {};  // killed before it was created
    return store::Runs(**database).Events(1, 0, 1'000'000).value();
  }
  /// The part of the record that is the same in every execution: no times, no resumptions.
  static std::vector<std::string> Story(const GameJob& job) {
    std::vector<std::string> story;
    // No two runs take Lean equally long.
    static const std::regex time(R"("lean_seconds":[0-9.e-]+)");
    for (const store::Event& event : Events(job)) {
      if (event.kind == event::kResumed) continue;
      story.push_back(event.kind + " " + std::regex_replace(event.fields, time, "") +
                      (event.call ? event.call->reply : ""));
      if (event.kind == event::kSearchEnded) break;  // each resumption appends another one
    }
    return story;
  }
  /// The first event in which a job's run differs from `story`; empty if there is none.
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
  /// The keys of the generations in the record.
  static std::set<std::string> Paid(const GameJob& job) {
    std::set<std::string> keys;
    for (const store::Event& event : Events(job)) {
      if (event.call) keys.insert(event.call->key);
    }
    return keys;
  }

  /// With one request at a time, answers always arrive in the same order, so a run that is killed
  /// and resumed often must equal the undisturbed run, event for event. Fifty kills, each of which
  /// may lose the answers to `in_flight` calls.
  void KillOftenAndCompare(const std::function<GameJob()>& new_job, size_t in_flight = 1) {
    const GameJob undisturbed = new_job();
    auto started = core::Clock::now();
    const std::string result = Execute(undisturbed);
    double seconds = core::Seconds(core::Clock::now() - started);
    const auto story = Story(undisturbed);
    const auto asked_undisturbed = Asked(undisturbed);
    size_t kills = 0, runs = 0;
    for (; kills < 50 && runs < 200; ++runs) {
      const GameJob job = new_job();
      size_t kills_here = 0;
      for (bool alive = true; alive && kills < 50;) {
        const auto paid = Paid(job);
        const size_t asked_before = Asked(job).size();
        std::uniform_int_distribution<int64_t> moment(0, static_cast<int64_t>(seconds * 1e6));
        started = core::Clock::now();
        alive = ExecuteAndKill(job, std::chrono::microseconds(moment(random)));
        // The first execution can have been slower, on a busy machine: later kills would miss.
        if (!alive && kills_here == 0) {
          seconds = std::min(seconds, core::Seconds(core::Clock::now() - started));
        }
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
      // Only requests in flight at a kill are repeated.
      EXPECT_LE(Asked(job).size(), asked_undisturbed.size() + in_flight * kills_here);
    }
    EXPECT_EQ(kills, 50U);
  }

  const core::TemporaryFolder folder = std::move(*core::TemporaryFolder::Create("zermelo-test-"));
  std::mt19937 random{20260101};

 private:
  int jobs_ = 0;
};

}  // namespace zermelo::engine::testing
