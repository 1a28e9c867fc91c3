#include "record/call_store.h"

#include <csignal>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/files/file.h"
#include "core/testing/testing.h"
#include "llm/testing/fake_model.h"
#include "record/answer_json.h"
#include "record/recorded_calls.h"

namespace zermelo::record {
namespace {

using core::ErrorCode;
using core::Result;
using core::testing::Await;
using core::testing::Generous;
using core::testing::Started;
using llm::CallContext;
using llm::Completion;
using llm::FinishReason;
using llm::Model;
using llm::Reply;
using llm::Request;
using llm::Usage;
using llm::testing::Answer;
using llm::testing::Ask;
using llm::testing::FakeModel;
using llm::testing::Within;
using ::testing::HasSubstr;

class CallStoreTest : public ::testing::Test {
 protected:
  Result<Reply> Call(Model& called, const Request& request) {
    CallContext context = Within(Generous());
    context.on_completion = [this](const Completion& c) { heard.push_back(c.text); };
    context.on_lost_usage = [this](const Usage& usage) { lost.push_back(usage); };
    return Await(io, called.Generate(request, context));
  }
  std::string Text(Model& called, const Request& request) {
    const auto reply = Call(called, request);
    return reply ? ToJson(ModelAnswer{.outcome = *reply, .arrived = {}, .lost = {}}).dump()
                 : reply.error().message;
  }
  std::string Miss(const Request& request) {
    const auto reply = Call(*Replaying(), request);
    EXPECT_FALSE(reply);
    EXPECT_EQ(reply.error().code, ErrorCode::kInput);
    return reply.error().message;
  }
  std::unique_ptr<Model> With(StoreMode mode, Model& called, std::string settings = "served as x") {
    stores.push_back(CallStore::Open(path, mode).value());
    return MakeRecorded(called, *stores.back(), std::move(settings));
  }
  std::unique_ptr<Model> Replaying(std::string settings = "served as x", std::string name = "m") {
    stores.push_back(CallStore::Open(path, StoreMode::kReplay).value());
    return MakeReplayed(std::move(name), *stores.back(), std::move(settings));
  }
  std::vector<store::ModelCall> Rows() { return store::ModelCalls(*database).OfModel("m").value(); }
  void Execute(const std::string& sql) { database->Prepare(sql).exec(); }

  boost::asio::io_context io;
  const core::TemporaryFolder folder = std::move(*core::TemporaryFolder::Create("zermelo-test-"));
  const std::filesystem::path path = folder.path() / "calls.db";
  const std::unique_ptr<store::Database> database =
      store::Database::Open(path, store::Access::kCreate).value();
  std::vector<std::unique_ptr<CallStore>> stores;
  FakeModel model{io.get_executor(), "m", [](const Request&, size_t call) {
                    return Answer({"answer ℝ " + std::to_string(call)});
                  }};
  std::unique_ptr<Model> recording = With(StoreMode::kRecord, model);
  std::vector<std::string> heard;
  std::vector<Usage> lost;
};

TEST_F(CallStoreTest, AReplayedRunIsEqualByteForByte) {
  const std::vector<Request> run{Ask("a"), Ask("b"), Ask("a"), Ask("a", 2)};
  std::vector<std::string> first, second;
  for (const auto& request : run) first.push_back(Text(*recording, request));
  const auto heard_first = std::exchange(heard, {});
  const auto replaying = Replaying();
  for (const auto& request : run) second.push_back(Text(*replaying, request));
  EXPECT_EQ(first, second);
  EXPECT_EQ(heard_first, heard);
  EXPECT_NE(second[0], second[2]) << "an equal request got another answer";
  EXPECT_EQ(model.requests.size(), 4u) << "replaying calls no model";
}

TEST_F(CallStoreTest, CallsAreNumberedWhenTheyBegin) {
  std::vector<std::unique_ptr<Started<Result<Reply>>>> calls;
  FakeModel slow(io.get_executor(), "m", [](const Request&, size_t call) {
    return Answer({"answer " + std::to_string(call)});
  });
  slow.Hold();
  const auto recorder = With(StoreMode::kRecord, slow, "");
  const auto first = std::make_unique<Started<Result<Reply>>>(
      io, recorder->Generate(Ask("a"), Within(Generous())));
  core::testing::RunUntil(io, [&] { return slow.requests.size() == 1; });
  slow.Release();
  const auto second = std::make_unique<Started<Result<Reply>>>(
      io, recorder->Generate(Ask("a"), Within(Generous())));
  EXPECT_EQ(second->Get()->completions[0].text, "answer 1");
  EXPECT_EQ(first->Get()->completions[0].text, "answer 0");
  const auto replaying = Replaying("");
  EXPECT_EQ(Call(*replaying, Ask("a"))->completions[0].text, "answer 0");
  EXPECT_EQ(Call(*replaying, Ask("a"))->completions[0].text, "answer 1");
}

TEST_F(CallStoreTest, ErrorsAreReplayedToo) {
  FakeModel broken(io.get_executor(), "m", [](const Request&, size_t) -> Result<Reply> {
    return core::Fail(ErrorCode::kEnvironment, "connection refused", "start the server");
  });
  const auto recorder = With(StoreMode::kRecord, broken, "");
  Call(*recorder, Ask("a"));
  const auto replayed = Call(*Replaying(""), Ask("a"));
  ASSERT_FALSE(replayed);
  EXPECT_EQ(replayed.error().code, ErrorCode::kEnvironment);
  EXPECT_EQ(replayed.error().message, "connection refused");
  EXPECT_EQ(replayed.error().hint, "start the server");
}

TEST_F(CallStoreTest, ACallThatWasCancelledHasNoCompletionsWhenReplayed) {
  FakeModel cancelled(io.get_executor(), "m", [](const Request&, size_t) -> Result<Reply> {
    return core::Fail(ErrorCode::kCancelled, "cancelled");
  });
  const auto recorder = With(StoreMode::kRecord, cancelled, "");
  EXPECT_EQ(Call(*recorder, Ask("a")).error().code, ErrorCode::kCancelled);
  const auto replayed = Call(*Replaying(""), Ask("a"));
  ASSERT_TRUE(replayed);
  EXPECT_TRUE(replayed->completions.empty());
}

TEST_F(CallStoreTest, AMissReportsTheDifferences) {
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

TEST_F(CallStoreTest, AMissReportsMissingAndExhaustedRecords) {
  EXPECT_EQ(Miss(Ask("a")), "no call of model m is recorded; the record has calls of: no model");
  Call(*recording, Ask("a"));
  const auto replaying = Replaying();
  ASSERT_TRUE(Call(*replaying, Ask("a")));
  EXPECT_EQ(Call(*replaying, Ask("a")).error().message,
            "call 2 of model m with this request is not recorded; recorded calls: 1");
}

TEST_F(CallStoreTest, SettingsBelongToTheKey) {
  Call(*recording, Ask("a"));
  const auto other = Replaying("served as y");
  const auto reply = Call(*other, Ask("a"));
  ASSERT_FALSE(reply);
  EXPECT_THAT(reply.error().message, HasSubstr("/settings"));
}

TEST_F(CallStoreTest, RecordingContinuesAfterTheLastCall) {
  Call(*recording, Ask("a"));
  const auto later = With(StoreMode::kRecord, model);
  Call(*later, Ask("a"));
  ASSERT_EQ(Rows().size(), 2u);
  EXPECT_EQ(Rows()[1].nth, 1);
}

TEST_F(CallStoreTest, FailingToRecordIsAnError) {
  Execute("DROP TABLE events");
  Execute("DROP TABLE model_calls");
  EXPECT_THAT(Call(*recording, Ask("a")).error().message, HasSubstr("no such table"));
}

TEST_F(CallStoreTest, OrderOfArrivalIsReplayed) {
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
  Call(*With(StoreMode::kRecord, backwards, ""), Ask("a", 2));
  heard.clear();
  Call(*Replaying(""), Ask("a", 2));
  EXPECT_EQ(heard, (std::vector<std::string>{"second", "first"}));
}

TEST_F(CallStoreTest, ASpoiltRecordIsAnError) {
  Call(*recording, Ask("a"));
  for (const std::string outcome :
       {"", "{}", "[]", "{\"reply\":{}}", "{\"reply\":{\"completions\":[1]}}", "{\"error\":3}",
        "{\"reply\":1,\"error\":{}}"}) {
    Execute("UPDATE model_calls SET reply = '" + outcome + "'");
    EXPECT_FALSE(Call(*Replaying(), Ask("a"))) << outcome;
  }
}

TEST_F(CallStoreTest, ASeededCallIsPaidForOnce) {
  const auto caching = With(StoreMode::kCache, model, "");
  Request seeded = Ask("a");
  seeded.sampling.seed = 1;
  const auto first = Call(*caching, seeded);
  const auto again = Call(*caching, seeded);
  EXPECT_EQ(model.requests.size(), 1u);
  EXPECT_EQ(again->completions, first->completions);
  EXPECT_EQ(again->usage, Usage()) << "free of charge";
  EXPECT_EQ(heard, (std::vector<std::string>{"answer ℝ 0", "answer ℝ 0"}));
  seeded.sampling.seed = 2;
  Call(*caching, seeded);
  EXPECT_EQ(model.requests.size(), 2u);
}

TEST_F(CallStoreTest, CallsWithoutASeedAreNotCached) {
  const auto caching = With(StoreMode::kCache, model, "");
  Call(*caching, Ask("a"));
  Call(*caching, Ask("a"));
  EXPECT_EQ(model.requests.size(), 2u);
  EXPECT_TRUE(Rows().empty());
}

TEST_F(CallStoreTest, BrokenAndMissingCompletionsAreNotCached) {
  FakeModel flaky(io.get_executor(), "m", [](const Request&, size_t call) {
    Reply reply = Answer({"half"});
    if (call == 0) reply.completions[0].finish = FinishReason::kBroken;
    return reply;
  });
  const auto caching = With(StoreMode::kCache, flaky, "");
  Request seeded = Ask("a");
  seeded.sampling.seed = 1;
  Call(*caching, seeded);
  Call(*caching, seeded);
  EXPECT_EQ(flaky.requests.size(), 2u);
  seeded.sampling.n = 2;
  Call(*caching, seeded);
  EXPECT_EQ(Rows().size(), 1u);
}

TEST_F(CallStoreTest, OtherModelsAreNamed) {
  Call(*recording, Ask("a"));
  EXPECT_EQ(Text(*Replaying("served as x", "other"), Ask("a")),
            "no call of model other is recorded; the record has calls of: m");
}

TEST_F(CallStoreTest, TokensLostInACallAreReplayedToo) {
  class Losing : public Model {
   public:
    const std::string& name() const override { return name_; }
    core::Task<Result<Reply>> Generate(Request, CallContext context) override {
      Usage usage;
      usage.prompt_tokens = 7;
      context.on_lost_usage(usage);
      co_return core::Fail(ErrorCode::kTimeout, "too late");
    }

   private:
    std::string name_ = "m";
  } losing;
  Call(*With(StoreMode::kRecord, losing), Ask("a"));
  Call(*Replaying(), Ask("a"));
  ASSERT_EQ(lost.size(), 2u);
  EXPECT_EQ(lost[0].prompt_tokens, 7);
  EXPECT_EQ(lost[1], lost[0]);
}

TEST_F(CallStoreTest, CompletionsAreReportedAsTheyArrive) {
  class Slow : public Model {
   public:
    const std::string& name() const override { return name_; }
    core::Task<Result<Reply>> Generate(Request, CallContext context) override {
      Reply reply = Answer({"first", "second"});
      context.on_completion(reply.completions[0]);
      heard_before_the_end = heard->size();
      context.on_completion(reply.completions[1]);
      co_return reply;
    }
    std::vector<std::string>* heard = nullptr;
    size_t heard_before_the_end = 0;

   private:
    std::string name_ = "m";
  } slow;
  slow.heard = &heard;
  Call(*With(StoreMode::kRecord, slow), Ask("a", 2));
  EXPECT_EQ(slow.heard_before_the_end, 1u);
  EXPECT_EQ(heard, (std::vector<std::string>{"first", "second"}));
}

/// The request in a recorded call, and what the model is asked for besides.
Request RecordedRequest(const nlohmann::json& from) {
  Request request;
  std::vector<llm::Message> messages;
  for (const auto& entry : from["messages"]) {
    messages.push_back({.role = entry["role"], .content = entry["content"]});
  }
  request.prompt = std::move(messages);
  request.sampling.n = from["n"];
  request.sampling.max_tokens = from["max_tokens"].get<int>();
  if (!from["seed"].is_null()) request.sampling.seed = from["seed"].get<uint64_t>();
  return request;
}

TEST_F(CallStoreTest, AFileOfAnEarlierProgramIsReplayed) {
  const auto old = folder.path() / "old.db";
  const auto script =
      core::ReadTextFile(ZERMELO_SOURCE_DIR "/src/record/testdata/calls.sql").value();
  SQLite::Database(old.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE).exec(script);
  const auto calls = CallStore::Open(old, StoreMode::kReplay).value();
  const auto rows = store::ModelCalls(*store::Database::Open(old, store::Access::kReadOnly).value())
                        .OfModel("sim")
                        .value();
  ASSERT_EQ(rows.size(), 5u);
  const auto replaying = MakeReplayed("sim", *calls, "sim generic");
  for (const store::ModelCall& row : rows) {
    const auto request = RecordedRequest(nlohmann::json::parse(row.request)["request"]);
    const auto recorded = AnswerOf<ModelAnswer>(nlohmann::json::parse(row.reply)).value();
    const auto reply = Call(*replaying, request);
    ASSERT_TRUE(reply) << reply.error().message;
    if (recorded.outcome) {
      EXPECT_EQ(ToJson(ModelAnswer{*reply, reply->completions, {}}).dump(), row.reply);
    } else {
      EXPECT_TRUE(reply->completions.empty()) << "it was cancelled";
    }
  }
}

/// Calls and records until the process is killed.
[[noreturn]] void RecordForEver(const std::filesystem::path& path, int told) {
  const auto calls = CallStore::Open(path, StoreMode::kRecord);
  if (!calls) ::_exit(1);
  boost::asio::io_context io;
  FakeModel model(io.get_executor(), "m", [](const Request&, size_t call) {
    return Answer({std::to_string(call) + std::string(30'000, 'x')});
  });
  const auto recording = MakeRecorded(model, **calls, "s");
  while (true) {
    const auto reply = Await(io, recording->Generate(Ask("a"), Within(Generous())));
    if (!reply || ::write(told, "+", 1) != 1) ::_exit(1);
  }
}

TEST_F(CallStoreTest, AKilledRecordingReplaysAllItsAnswers) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) RecordForEver(path, ends[1]);
  ::close(ends[1]);
  char some[64];
  size_t answered = 0;
  while (answered < 40) {
    const ssize_t size = ::read(ends[0], some, 1);
    ASSERT_EQ(size, 1) << "the child cannot record";
    ++answered;
  }
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  for (ssize_t more = 0; (more = ::read(ends[0], some, sizeof some)) > 0;) {
    answered += static_cast<size_t>(more);
  }
  ::close(ends[0]);

  const auto replaying = Replaying("s");
  for (size_t call = 0; call < answered; ++call) {
    const auto reply = Await(io, replaying->Generate(Ask("a"), Within(Generous())));
    ASSERT_TRUE(reply) << reply.error().message;
    ASSERT_EQ(reply->completions[0].text, std::to_string(call) + std::string(30'000, 'x'));
  }
}

}  // namespace
}  // namespace zermelo::record
