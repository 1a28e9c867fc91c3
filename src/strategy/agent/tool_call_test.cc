#include "strategy/agent/tool_call.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace zermelo::strategy::agent {
namespace {

using ::testing::HasSubstr;

const std::vector<ToolKind> kOffered{kVerify, kSearch, kPython};

std::vector<ToolCall> Native(const std::vector<llm::ToolCall>& calls) {
  llm::Completion completion;
  completion.tool_calls = calls;
  return ReadCalls(completion, kOffered, 3);
}

std::string ErrorOf(const std::string& name, const std::string& arguments) {
  const auto calls = Native({{"id", name, arguments}});
  return calls.size() == 1 ? calls[0].error : "not one call";
}

std::vector<ToolCall> InText(const std::string& text) {
  llm::Completion completion;
  completion.text = text;
  return ReadCalls(completion, kOffered, 0);
}

TEST(ToolCallTest, ReadsNativeCallsInOrder) {
  const auto calls = Native({{"a", "verify_lean", R"({"code": "theorem t : 1 = 1 := rfl"})"},
                             {"", "premise_search", R"({"query": "n + 0 = n"})"}});
  ASSERT_EQ(calls.size(), 2U);
  EXPECT_EQ(calls[0].id, "a");
  EXPECT_EQ(calls[0].argument, "theorem t : 1 = 1 := rfl");
  EXPECT_EQ(calls[0].error, "");
  EXPECT_EQ(calls[1].id, "call_3_1");
  EXPECT_EQ(calls[1].tool, "premise_search");
}

TEST(ToolCallTest, InvalidArgumentsAreErrorsThatSayWhatToGive) {
  EXPECT_THAT(ErrorOf("verify_lean", "theorem t"), HasSubstr("not JSON"));
  EXPECT_THAT(ErrorOf("verify_lean", R"({"code": "a)"), HasSubstr("not JSON"));
  EXPECT_THAT(ErrorOf("verify_lean", ""), HasSubstr("not JSON"));
  EXPECT_THAT(ErrorOf("verify_lean", "\xff\xfe"), HasSubstr("not JSON"));
  EXPECT_THAT(ErrorOf("verify_lean", R"(["a"])"), HasSubstr("a JSON array, not an object"));
  EXPECT_THAT(ErrorOf("verify_lean", "{}"), HasSubstr(R"(`code` is missing; give {"code")"));
  EXPECT_THAT(ErrorOf("premise_search", R"({"query": 7})"), HasSubstr("is a number, not a string"));
  EXPECT_THAT(ErrorOf("python", R"({"code": null})"), HasSubstr("is a null, not a string"));
  EXPECT_THAT(ErrorOf("python", R"({"code": "1", "timeout": 9})"),
              HasSubstr("no argument `timeout`"));
  EXPECT_THAT(ErrorOf("python", R"({"code": " \n"})"), HasSubstr("empty"));
  EXPECT_THAT(ErrorOf("python", R"({"code": ")" + std::string(300'000, 'x') + R"("})"),
              HasSubstr("too long"));
  EXPECT_THAT(ErrorOf("verify", R"({"code": "x"})"),
              HasSubstr("verify_lean, premise_search, python"));
  EXPECT_THAT(ErrorOf("", "{}"), HasSubstr("there is no tool"));
  EXPECT_THAT(ErrorOf("verify_lean", std::string(100'000, '[')), HasSubstr("not JSON"));
}

TEST(ToolCallTest, ToolThatIsNotOfferedIsUnknown) {
  llm::Completion completion;
  completion.tool_calls = {{"a", "python", R"({"code": "1"})"}};
  EXPECT_THAT(ReadCalls(completion, {kVerify}, 0)[0].error, HasSubstr("no tool `python`"));
}

TEST(ToolCallTest, ReadsMarkedBlocksInPlainText) {
  const auto calls = InText(
      "First I look.\n```premise_search\nsum of squares\n```\nand compute\n"
      "```python\nprint(1)\nprint('```')\n```\n```text\nnothing\n```\n  ```verify_lean\n  theorem "
      "t\n");
  ASSERT_EQ(calls.size(), 3U);
  EXPECT_EQ(calls[0].tool, "premise_search");
  EXPECT_EQ(calls[0].argument, "sum of squares\n");
  EXPECT_EQ(calls[1].argument, "print(1)\nprint('```')\n");
  EXPECT_EQ(calls[2].argument, "  theorem t\n") << "the text was cut off";
  EXPECT_EQ(calls[2].id, "");
}

TEST(ToolCallTest, LoneLeanBlockIsACallOfVerifyLean) {
  const auto calls =
      InText("<think>\n```lean4\nno\n```\n</think>\n```lean4\nold\n```\n```lean4\nnew\n```\n");
  ASSERT_EQ(calls.size(), 1U);
  EXPECT_EQ(calls[0].tool, "verify_lean");
  EXPECT_EQ(calls[0].argument, "new\n");
  EXPECT_TRUE(InText("I do not know.").empty());
}

TEST(ToolCallTest, ModelTurnIsSentBackInAFormThatServersAccept) {
  llm::Completion completion;
  completion.text = "<think>secret</think>I try.\xff";
  completion.tool_calls = {{"", "verify_lean", "{broken"}, {"b", "python", R"({"code": "1"})"}};
  const auto calls = ReadCalls(completion, kOffered, 1);
  const llm::Message said = AssistantMessage(completion, calls);
  EXPECT_EQ(said.content, "I try.\xEF\xBF\xBD");
  ASSERT_EQ(said.tool_calls.size(), 2U);
  EXPECT_EQ(said.tool_calls[0].id, "call_1_0");
  EXPECT_EQ(said.tool_calls[0].arguments, "{}");
  EXPECT_EQ(said.tool_calls[1].arguments, R"({"code": "1"})");
}

}  // namespace
}  // namespace zermelo::strategy::agent
