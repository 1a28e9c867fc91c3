// Models that run without a server.
#include "engine/models/models.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/testing/testing.h"

namespace zermelo::engine {
namespace {

using core::ErrorCode;
using ::testing::HasSubstr;

core::Config ConfigWith(const std::string& path) {
  return core::ParseConfig("zermelo.toml", "[models.small]\npath = \"" + path +
                                               "\"\nformat = \"deepseek-prover-v1.5\"\n")
      .value();
}

const std::string kQwen3 = ZERMELO_SOURCE_DIR "/src/decoder/testing/models/qwen3";

TEST(LocalModelsTest, AFolderIsExaminedLikeAServer) {
  boost::asio::io_context io;
  const auto good = core::RunToEnd(io, Examine(ConfigWith(kQwen3)));
  ASSERT_EQ(good.size(), 1U);
  EXPECT_TRUE(good[0].works) << good[0].found;
  EXPECT_THAT(good[0].found, HasSubstr("qwen3 answers in"));
  io.restart();
  const auto bad = core::RunToEnd(io, Examine(ConfigWith("/nonexistent")));
  EXPECT_FALSE(bad.at(0).works);
  EXPECT_THAT(bad[0].found, HasSubstr("/nonexistent"));
}

TEST(LocalModelsTest, ItProposesProofsAndIsCounted) {
  boost::asio::io_context io;
  ModelsRequest request;
  request.config = ConfigWith(kQwen3);
  request.names = {"small"};
  request.seed = 1;
  const auto models = Models::Create(io.get_executor(), request);
  ASSERT_TRUE(models) << models.error().message;
  ASSERT_NE((*models)->completions(), nullptr);
  policy::CompletionInput input;
  input.theorem = syntax::TheoremOf("theorem t : 1 = 1");
  llm::CallContext context;
  context.deadline = core::Deadline::After(core::testing::kHang);
  const auto samples = core::RunToEnd(
      io, (*models)->completions()->Complete(std::move(input), 2, std::move(context)));
  ASSERT_TRUE(samples) << samples.error().message;
  EXPECT_EQ((*models)->budget().total().samples, 2);
}

TEST(LocalModelsTest, ItChatsAlthoughItsFormatCompletesText) {
  boost::asio::io_context io;
  ModelsRequest request;
  request.config = ConfigWith(kQwen3);
  request.names = {"small"};
  request.roles = true;
  const auto models = Models::Create(io.get_executor(), request);
  ASSERT_TRUE(models) << models.error().message;
  llm::Model* const agent = (*models)->chat(strategy::role::kAgent);
  ASSERT_NE(agent, nullptr);
  llm::Request chat;
  chat.prompt = std::vector<llm::Message>{{.role = "user", .content = "1 + 1 = ?"}};
  chat.sampling.max_tokens = 4;
  llm::CallContext context;
  context.deadline = core::Deadline::After(core::testing::kHang);
  const auto reply = core::RunToEnd(io, agent->Generate(std::move(chat), std::move(context)));
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_GT(reply->usage.completion_tokens, 0);
}

TEST(LocalModelsTest, AModelWithAChatFormatIsPreferredToAFolder) {
  boost::asio::io_context io;
  ModelsRequest request;
  request.config = ConfigWith(kQwen3);
  auto served = core::ParseConfig("zermelo.toml",
                                  "[models.served]\nendpoint = \"http://127.0.0.1:9\"\n"
                                  "format = \"chat\"\n");
  ASSERT_TRUE(served);
  request.config.models.merge(served->models);
  request.names = {"small", "served"};
  request.roles = true;
  const auto models = Models::Create(io.get_executor(), request);
  ASSERT_TRUE(models) << models.error().message;
  EXPECT_EQ((*models)->chat(strategy::role::kAgent)->name(), "served");
}

TEST(LocalModelsTest, AFolderThatDoesNotLoadIsAnError) {
  boost::asio::io_context io;
  ModelsRequest request;
  request.config = ConfigWith("/nonexistent");
  request.names = {"small"};
  const auto models = Models::Create(io.get_executor(), request);
  ASSERT_FALSE(models);
  EXPECT_EQ(models.error().code, ErrorCode::kInput);
}

}  // namespace
}  // namespace zermelo::engine
