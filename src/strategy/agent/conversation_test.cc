#include "strategy/agent/conversation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace zermelo::strategy::agent {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

llm::Message Says(const std::string& role, const std::string& content) {
  llm::Message message;
  message.role = role;
  message.content = content;
  return message;
}

enum class Fate { kRefused, kAccepted, kNeither };

/// A turn with one native tool call.
Exchange Turn(const std::string& tool, const std::string& subject, Fate fate,
              const std::string& answer = "answer") {
  Exchange exchange;
  exchange.said = Says("assistant", "trying " + subject);
  exchange.said.tool_calls = {{"id", tool, R"({"code": "long code"})"}};
  ToolResult result;
  result.call.id = "id";
  result.call.tool = tool;
  result.subject = subject;
  result.answer = answer;
  result.refused = fate == Fate::kRefused;
  result.accepted = fate == Fate::kAccepted;
  exchange.results.push_back(result);
  return exchange;
}

Conversation Begun() { return Conversation({Says("system", "rules"), Says("user", "prove it")}); }

std::string Text(const Conversation& conversation) {
  std::string text;
  for (const llm::Message& message : conversation.Messages()) {
    text += message.role + ": " + message.content + "\n";
    for (const llm::ToolCall& call : message.tool_calls) text += call.arguments + "\n";
  }
  return text;
}

TEST(ConversationTest, EveryCallIsFollowedByItsResult) {
  Conversation conversation = Begun();
  Exchange exchange = Turn("verify_lean", "foo", Fate::kRefused);
  exchange.note = "by the way";
  conversation.Add(exchange);
  const auto messages = conversation.Messages();
  ASSERT_EQ(messages.size(), 5U);
  EXPECT_EQ(messages[2].tool_calls[0].id, "id");
  EXPECT_EQ(messages[3].role, "tool");
  EXPECT_EQ(messages[3].tool_call_id, "id");
  EXPECT_EQ(messages[4], Says("user", "by the way"));
}

TEST(ConversationTest, ResultsOfPlainTextCallsAreOneMessage) {
  Exchange exchange = Turn("python", "", Fate::kNeither, "42");
  exchange.results[0].call.id.clear();
  exchange.results.push_back(exchange.results[0]);
  const auto answers = Conversation::AnswersOf(exchange);
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0].role, "user");
  EXPECT_THAT(answers[0].content, HasSubstr("Result of call 2 (python):\n42"));
}

TEST(ConversationTest, PruningRemovesAttemptsAtProvedStatementsAndOldLookups) {
  Conversation conversation = Begun();
  conversation.Add(Turn("premise_search", "", Fate::kNeither, "old find"));
  conversation.Add(Turn("verify_lean", "foo", Fate::kRefused, "foo fails"));
  conversation.Add(Turn("verify_lean", "bar", Fate::kRefused, "bar fails"));
  conversation.Add(Turn("verify_lean", "foo", Fate::kAccepted, "foo holds"));
  conversation.Add(Turn("python", "", Fate::kNeither, "new figures"));
  EXPECT_EQ(conversation.Prune(2), 2U);
  const std::string text = Text(conversation);
  EXPECT_THAT(text, Not(HasSubstr("old find")));
  EXPECT_THAT(text, Not(HasSubstr("foo fails")));
  EXPECT_THAT(text, HasSubstr("bar fails"));
  EXPECT_THAT(text, HasSubstr("foo holds"));
  EXPECT_THAT(text, HasSubstr("new figures"));
  EXPECT_EQ(conversation.Messages().size(), 2U + 2 * 5) << "calls and results stay in pairs";
  EXPECT_EQ(conversation.Prune(2), 0U) << "pruning again changes nothing";
}

TEST(ConversationTest, BacktracksToBeforeTheFirstOfManyRejections) {
  Conversation conversation = Begun();
  conversation.Add(Turn("verify_lean", "foo", Fate::kAccepted, "foo holds"));
  conversation.Add(Turn("verify_lean", "bar", Fate::kRefused, "bar fails"));
  conversation.Add(Turn("python", "", Fate::kNeither, "figures"));
  conversation.Add(Turn("verify_lean", "baz", Fate::kRefused, "baz fails"));
  EXPECT_EQ(conversation.RefusedInARow(), 2U);
  EXPECT_EQ(conversation.RefusedLately(), "- bar: bar fails\n- baz: baz fails\n");
  EXPECT_EQ(conversation.Backtrack("take another way"), 1U);
  EXPECT_EQ(conversation.turns(), 1U);
  EXPECT_EQ(conversation.RefusedInARow(), 0U);
  const std::string text = Text(conversation);
  EXPECT_THAT(text, HasSubstr("foo holds"));
  EXPECT_THAT(text, HasSubstr("take another way"));
  EXPECT_THAT(text, Not(HasSubstr("bar fails")));
}

TEST(ConversationTest, SummaryReplacesAllButTheLastExchanges) {
  Conversation conversation = Begun();
  for (const char* name : {"one", "two", "three"}) {
    conversation.Add(Turn("verify_lean", name, Fate::kRefused, std::string(name) + " fails"));
  }
  conversation.Compact("in short: nothing", 1);
  const auto messages = conversation.Messages();
  ASSERT_EQ(messages.size(), 4U);
  EXPECT_EQ(messages[1].content, "prove it\n\nin short: nothing");
  EXPECT_EQ(messages[3].content, "three fails");
}

}  // namespace
}  // namespace zermelo::strategy::agent
