#include "record/recorded_calls.h"

#include <gtest/gtest.h>

#include "core/testing/testing.h"

namespace zermelo::record {
namespace {

/// Performs every call, and keeps its key.
class KeyRecorder : public Recorder {
 public:
  core::Task<core::Result<nlohmann::json>> Perform(ExternalCall call) override {
    keys.push_back(call.key);
    co_return co_await call.perform();
  }
  bool performs_elsewhere() const override { return false; }

  std::vector<std::string> keys;
};

TEST(RecordedCallsTest, WhatIsAskedOfProofsDoesNotDependOnWhereTheFileIs) {
  boost::asio::io_context io;
  const learn::Knowledge knowledge;
  learn::KnowledgeAdviser adviser(knowledge);
  KeyRecorder recorder;
  const auto recorded = MakeRecorded(adviser, recorder);
  const auto ask = [&](const learn::Query& query) {
    ASSERT_TRUE(core::testing::Await(io, recorded->Ask(query)));
  };
  learn::Query query{.goal = "⊢ p", .source = {.place = "A.lean", .theorem = "t", .statement = 1}};
  ask(query);
  query.source.place = "Moved/A.lean";
  ask(query);
  query.source.theorem = "u";
  ask(query);
  query.goal = "⊢ q";
  ask(query);
  ASSERT_EQ(recorder.keys.size(), 4u);
  EXPECT_EQ(recorder.keys[0], recorder.keys[1]);
  EXPECT_NE(recorder.keys[1], recorder.keys[2]);
  EXPECT_NE(recorder.keys[2], recorder.keys[3]);
}

TEST(RecordedCallsTest, ChancesAreAskedForByGoals) {
  boost::asio::io_context io;
  const learn::Knowledge knowledge;
  learn::KnowledgeAdviser adviser(knowledge);
  KeyRecorder recorder;
  const auto recorded = MakeRecorded(adviser, recorder);
  learn::ChanceQuery query{.goals = {"⊢ p"}, .source = {.place = "A.lean", .theorem = "t"}};
  const auto ask = [&] {
    const auto answer = core::testing::Await(io, recorded->Estimate(query));
    ASSERT_TRUE(answer);
    EXPECT_TRUE(answer->chances.empty()) << "nothing is known";
  };
  ask();
  query.source.place = "Moved/A.lean";
  ask();
  query.goals.emplace_back("⊢ q");
  ask();
  ASSERT_EQ(recorder.keys.size(), 3u);
  EXPECT_EQ(recorder.keys[0], recorder.keys[1]);
  EXPECT_NE(recorder.keys[1], recorder.keys[2]);
}

}  // namespace
}  // namespace zermelo::record
