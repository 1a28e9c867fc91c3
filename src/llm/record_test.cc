#include "llm/record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>

#include "core/testing.h"
#include "llm/call_json.h"
#include "llm/fake_model.h"

namespace zermelo::llm {
namespace {

using core::ErrorCode;
using core::Result;
using core::testing::Await;
using core::testing::Generous;
using core::testing::Started;
using testing::Answer;
using testing::Ask;
using testing::FakeModel;
using ::testing::HasSubstr;
using testing::MemoryLog;
using testing::Within;

class RecordTest : public ::testing::Test {
 protected:
  Result<Reply> Call(Model& model, const Request& request) {
    CallContext context = Within(Generous());
    context.on_completion = [this](const Completion& c) { heard.push_back(c.text); };
    return Await(io, model.Generate(request, context));
  }
  std::string Text(Model& model, const Request& request) {
    const auto reply = Call(model, request);
    return reply ? ToJson(*reply).dump() : reply.error().message;
  }
  std::string Miss(const Request& request) {
    const auto replaying = MakeReplayingModel("m", log, "served as x");
    const auto reply = Call(*replaying, request);
    EXPECT_FALSE(reply);
    EXPECT_EQ(reply.error().code, ErrorCode::kInput);
    return reply.error().message;
  }

  boost::asio::io_context io;
  MemoryLog log;
  FakeModel model{io.get_executor(), "m", [](const Request&, size_t call) {
                    return Answer({"answer " + std::to_string(call)});
                  }};
  std::unique_ptr<Model> recording = MakeRecordingModel(model, log, "served as x");
  std::vector<std::string> heard;
};

TEST_F(RecordTest, AReplayedRunIsEqualByteForByte) {
  const std::vector<Request> run{Ask("a"), Ask("b"), Ask("a"), Ask("a", 2)};
  std::vector<std::string> first, second;
  for (const auto& request : run) first.push_back(Text(*recording, request));
  const auto heard_first = std::exchange(heard, {});
  const auto replaying = MakeReplayingModel("m", log, "served as x");
  for (const auto& request : run) second.push_back(Text(*replaying, request));
  EXPECT_EQ(first, second);
  EXPECT_EQ(heard_first, heard);
  EXPECT_NE(second[0], second[2]) << "an equal request got another answer";
  EXPECT_EQ(model.requests.size(), 4u) << "replaying calls no model";
}

TEST_F(RecordTest, CallsAreNumberedWhenTheyBegin) {
  std::vector<std::unique_ptr<Started<Result<Reply>>>> calls;
  FakeModel slow(io.get_executor(), "m", [](const Request&, size_t call) {
    return Answer({"answer " + std::to_string(call)});
  });
  slow.Hold();
  const auto recorder = MakeRecordingModel(slow, log, "");
  const auto first = std::make_unique<Started<Result<Reply>>>(
      io, recorder->Generate(Ask("a"), Within(Generous())));
  core::testing::RunUntil(io, [&] { return slow.requests.size() == 1; });
  slow.Release();
  const auto second = std::make_unique<Started<Result<Reply>>>(
      io, recorder->Generate(Ask("a"), Within(Generous())));
  EXPECT_EQ(second->Get()->completions[0].text, "answer 1");
  EXPECT_EQ(first->Get()->completions[0].text, "answer 0");
  const auto replaying = MakeReplayingModel("m", log, "");
  EXPECT_EQ(Call(*replaying, Ask("a"))->completions[0].text, "answer 0");
  EXPECT_EQ(Call(*replaying, Ask("a"))->completions[0].text, "answer 1");
}

TEST_F(RecordTest, ErrorsAreReplayedToo) {
  FakeModel broken(io.get_executor(), "m", [](const Request&, size_t) -> Result<Reply> {
    return core::Fail(ErrorCode::kEnvironment, "connection refused", "start the server");
  });
  const auto recorder = MakeRecordingModel(broken, log, "");
  Call(*recorder, Ask("a"));
  const auto replayed = Call(*MakeReplayingModel("m", log, ""), Ask("a"));
  ASSERT_FALSE(replayed);
  EXPECT_EQ(replayed.error().code, ErrorCode::kEnvironment);
  EXPECT_EQ(replayed.error().message, "connection refused");
  EXPECT_EQ(replayed.error().hint, "start the server");
}

TEST_F(RecordTest, ACallThatWasCancelledHasNoCompletionsWhenReplayed) {
  FakeModel cancelled(io.get_executor(), "m", [](const Request&, size_t) -> Result<Reply> {
    return core::Fail(ErrorCode::kCancelled, "cancelled");
  });
  const auto recorder = MakeRecordingModel(cancelled, log, "");
  EXPECT_EQ(Call(*recorder, Ask("a")).error().code, ErrorCode::kCancelled);
  const auto replayed = Call(*MakeReplayingModel("m", log, ""), Ask("a"));
  ASSERT_TRUE(replayed);
  EXPECT_TRUE(replayed->completions.empty());
}

TEST_F(RecordTest, AMissReportsTheDifferences) {
  Call(*recording, Ask("theorem a : 1 + 1 = 2 := by"));
  Call(*recording, Ask("something quite different", 4));
  Request request = Ask("theorem a : 1 + 1 = 3 := by");
  EXPECT_EQ(Miss(request),
            "the record of model m has no call with this request; the nearest one differs in "
            "/request/prompt from byte 20 on: \"1 + 1 = 3 := by\" instead of \"1 + 1 = 2 := by\"");
  request = Ask("theorem a : 1 + 1 = 2 := by");
  request.sampling.temperature = 0.5;
  EXPECT_THAT(Miss(request), HasSubstr("differs in /request/temperature: 0.5 instead of 1.0"));
  request.sampling.seed = 7;
  EXPECT_THAT(Miss(request), HasSubstr("/request/seed: 7 instead of null"));
}

TEST_F(RecordTest, AMissReportsMissingAndExhaustedRecords) {
  EXPECT_EQ(Miss(Ask("a")), "no call of model m is recorded; the record has calls of: no model");
  Call(*recording, Ask("a"));
  const auto replaying = MakeReplayingModel("m", log, "served as x");
  ASSERT_TRUE(Call(*replaying, Ask("a")));
  EXPECT_EQ(Call(*replaying, Ask("a")).error().message,
            "call 2 of model m with this request is not recorded; recorded calls: 1");
}

TEST_F(RecordTest, SettingsBelongToTheKey) {
  Call(*recording, Ask("a"));
  const auto other = MakeReplayingModel("m", log, "served as y");
  const auto reply = Call(*other, Ask("a"));
  ASSERT_FALSE(reply);
  EXPECT_THAT(reply.error().message, HasSubstr("/settings"));
}

TEST_F(RecordTest, RecordingContinuesAfterTheLastCall) {
  Call(*recording, Ask("a"));
  const auto later = MakeRecordingModel(model, log, "served as x");
  Call(*later, Ask("a"));
  ASSERT_EQ(log.calls.size(), 2u);
  EXPECT_EQ(log.calls[1].nth, 1);
}

TEST_F(RecordTest, FailingToRecordIsAnError) {
  log.fails = true;
  EXPECT_EQ(Call(*recording, Ask("a")).error().message, "disk full");
}

TEST_F(RecordTest, OrderOfArrivalIsReplayed) {
  class Backwards : public Model {
   public:
    const std::string& name() const override { return name_; }
    core::Task<Result<Reply>> Generate(Request, CallContext context) override {
      Reply reply = Answer({"first", "second"});
      context.on_completion(reply.completions[1]);
      context.on_completion(reply.completions[0]);
      co_return reply;
    }

   private:
    std::string name_ = "m";
  } backwards;
  Call(*MakeRecordingModel(backwards, log, ""), Ask("a", 2));
  heard.clear();
  Call(*MakeReplayingModel("m", log, ""), Ask("a", 2));
  EXPECT_EQ(heard, (std::vector<std::string>{"second", "first"}));
}

TEST_F(RecordTest, ASpoiltRecordIsAnError) {
  Call(*recording, Ask("a"));
  for (const std::string outcome :
       {"", "{}", "[]", "{\"reply\":{}}", "{\"reply\":{\"completions\":[1]}}", "{\"error\":3}",
        "{\"reply\":1,\"error\":{}}"}) {
    log.calls[0].outcome = outcome;
    EXPECT_FALSE(Call(*MakeReplayingModel("m", log, "served as x"), Ask("a"))) << outcome;
  }
}

TEST_F(RecordTest, EverythingInAReplySurvives) {
  Reply reply = Answer({std::string("bytes \xff\x00 and ℝ", 16)});
  reply.completions[0].reasoning = "r";
  reply.completions[0].tool_calls = {{"1", "f", "{\"x\""}};
  reply.completions[0].finish = FinishReason::kBroken;
  reply.completions[0].logprobs = {{"a", -0.1}, {"b", -std::numeric_limits<double>::infinity()}};
  reply.usage = {1, 2, 3, true};
  reply.seconds = 0.1;
  reply.attempts = 2;
  const auto read = ReplyFromJson(nlohmann::json::parse(ToJson(reply).dump()));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->completions, reply.completions);
  EXPECT_EQ(read->usage, reply.usage);
  EXPECT_EQ(read->seconds, reply.seconds);
  EXPECT_EQ(read->attempts, reply.attempts);
}

TEST_F(RecordTest, ASeededCallIsPaidForOnce) {
  const auto caching = MakeCachingModel(model, log, "");
  Request seeded = Ask("a");
  seeded.sampling.seed = 1;
  const auto first = Call(*caching, seeded);
  const auto again = Call(*caching, seeded);
  EXPECT_EQ(model.requests.size(), 1u);
  EXPECT_EQ(again->completions, first->completions);
  EXPECT_EQ(again->usage, Usage()) << "free of charge";
  EXPECT_EQ(heard, (std::vector<std::string>{"answer 0", "answer 0"}));
  seeded.sampling.seed = 2;
  Call(*caching, seeded);
  EXPECT_EQ(model.requests.size(), 2u);
}

TEST_F(RecordTest, CallsWithoutASeedAreNotCached) {
  const auto caching = MakeCachingModel(model, log, "");
  Call(*caching, Ask("a"));
  Call(*caching, Ask("a"));
  EXPECT_EQ(model.requests.size(), 2u);
  EXPECT_TRUE(log.calls.empty());
}

TEST_F(RecordTest, BrokenAndMissingCompletionsAreNotCached) {
  FakeModel flaky(io.get_executor(), "m", [](const Request&, size_t call) {
    Reply reply = Answer({"half"});
    if (call == 0) reply.completions[0].finish = FinishReason::kBroken;
    return reply;
  });
  const auto caching = MakeCachingModel(flaky, log, "");
  Request seeded = Ask("a");
  seeded.sampling.seed = 1;
  Call(*caching, seeded);
  Call(*caching, seeded);
  EXPECT_EQ(flaky.requests.size(), 2u);
  seeded.sampling.n = 2;
  Call(*caching, seeded);
  EXPECT_EQ(log.calls.size(), 1u);
}

}  // namespace
}  // namespace zermelo::llm
