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

/// A Lean that needs as many seconds as the text says, and rejects a text that says none.
class Clock : public lean::Checker {
 public:
  core::Task<core::Result<lean::CheckResult>> Check(lean::CheckRequest request) override {
    if (request.text.empty()) co_return core::Fail(core::ErrorCode::kCrashed, "no time");
    lean::CheckResult result;
    result.seconds = std::stod(request.text);
    co_return result;
  }
  size_t size() const override { return 1; }
  uint64_t checks() const override { return 0; }
};

TEST(RecordedCallsTest, TimeOfLeanIsDividedAmongTheRolesWhoseProposalsItTries) {
  boost::asio::io_context io;
  Clock lean;
  KeyRecorder recorder;
  const auto recorded = MakeRecorded(lean, recorder);
  const auto check = [&](const std::string& seconds, std::vector<std::string> roles) {
    lean::CheckRequest request;
    request.text = seconds;
    request.roles = std::move(roles);
    static_cast<void>(core::testing::Await(io, recorded->Check(std::move(request))));
  };
  check("4", {"builtin", "tactics", "builtin", "builtin"});
  check("2", {"builtin"});
  check("0.5", {});
  check("", {"tactics"});
  const lean::UseByRole& uses = recorded->by_role();
  ASSERT_EQ(uses.size(), 3u);
  EXPECT_EQ(uses.at("builtin").checks, 2u);
  EXPECT_DOUBLE_EQ(uses.at("builtin").lean_seconds, 5);
  EXPECT_EQ(uses.at("tactics").checks, 2u) << "also what has no answer";
  EXPECT_DOUBLE_EQ(uses.at("tactics").lean_seconds, 1);
  EXPECT_EQ(uses.at("file").checks, 1u);
  EXPECT_DOUBLE_EQ(uses.at("file").lean_seconds, 0.5);
  EXPECT_EQ(recorded->checks(), 4u);
  EXPECT_DOUBLE_EQ(recorded->seconds(), 6.5);
}

TEST(RecordedCallsTest, WithoutARecorderNothingIsInBetween) {
  const learn::Knowledge knowledge;
  learn::KnowledgeAdviser adviser(knowledge);
  KeyRecorder recorder;
  const MaybeRecorded<learn::Adviser> plain(&adviser, nullptr), none(nullptr, &recorder),
      recorded(&adviser, &recorder);
  EXPECT_EQ(plain.get(), &adviser);
  EXPECT_EQ(none.get(), nullptr);
  ASSERT_NE(recorded.recorded(), nullptr);
  EXPECT_EQ(recorded.get(), recorded.recorded().get());
}

}  // namespace
}  // namespace zermelo::record
