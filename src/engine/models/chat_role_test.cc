#include "engine/models/chat_role.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/testing/testing.h"
#include "llm/testing/fake_model.h"

namespace zermelo::engine {
namespace {

using core::ErrorCode;
using core::Fail;
using llm::testing::FakeModel;

class ChatRoleTest : public ::testing::Test {
 protected:
  static core::Result<llm::Reply> Says(const std::string& text) {
    return llm::testing::Answer({text});
  }
  std::string Ask(llm::Model& model, llm::Request request = llm::testing::Ask("hello")) {
    const auto reply = core::testing::Await(
        io, model.Generate(std::move(request), llm::testing::Within(core::testing::Generous())));
    return reply ? reply->completions.front().text : reply.error().message;
  }
  boost::asio::io_context io;
  FakeModel a{io.get_executor(), "a", [](const auto&, size_t) { return Says("a"); }};
  FakeModel b{io.get_executor(), "b", [](const auto&, size_t) { return Says("b"); }};
  FakeModel broken{io.get_executor(), "broken", [](const auto&, size_t) {
                     return core::Result<llm::Reply>(Fail(ErrorCode::kEnvironment, "no server"));
                   }};
  FakeModel spent{io.get_executor(), "spent", [](const auto&, size_t) {
                    return core::Result<llm::Reply>(Fail(ErrorCode::kCancelled, "used up"));
                  }};
};

TEST_F(ChatRoleTest, MembersTakeTurnsByWeight) {
  const auto role = MakeChatRole(
      {{.model = &a, .sampling = {}, .weight = 3}, {.model = &b, .sampling = {}, .weight = 1}});
  std::string said;
  for (int i = 0; i < 8; ++i) said += Ask(*role);
  EXPECT_EQ(std::ranges::count(said, 'a'), 6) << said;
  EXPECT_EQ(std::ranges::count(said, 'b'), 2) << said;
}

TEST_F(ChatRoleTest, ItIsNamedAfterAllMembers) {
  EXPECT_EQ(MakeChatRole({{.model = &a, .sampling = {}}})->name(), "a");
  const auto role = MakeChatRole({{.model = &a, .sampling = {}}, {.model = &b, .sampling = {}}});
  EXPECT_EQ(role->name(), "a, b");
}

TEST_F(ChatRoleTest, AMemberThatCannotBeReachedIsSkippedButASpentBudgetEndsTheCall) {
  const auto role =
      MakeChatRole({{.model = &broken, .sampling = {}}, {.model = &a, .sampling = {}}});
  EXPECT_EQ(Ask(*role), "a");
  const auto alone = MakeChatRole({{.model = &broken, .sampling = {}}});
  EXPECT_EQ(Ask(*alone), "no server");
  const auto over =
      MakeChatRole({{.model = &spent, .sampling = {}}, {.model = &a, .sampling = {}}});
  EXPECT_EQ(Ask(*over), "used up");
}

TEST_F(ChatRoleTest, TheConfigurationFillsInWhatARequestLeavesUnset) {
  llm::Sampling configured;
  configured.temperature = 0.6;
  configured.max_tokens = 9000;
  const auto role = MakeChatRole({{.model = &a, .sampling = configured}});
  llm::Request request = llm::testing::Ask("hello");
  request.sampling.max_tokens = 10;
  Ask(*role, request);
  ASSERT_EQ(a.requests.size(), 1U);
  EXPECT_EQ(a.requests[0].sampling.max_tokens, 10);
  EXPECT_EQ(a.requests[0].sampling.temperature, 0.6);
  EXPECT_FALSE(a.requests[0].sampling.top_p) << "neither sets it";
}

TEST_F(ChatRoleTest, ARequestCanLowerTheMaximumOfTokensButNotRaiseIt) {
  llm::Sampling configured;
  configured.max_tokens = 9000;
  const auto role = MakeChatRole({{.model = &a, .sampling = configured}});
  const auto unset = MakeChatRole({{.model = &a, .sampling = {}}});
  llm::Request request = llm::testing::Ask("hello");
  request.sampling.max_tokens = 8999;
  Ask(*role, request);
  request.sampling.max_tokens = 9001;
  Ask(*role, request);
  Ask(*unset, request);
  ASSERT_EQ(a.requests.size(), 3U);
  EXPECT_EQ(a.requests[0].sampling.max_tokens, 8999);
  EXPECT_EQ(a.requests[1].sampling.max_tokens, 9000);
  EXPECT_EQ(a.requests[2].sampling.max_tokens, std::nullopt) << "the default is less";
}

TEST_F(ChatRoleTest, ARequestCanAskForTheDefaultsWhateverIsConfigured) {
  llm::Sampling configured;
  configured.temperature = 0.6;
  configured.top_p = 0.5;
  configured.max_tokens = 9000;
  const auto role = MakeChatRole({{.model = &a, .sampling = configured}});
  llm::Request request = llm::testing::Ask("hello");
  request.sampling.temperature = llm::kDefaultTemperature;
  request.sampling.top_p = llm::kDefaultTopP;
  request.sampling.max_tokens = llm::kDefaultMaxTokens;
  Ask(*role, request);
  ASSERT_EQ(a.requests.size(), 1U);
  EXPECT_EQ(a.requests[0].sampling.temperature, llm::kDefaultTemperature);
  EXPECT_EQ(a.requests[0].sampling.top_p, llm::kDefaultTopP);
  EXPECT_EQ(a.requests[0].sampling.max_tokens, llm::kDefaultMaxTokens);
}

}  // namespace
}  // namespace zermelo::engine
