#include "llm/reply.h"

#include <gtest/gtest.h>

namespace zermelo::llm {
namespace {

std::string Code(ReplyKind kind, std::string_view reply) {
  const auto code = FindCode(kind, reply);
  return code ? *code : std::string("no code: ") + Explain(code.error());
}
std::string Block(std::string_view reply) { return Code(ReplyKind::kBlock, reply); }
std::string Tactic(std::string_view reply) { return Code(ReplyKind::kTactic, reply); }

TEST(WithoutThinkingTest, ClosedUnclosedAndOpenedInThePrompt) {
  EXPECT_EQ(WithoutThinking("a<think>b</think>c"), "ac");
  EXPECT_EQ(WithoutThinking("<think>a</think>b<think>c</think>d"), "bd");
  EXPECT_EQ(WithoutThinking("a<think>b"), "a");
  EXPECT_EQ(WithoutThinking("thinking</think>answer"), "answer");
  EXPECT_EQ(WithoutThinking("t</think>a<think>u</think>b</think>c"), "c");
  EXPECT_EQ(WithoutThinking("<think>a<think>b</think>c"), "c");
  EXPECT_EQ(WithoutThinking("no thinking"), "no thinking");
  EXPECT_EQ(WithoutThinking(""), "");
}

TEST(FindCodeTest, TheLastLeanBlock) {
  EXPECT_EQ(Block("plan\n```lean4\nfirst\n```\nthen\n```lean4\nsecond\n```\ndone"), "second\n");
  EXPECT_EQ(Block("```lean\nfirst\n```\n```\nplain\n```"), "first\n") << "a marked one wins";
  EXPECT_EQ(Block("```\nplain\n```"), "plain\n");
  EXPECT_EQ(Block("```Lean4 {name=x}\na\n```"), "a\n");
  EXPECT_EQ(Block("  ```lean4\r\n  a\n  ```"), "  a\n  ");
}

TEST(FindCodeTest, BlocksOfOtherLanguagesAreIgnored) {
  EXPECT_EQ(Block("```python\nprint()\n```"), "no code: the reply has no code block");
  EXPECT_EQ(Block("```lean4\na\n```\n```python\nb\n```\n```tactics\nc\n```"), "a\n");
}

TEST(FindCodeTest, AFenceMayCloseAtTheEndOfALine) {
  EXPECT_EQ(Block("```lean4\nrfl```\nand more"), "rfl");
  EXPECT_EQ(Block("like ```this``` one\n```lean4\nrfl\n```"), "rfl\n");
}

TEST(FindCodeTest, ABlockThatIsCutOffEndsWithTheText) {
  EXPECT_EQ(Block("```lean4\nsimp\nnorm_n"), "simp\nnorm_n");
  EXPECT_EQ(Block("```lean4"), "no code: the reply has no code block");
}

TEST(FindCodeTest, CodeInThoughtsDoesNotCount) {
  EXPECT_EQ(Block("<think>\n```lean4\ntry\n```\n</think>\n```lean4\nfinal\n```"), "final\n");
  EXPECT_EQ(Block("<think>\n```lean4\ntry\n```\nhm"),
            "no code: the reply ends before the thinking does");
  EXPECT_EQ(Block("```lean4\ntry\n```\n</think>\nI give up."),
            "no code: the reply has no code block");
}

TEST(FindCodeTest, NoCodeAtAll) {
  EXPECT_EQ(Block(" \n\t"), "no code: the reply is empty");
  EXPECT_EQ(Block("It is trivial."), "no code: the reply has no code block");
  EXPECT_EQ(Block("```lean4\n \n```"), "no code: the code block is empty");
}

TEST(FindCodeTest, AContinuationEndsAtTheFence) {
  EXPECT_EQ(Code(ReplyKind::kContinuation, "  simp\n  rfl\n```\nexplanation ```lean4\nx"),
            "  simp\n  rfl\n");
  EXPECT_EQ(Code(ReplyKind::kContinuation, "\n  simp"), "\n  simp");
  EXPECT_EQ(Code(ReplyKind::kContinuation, "\n```"), "no code: the code block is empty");
  EXPECT_EQ(Code(ReplyKind::kContinuation, "  have : a < think> b := by"),
            "  have : a < think> b := by");
}

TEST(FindCodeTest, ATactic) {
  EXPECT_EQ(Tactic(" simp [h]\n"), "simp [h]");
  EXPECT_EQ(Tactic("x : ℕ\n⊢ x = x:::rfl"), "rfl");
  EXPECT_EQ(Tactic("<think>hm</think>cases h with\n  | inl => simp"),
            "cases h with\n  | inl => simp");
  EXPECT_EQ(Tactic("Try this:\n```lean4\n  ring\n```"), "ring");
  EXPECT_EQ(Tactic("⊢ False:::"), "no code: the reply is empty");
}

}  // namespace
}  // namespace zermelo::llm
