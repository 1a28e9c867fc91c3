#include "decoder/chat.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace zermelo::decoder {
namespace {

using ::testing::ElementsAre;

llm::Message Says(std::string role, std::string content) {
  llm::Message message;
  message.role = std::move(role);
  message.content = std::move(content);
  return message;
}

TEST(ChatTest, AnOpenChatEndsWhereTheModelAnswers) {
  const auto parts = ChatParts({Says("system", "Prove."), Says("user", "1 = 1")}, true);
  ASSERT_TRUE(parts);
  EXPECT_THAT(*parts, ElementsAre(ChatPart{.text = "<|im_start|>system\nProve.<|im_end|>\n"
                                                   "<|im_start|>user\n1 = 1<|im_end|>\n"
                                                   "<|im_start|>assistant\n"}));
}

TEST(ChatTest, AnAnswerIsAPartWithItsEnd) {
  const auto parts =
      ChatParts({Says("user", "a"), Says("assistant", "b"), Says("user", "c")}, false);
  ASSERT_TRUE(parts);
  EXPECT_THAT(
      *parts,
      ElementsAre(ChatPart{.text = "<|im_start|>user\na<|im_end|>\n<|im_start|>assistant\n"},
                  ChatPart{.text = "b<|im_end|>", .answer = true},
                  ChatPart{.text = "\n<|im_start|>user\nc<|im_end|>\n"}));
}

TEST(ChatTest, NativeToolCallsAreRefused) {
  llm::Message calls = Says("assistant", "");
  calls.tool_calls.push_back({.id = "1", .name = "verify_lean", .arguments = "{}"});
  EXPECT_EQ(ChatParts({calls}, true).error().code, core::ErrorCode::kUsage);
  EXPECT_EQ(ChatParts({Says("tool", "no")}, true).error().code, core::ErrorCode::kUsage);
}

}  // namespace
}  // namespace zermelo::decoder
