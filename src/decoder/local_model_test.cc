#include "decoder/local_model.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/files/file.h"
#include "core/testing/testing.h"
#include "decoder/testing/models.h"
#include "llm/testing/fake_model.h"

namespace zermelo::decoder {
namespace {

using core::Deadline;
using core::ErrorCode;
using core::testing::Started;
using llm::FinishReason;
using llm::testing::Ask;
using llm::testing::Within;
using ::testing::HasSubstr;
using testing::kModels;

class LocalModelTest : public ::testing::Test {
 protected:
  core::Result<llm::Reply> Generate(llm::Request request, llm::CallContext context = {}) {
    return core::RunToEnd(io_, model_->Generate(std::move(request), std::move(context)));
  }
  static llm::Request Seeded(uint64_t seed, int n = 1, int tokens = 12) {
    llm::Request request = Ask("theorem t : 1 = 1 := by", n);
    request.sampling.seed = seed;
    request.sampling.max_tokens = tokens;
    request.sampling.logprobs = true;
    return request;
  }

  boost::asio::io_context io_;
  std::unique_ptr<LocalModel> model_ =
      LocalModel::Load(io_.get_executor(), "small", kModels / "qwen3").value();
};

TEST_F(LocalModelTest, ASeedGivesTheSameCompletionAloneAndInABatch) {
  const auto batch = Generate(Seeded(5, 3));
  ASSERT_TRUE(batch) << batch.error().message;
  ASSERT_EQ(batch->completions.size(), 3U);
  EXPECT_NE(batch->completions[0].text, batch->completions[1].text);
  for (uint64_t i = 0; i < 3; ++i) {
    EXPECT_EQ(Generate(Seeded(5 + i))->completions[0].text, batch->completions[i].text);
  }
  EXPECT_EQ(batch->model, "small");
  EXPECT_GT(batch->usage.prompt_tokens, 5);
  EXPECT_EQ(batch->completions[0].logprobs.size(), 12U);
  EXPECT_LE(batch->usage.completion_tokens, 36);
}

TEST_F(LocalModelTest, CompletionsEndAtTheirLimits) {
  const auto shorter = Generate(Seeded(5, 1, 3));
  EXPECT_EQ(shorter->usage.completion_tokens, 3);
  EXPECT_EQ(shorter->completions[0].finish, FinishReason::kLength);
  const auto full = Generate(Seeded(5, 1, 100000));  // the context has 1024 tokens
  EXPECT_LE(full->usage.prompt_tokens + full->usage.completion_tokens, 1024);
}

TEST_F(LocalModelTest, ATextEndsBeforeAStopString) {
  const std::string text = Generate(Seeded(5))->completions[0].text;
  auto request = Seeded(5);
  const auto is_ascii = [](char c) { return c > ' ' && c < 127; };
  const auto found = std::find_if(text.begin() + 1, text.end(), is_ascii);
  const auto at = static_cast<size_t>(found - text.begin());
  ASSERT_LT(at, text.size()) << text;
  request.sampling.stop = {"never", std::string(1, text[at])};
  const auto cut = Generate(request);
  EXPECT_EQ(cut->completions[0].finish, FinishReason::kStop);
  EXPECT_EQ(cut->completions[0].text, text.substr(0, text.find(text[at])));
}

TEST_F(LocalModelTest, AChatIsTextWithMarksAndStopsAtTheEndOfTheMessage) {
  auto chat = Seeded(5), text = Seeded(5);
  chat.prompt = std::vector<llm::Message>{{.role = "user", .content = "prove it"}};
  text.prompt = "<|im_start|>user\nprove it<|im_end|>\n<|im_start|>assistant\n";
  const auto answered = Generate(chat), completed = Generate(text);
  ASSERT_TRUE(answered) << answered.error().message;
  EXPECT_EQ(answered->completions[0].text, completed->completions[0].text);
  EXPECT_EQ(answered->usage.prompt_tokens, completed->usage.prompt_tokens);
}

TEST_F(LocalModelTest, AStopThatIsATokenEndsThere) {
  const std::string stop = "<|end|>";
  const auto token = model_->tokenizer().Added(stop);
  ASSERT_TRUE(token);
  auto request = Seeded(5, 64, 200);
  request.sampling.stop = {stop};
  const auto written =
      core::RunToEnd(io_, model_->Write(model_->tokenizer().Encode("theorem"), request, {}));
  ASSERT_TRUE(written);
  size_t stopped = 0;
  for (size_t i = 0; i < written->tokens.size(); ++i) {
    const auto& tokens = written->tokens[i];
    if (written->reply.completions[i].finish == FinishReason::kStop) ++stopped;
    EXPECT_EQ(std::ranges::count(tokens, *token), tokens.back() == *token ? 1 : 0);
  }
  EXPECT_GT(stopped, 0U);
}

TEST_F(LocalModelTest, WhatItCannotDoIsAnError) {
  llm::Request chat;
  chat.prompt = std::vector<llm::Message>{{.role = "user", .content = "prove it"}};
  chat.tools = {{.name = "verify_lean", .description = "", .parameters = "{}"}};
  EXPECT_EQ(Generate(chat).error().code, ErrorCode::kUsage);
  std::string numbers;
  for (int i = 0; i < 1000; ++i) numbers += std::to_string(i) + " ";
  const auto longer = Generate(Ask(numbers));
  ASSERT_FALSE(longer);
  EXPECT_EQ(longer.error().code, ErrorCode::kTooLong);
  EXPECT_THAT(longer.error().message, HasSubstr("takes from 1 to 1023"));
}

TEST_F(LocalModelTest, CancellationAndDeadlineEndACall) {
  core::Cancellation cancellation;
  cancellation.Request();
  llm::CallContext context;
  context.cancellation = &cancellation;
  EXPECT_EQ(Generate(Seeded(1), context).error().code, ErrorCode::kCancelled);
  EXPECT_EQ(Generate(Seeded(1), Within(Deadline::After(std::chrono::seconds(-1)))).error().code,
            ErrorCode::kTimeout);
}

TEST_F(LocalModelTest, ManyCallsAtOnceAllEnd) {
  std::vector<std::unique_ptr<Started<core::Result<llm::Reply>>>> calls;
  for (uint64_t i = 0; i < 20; ++i) {
    calls.push_back(std::make_unique<Started<core::Result<llm::Reply>>>(
        io_, model_->Generate(Seeded(i, 2), {})));
  }
  core::testing::RunUntil(
      io_, [&] { return std::ranges::all_of(calls, [](auto& c) { return c->done(); }); });
}

TEST_F(LocalModelTest, AFolderWithoutAModelIsAnInputError) {
  const auto folder = core::TemporaryFolder::Create("decoder-test").value();
  std::filesystem::copy(kModels / "llama", folder.path(), std::filesystem::copy_options::recursive);
  const auto load = [&] { return LocalModel::Load(io_.get_executor(), "m", folder.path()); };
  EXPECT_TRUE(load());
  std::filesystem::remove(folder.path() / "tokenizer.json");
  EXPECT_EQ(load().error().code, ErrorCode::kInput);
}

}  // namespace
}  // namespace zermelo::decoder
