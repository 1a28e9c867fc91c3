#include "train/reinforcement/rollouts/served_rollouts.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "core/files/file.h"
#include "core/testing/testing.h"
#include "decoder/testing/models.h"
#include "llm/testing/fake_model.h"

namespace zermelo::train {
namespace {

using core::ErrorCode;
using decoder::testing::kModels;
using llm::testing::FakeModel;
using ::testing::HasSubstr;

llm::Completion Ended(std::string text, llm::FinishReason why) {
  llm::Completion completion = llm::testing::Say(std::move(text));
  completion.finish = why;
  return completion;
}

class ServedRolloutsTest : public ::testing::Test {
 protected:
  core::Result<std::vector<Rollout>> Sample(FakeModel::Function answer,
                                            core::Status renewed = core::Status()) {
    FakeModel model(io_.get_executor(), "fake", std::move(answer));
    const auto renew = [&](const ModelAndTokenizer&) {
      ++renewals_;
      return renewed;
    };
    const ServedRollouts sample(io_, model, std::chrono::seconds(60), renew);
    auto rollouts = sample(policy_, problems_, {0, 1}, settings_, 3);
    requests_ = model.requests;
    return rollouts;
  }

  boost::asio::io_context io_;
  GrpoSettings settings_;
  const ModelAndTokenizer policy_ = LoadModel(kModels / "llama", settings_).value();
  const std::vector<Problem> problems_{
      {.prompt = "theorem a", .statement = "", .begun = "", .words = "", .notes = ""},
      {.prompt = "theorem b", .statement = "", .begun = "", .words = "", .notes = ""}};
  std::vector<llm::Request> requests_;
  size_t renewals_ = 0;
};

TEST_F(ServedRolloutsTest, APolicyLearnsWhatTheServerWroteAndNotThePrompt) {
  settings_.group = 2;
  settings_.max_tokens = 9;
  settings_.temperature = 0.7;
  const auto rollouts = Sample([](const llm::Request&, size_t call) {
    return llm::testing::Answer({"rfl", call == 0 ? "omega" : "simp"});
  });
  ASSERT_TRUE(rollouts) << rollouts.error().message;
  ASSERT_EQ(rollouts->size(), 4U);
  EXPECT_EQ(renewals_, 1U);
  ASSERT_EQ(requests_.size(), 2U);
  EXPECT_EQ(std::get<std::string>(requests_[1].prompt), "theorem b");
  EXPECT_EQ(requests_[0].sampling.n, 2);
  EXPECT_EQ(requests_[0].sampling.max_tokens, 9);
  EXPECT_EQ(requests_[0].sampling.temperature, 0.7);
  EXPECT_NE(requests_[0].sampling.seed, requests_[1].sampling.seed);
  const Rollout& last = rollouts->back();
  EXPECT_EQ(last.problem, 1U);
  EXPECT_EQ(last.text, "simp");
  std::vector<decoder::Token> learnt, read;
  for (size_t i = 0; i < last.row.tokens.size(); ++i) {
    (last.row.learnt[i] ? learnt : read).push_back(last.row.tokens[i]);
  }
  EXPECT_EQ(policy_.tokenizer.Decode(read), "theorem b");
  EXPECT_EQ(policy_.tokenizer.Decode(learnt), "simp");
}

TEST_F(ServedRolloutsTest, TheEndIsLearntOnlyIfTheModelWroteIt) {
  const auto length = [&](llm::FinishReason why) {
    const auto rollouts = Sample([&](const llm::Request&, size_t) {
      llm::Reply reply;
      reply.completions = {Ended("rfl", why)};
      return reply;
    });
    return rollouts ? rollouts->front().row.tokens.size() : 0;
  };
  const size_t cut = length(llm::FinishReason::kLength);
  EXPECT_GT(cut, 0U);
  EXPECT_EQ(length(llm::FinishReason::kStop), cut + policy_.model.config().ends.size());
  EXPECT_EQ(length(llm::FinishReason::kFiltered), 0U) << "no sample";
}

/// What a server writes in a conversation after "theorem a".
class ServedWriterTest : public ServedRolloutsTest {
 protected:
  core::Result<decoder::LocalModel::Written> Write(llm::Completion answer, size_t copies = 1) {
    FakeModel model(io_.get_executor(), "fake", [&](const llm::Request&, size_t) {
      llm::Reply reply;
      reply.completions = {answer};
      return reply;
    });
    const PolicyWriter writer = ServedWriter(model, policy_);
    std::vector<decoder::Token> prompt;
    for (size_t i = 0; i < copies; ++i) {
      const auto tokens = policy_.tokenizer.EncodeContinuation("theorem a");
      prompt.insert(prompt.end(), tokens.begin(), tokens.end());
    }
    auto written = core::testing::Await(io_, writer.write(prompt, llm::Request(), {}));
    requests_ = model.requests;
    return written;
  }
  std::string Learnt(llm::FinishReason why) {
    const auto written = Write(Ended("rfl", why));
    return written ? policy_.tokenizer.Decode(written->tokens.at(0)) : "";
  }
};

TEST_F(ServedWriterTest, ItsTextBecomesTokensWithTheEndThatItReached) {
  EXPECT_EQ(Learnt(llm::FinishReason::kStop), "rfl" + std::string(decoder::kMessageEnd));
  EXPECT_EQ(std::get<std::string>(requests_.at(0).prompt), "theorem a");
  EXPECT_LT(requests_[0].sampling.max_tokens, policy_.model.config().context);
  EXPECT_EQ(Learnt(llm::FinishReason::kLength), "rfl");
}

TEST_F(ServedWriterTest, ErrorsAreThoseOfTheServerAndOfTheContext) {
  EXPECT_EQ(Write(Ended("", llm::FinishReason::kFiltered)).error().code, ErrorCode::kEnvironment);
  const auto too_long = Write(Ended("rfl", llm::FinishReason::kStop), 10'000);
  EXPECT_EQ(too_long.error().code, ErrorCode::kTooLong);
  EXPECT_TRUE(requests_.empty());
}

TEST_F(ServedRolloutsTest, WhatOneServerRequestLosesIsNoSample) {
  const auto rollouts = Sample([](const llm::Request&, size_t call) -> core::Result<llm::Reply> {
    if (call == 0) return core::Fail(ErrorCode::kTimeout, "too late");
    return llm::testing::Answer({"rfl"});
  });
  ASSERT_TRUE(rollouts);
  ASSERT_EQ(rollouts->size(), 1U);
  EXPECT_EQ(rollouts->front().problem, 1U);
}

TEST_F(ServedRolloutsTest, ErrorsSayWhatHappened) {
  const auto failing = [](ErrorCode code) {
    return [code](const llm::Request&, size_t) -> core::Result<llm::Reply> {
      return core::Fail(code, "so it is");
    };
  };
  const auto error = [&](ErrorCode code) { return Sample(failing(code)).error(); };
  EXPECT_EQ(error(ErrorCode::kEnvironment).code, ErrorCode::kEnvironment) << "is asked again";
  EXPECT_THAT(error(ErrorCode::kTimeout).message,
              HasSubstr("fake has written no sample: so it is"));
  EXPECT_EQ(error(ErrorCode::kUsage).code, ErrorCode::kUsage);
  EXPECT_EQ(error(ErrorCode::kTooLong).code, ErrorCode::kInput);
  const auto unrenewed =
      Sample(failing(ErrorCode::kUsage), core::Fail(ErrorCode::kEnvironment, "no new weights"));
  EXPECT_EQ(unrenewed.error().message, "no new weights");
  EXPECT_TRUE(requests_.empty()) << "old weights must not be sampled";
}

TEST_F(ServedRolloutsTest, ACommandGetsTheWeights) {
  const auto folder =
      std::filesystem::path(::testing::TempDir()) / fmt::format("renew-{}", getpid());
  const auto renew = [&](const std::string& command, core::Duration limit) {
    return RenewByCommand(io_, policy_.model, kModels / "llama/tokenizer.json", folder / "served",
                          command, limit);
  };
  const core::Duration minute = std::chrono::minutes(1);
  const std::string copy = "cp {model}/model.safetensors " + (folder / "seen").string();
  ASSERT_TRUE(renew(copy, minute));
  EXPECT_TRUE(std::filesystem::exists(folder / "seen"));
  EXPECT_TRUE(LoadModel(folder / "served", settings_));
  const auto failed = renew("echo no such server >&2; exit 7", minute);
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().message, HasSubstr("exit code 7"));
  EXPECT_THAT(failed.error().hint, HasSubstr("no such server"));
  EXPECT_FALSE(renew("sleep 1000", std::chrono::milliseconds(300)));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace zermelo::train
