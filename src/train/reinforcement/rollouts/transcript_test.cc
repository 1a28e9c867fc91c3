#include "train/reinforcement/rollouts/transcript.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "decoder/testing/models.h"
#include "llm/testing/fake_model.h"
#include "strategy/agent/agent.h"
#include "strategy/testing/game_fixture.h"
#include "strategy/testing/scripted_policies.h"

namespace zermelo::train {
namespace {

using decoder::Token;
using decoder::Tokenizer;
using decoder::testing::kModels;
using decoder::testing::ReadJson;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kEnd = "<|im_end|>";

llm::Message Says(std::string role, std::string content) {
  llm::Message message;
  message.role = std::move(role);
  message.content = std::move(content);
  return message;
}

/// A policy that writes given texts: `{text, what its tokens have beyond it}`. `by_bytes`: in
/// tokens of one byte, as the tokenizer would not.
class Scripted {
 public:
  Scripted(const Tokenizer& tokenizer, std::vector<std::pair<std::string, std::string>> answers,
           bool by_bytes = false)
      : tokenizer_(tokenizer), answers_(std::move(answers)), by_bytes_(by_bytes) {}

  Writer writer() {
    return [this](std::vector<Token> prompt, llm::Request request,
                  llm::CallContext) -> core::Task<core::Result<decoder::LocalModel::Written>> {
      const auto& [text, beyond] = answers_.at(prompts.size());
      seeds.push_back(request.sampling.seed.value());
      prompts.push_back(std::move(prompt));
      decoder::LocalModel::Written written{.reply = llm::testing::Answer({text}), .tokens = {}};
      written.tokens.push_back(TokensOf(text + beyond));
      co_return written;
    };
  }
  std::vector<std::vector<Token>> prompts;
  std::vector<uint64_t> seeds;

 private:
  std::vector<Token> TokensOf(const std::string& text) const {
    if (!by_bytes_) return tokenizer_.EncodeContinuation(text);
    std::vector<Token> tokens;
    for (const char c : text)
      tokens.push_back(tokenizer_.EncodeContinuation(std::string(1, c)).at(0));
    return tokens;
  }

  const Tokenizer& tokenizer_;
  const std::vector<std::pair<std::string, std::string>> answers_;
  const bool by_bytes_;
};

/// The decoded runs of learnt tokens, or of the others.
std::vector<std::string> Spans(const Row& row, const Tokenizer& tokenizer, bool learnt) {
  std::vector<std::string> spans;
  for (size_t i = 0; i < row.tokens.size(); ++i) {
    if (row.learnt[i] != learnt) continue;
    if (i == 0 || row.learnt[i - 1] != learnt) spans.emplace_back();
    spans.back() += tokenizer.Bytes(row.tokens[i]);
  }
  return spans;
}

class TranscriptTest : public strategy::testing::GameTest {
 protected:
  std::string Ask(Transcript& transcript, std::vector<llm::Message> messages) {
    llm::Request request;
    request.prompt = std::move(messages);
    const auto reply = core::testing::Await(io, transcript.Generate(std::move(request), {}));
    return reply ? reply->completions[0].text : reply.error().message;
  }
  Transcript Of(Scripted& scripted, const Tokenizer& tokenizer) {
    return {scripted.writer(), tokenizer, {}, [](size_t answer) { return 70 + answer; }};
  }
  const Tokenizer tokenizer_ = Tokenizer::Read(kModels / "llama/tokenizer.json").value();
};

TEST_F(TranscriptTest, OnlyWhatThePolicyWroteIsLearnt) {
  Scripted scripted(tokenizer_, {{"a", kEnd}, {"b", kEnd}});
  Transcript transcript = Of(scripted, tokenizer_);
  EXPECT_EQ(Ask(transcript, {Says("user", "1")}), "a");
  EXPECT_EQ(Ask(transcript, {Says("user", "1"), Says("assistant", "a"), Says("user", "2")}), "b");
  EXPECT_THAT(Spans(transcript.row(), tokenizer_, true), ElementsAre("a<|im_end|>", "b<|im_end|>"));
  EXPECT_THAT(Spans(transcript.row(), tokenizer_, false),
              ElementsAre("<|im_start|>user\n1<|im_end|>\n<|im_start|>assistant\n",
                          "\n<|im_start|>user\n2<|im_end|>\n<|im_start|>assistant\n"));
  EXPECT_EQ(transcript.Text(), tokenizer_.Decode(transcript.row().tokens));
  EXPECT_THAT(scripted.seeds, ElementsAre(70U, 71U));
}

TEST_F(TranscriptTest, TheNextPromptHasTheTokensThatWereSampled) {
  Scripted scripted(tokenizer_, {{"im", std::string(kEnd) + "\n"}, {"im", ""}, {"c", kEnd}}, true);
  Transcript transcript = Of(scripted, tokenizer_);
  std::vector<llm::Message> messages{Says("user", "1")};
  for (const char* answer : {"im", "im", "c"}) {
    EXPECT_EQ(Ask(transcript, messages), answer);
    messages.push_back(Says("assistant", answer));
    messages.push_back(Says("user", "next"));
  }
  EXPECT_THAT(Spans(transcript.row(), tokenizer_, true),
              ElementsAre("im<|im_end|>\n", "im", "c<|im_end|>"));
  EXPECT_EQ(transcript.Text(), tokenizer_.Decode(transcript.row().tokens))
      << "no mark is there twice, and none is missing";
  ASSERT_EQ(scripted.prompts.size(), 3U);
  const auto sampled_after = [&](size_t prompt, size_t count) {
    const auto begin = scripted.prompts[prompt + 1].begin() +
                       static_cast<std::ptrdiff_t>(scripted.prompts[prompt].size());
    return std::vector<Token>(begin, begin + static_cast<std::ptrdiff_t>(count));
  };
  ASSERT_THAT(tokenizer_.EncodeContinuation("im"), ElementsAre(287));
  EXPECT_THAT(sampled_after(0, 13),
              ElementsAre(73, 77, 28, 92, 73, 77, 63, 69, 78, 68, 92, 30, 199));
  EXPECT_THAT(sampled_after(1, 2), ElementsAre(73, 77));
}

TEST_F(TranscriptTest, TheEndOfAMessageMayBeOneToken) {
  nlohmann::json json = ReadJson(kModels / "llama/tokenizer.json");
  const auto end = static_cast<Token>(tokenizer_.size());
  json["added_tokens"].push_back({{"id", end}, {"content", kEnd}, {"special", true}});
  const Tokenizer tokenizer = Tokenizer::Create(json).value();
  Scripted scripted(tokenizer, {{"a", kEnd}, {"b", kEnd}});
  Transcript transcript = Of(scripted, tokenizer);
  Ask(transcript, {Says("user", "1")});
  Ask(transcript, {Says("user", "1"), Says("assistant", "a"), Says("user", "2")});
  EXPECT_EQ(transcript.row().tokens.back(), end);
  EXPECT_EQ(std::ranges::count(transcript.row().tokens, end), 4);
  EXPECT_THAT(Spans(transcript.row(), tokenizer, true), ElementsAre("a", "b"));
}

TEST_F(TranscriptTest, WhatDoesNotExtendTheLastRequestIsAnsweredButNotLearnt) {
  Scripted scripted(tokenizer_, {{"<think>x</think>a", kEnd}, {"b", kEnd}});
  Transcript transcript = Of(scripted, tokenizer_);
  Ask(transcript, {Says("user", "1")});
  EXPECT_EQ(Ask(transcript, {Says("user", "1"), Says("assistant", "a"), Says("user", "2")}), "b");
  EXPECT_THAT(Spans(transcript.row(), tokenizer_, true),
              ElementsAre("<think>x</think>a<|im_end|>"));
}

TEST_F(TranscriptTest, OfAnAgentsConversationTheAnswersOfItsToolsAreMasked) {
  const std::string wrong =
      "I try.\n```verify_lean\ntheorem game : 5 := by\n  sub 2\n  zero\n```\n";
  const std::string right = "```verify_lean\ntheorem game : 5 := by\n  sub 5\n  zero\n```";
  Scripted scripted(tokenizer_, {{wrong, kEnd}, {right, kEnd}});
  Transcript transcript = Of(scripted, tokenizer_);
  strategy::testing::OneModel roles(transcript);
  strategy::Services services{.checker = watched};
  services.roles = &roles;
  const auto prompts = llm::PromptTemplates::Load(ZERMELO_SOURCE_DIR "/prompts/agent").value();
  strategy::AgentParameters parameters;
  parameters.protocol = strategy::ToolProtocol::kText;
  strategy::LemmaStore known;
  strategy::StatementTask task;
  task.theorem = syntax::TheoremOf("theorem game : 5");
  task.known = &known;
  const auto prove = strategy::MakeAgentProver(services, parameters, prompts);
  const auto answer = core::testing::Await(io, prove(std::move(task), limits));
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->status, strategy::StatementAnswer::Status::kProved);
  EXPECT_THAT(Spans(transcript.row(), tokenizer_, true), ElementsAre(wrong + kEnd, right + kEnd));
  const auto masked = Spans(transcript.row(), tokenizer_, false);
  ASSERT_EQ(masked.size(), 2U);
  EXPECT_THAT(masked[0], HasSubstr("theorem game : 5"));
  EXPECT_THAT(masked[1], HasSubstr("Result of call 1 (verify_lean):"));
  EXPECT_THAT(masked[1], HasSubstr("3 is not 0"));
  EXPECT_EQ(transcript.tool_calls(), 2U);
}

}  // namespace
}  // namespace zermelo::train
