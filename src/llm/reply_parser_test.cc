#include "llm/reply_parser.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <random>

namespace zermelo::llm {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

ServerError ErrorOf(std::string_view body) {
  const auto reply = ParseReply(body);
  EXPECT_FALSE(reply) << body;
  return reply ? ServerError() : reply.error();
}

ChoicePiece OnlyChoice(std::string_view body) {
  const auto reply = ParseReply(body);
  EXPECT_TRUE(reply) << reply.error().message;
  return reply.value().choices.at(0);
}

TEST(ParseReply, ReadsACompletion) {
  const auto reply = ParseReply(R"({"model": "m", "choices": [
      {"index": 1, "text": "rfl", "finish_reason": "length",
       "logprobs": {"tokens": ["r", "fl"], "token_logprobs": [null, -0.5]}}],
      "usage": {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12,
                "prompt_tokens_details": {"cached_tokens": 8}}})");
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->model, "m");
  EXPECT_EQ(reply->choices[0].index, 1);
  EXPECT_EQ(reply->choices[0].text, "rfl");
  EXPECT_EQ(reply->choices[0].finish, FinishReason::kLength);
  EXPECT_EQ(reply->choices[0].logprobs, (std::vector<TokenLogprob>{{"fl", -0.5}}));
  EXPECT_EQ(reply->usage,
            (Usage{.prompt_tokens = 10, .cached_prompt_tokens = 8, .completion_tokens = 2}));
}

TEST(ParseReply, ReadsAChatsMessageAndItsDeltas) {
  for (const char* field : {"message", "delta"}) {
    const auto choice = OnlyChoice(R"({"choices": [{")" + std::string(field) + R"(": {
        "content": "rfl", "reasoning_content": "Hm.",
        "tool_calls": [{"index": 2, "id": "c", "function": {"name": "f", "arguments": "{"}}]},
        "logprobs": {"content": [{"token": "rfl", "logprob": -1}]}, "finish_reason": null}]})");
    EXPECT_EQ(choice.text, "rfl");
    EXPECT_EQ(choice.reasoning, "Hm.");
    EXPECT_EQ(choice.tool_calls.at(0).index, 2);
    EXPECT_EQ(choice.tool_calls.at(0).call, (ToolCall{"c", "f", "{"}));
    EXPECT_EQ(choice.logprobs.size(), 1u);
    EXPECT_EQ(choice.finish, std::nullopt);
  }
}

TEST(ParseReply, ReasoningHasTwoNames) {
  EXPECT_EQ(OnlyChoice(R"({"choices": [{"delta": {"reasoning": "Hm."}}]})").reasoning, "Hm.");
}

TEST(ParseReply, ContentMayBeNullOrInParts) {
  EXPECT_EQ(OnlyChoice(R"({"choices": [{"message": {"content": null}}]})").text, "");
  EXPECT_EQ(OnlyChoice(R"({"choices": [{"message": {"content": [{"type": "text", "text": "a"},
      {"type": "image"}, {"type": "text", "text": "b"}]}}]})")
                .text,
            "ab");
}

TEST(ParseReply, FinishReasonsOfAllServers) {
  const auto finish = [](const std::string& word) {
    return OnlyChoice(R"({"choices": [{"text": "", "finish_reason": ")" + word + "\"}]}").finish;
  };
  EXPECT_EQ(finish("stop"), FinishReason::kStop);
  EXPECT_EQ(finish("eos_token"), FinishReason::kStop);
  EXPECT_EQ(finish("length"), FinishReason::kLength);
  EXPECT_EQ(finish("tool_calls"), FinishReason::kToolCalls);
  EXPECT_EQ(finish("content_filter"), FinishReason::kFiltered);
  EXPECT_EQ(finish("abort"), FinishReason::kBroken);
}

TEST(ParseReply, GeminiEndsWithStopAfterToolCallsAndCountsThoughtsInTheTotal) {
  const auto reply = ParseReply(R"({"choices": [{"message": {"tool_calls": [
      {"id": "", "function": {"name": "f", "arguments": "{}"}}]}, "finish_reason": "stop"}],
      "usage": {"prompt_tokens": 5, "completion_tokens": 3, "total_tokens": 100}})");
  EXPECT_EQ(reply->choices[0].finish, FinishReason::kToolCalls);
  EXPECT_EQ(reply->usage->completion_tokens, 95);
}

TEST(ParseReply, MissingAndHugeUsage) {
  EXPECT_EQ(ParseReply(R"({"choices": []})")->usage, std::nullopt);
  EXPECT_EQ(ParseReply(R"({"choices": [], "usage": null})")->usage, std::nullopt);
  EXPECT_EQ(
      ParseReply(R"({"choices": [], "usage": {"prompt_tokens": 1e300}})")->usage->prompt_tokens,
      1'000'000'000'000);
  EXPECT_EQ(ParseReply(R"({"choices": [], "usage": {"prompt_tokens": -7}})")->usage->prompt_tokens,
            0);
}

TEST(ParseReply, ErrorsWithStatus200AreErrors) {
  EXPECT_EQ(ErrorOf(R"({"error": {"message": "out of memory", "code": 503}})").status, 503);
  EXPECT_EQ(ErrorOf(R"({"error": {"message": "bad", "type": "invalid_request_error"}})").status,
            400);
  EXPECT_EQ(ErrorOf(R"({"error": "busy"})").message, "busy");
  EXPECT_EQ(ErrorOf(R"({"object": "error", "message": "sglang", "code": 400})").message, "sglang");
  EXPECT_EQ(ErrorOf(R"([{"error": {"code": 429, "message": "gemini"}}])").status, 429);
}

TEST(ParseReply, AnUnusableBodyIsDescribed) {
  EXPECT_EQ(ErrorOf("<html><head><title>502 Bad Gateway</title>").message,
            "a web page instead of an answer: 502 Bad Gateway");
  EXPECT_EQ(ErrorOf("").message, "an empty body");
  EXPECT_EQ(ErrorOf("{\"choices\": [").message, "not JSON: {\"choices\": [");
  EXPECT_NE(ErrorOf(R"({"id": 1})").message.find("'choices'"), std::string::npos);
}

TEST(ParseReply, WrongTypesAreErrorsNotAnswers) {
  for (const char* body :
       {"17", "null", "\"rfl\"", "[]", R"({"choices": {}})", R"({"choices": "rfl"})",
        R"({"choices": [17]})", R"({"choices": [{"text": 17}]})",
        R"({"choices": [{"text": ["a"]}]})", R"({"choices": [{"delta": ["a"]}]})",
        R"({"choices": [{"message": {"content": 1}}]})",
        R"({"choices": [{"index": "zero", "text": ""}]})", R"({"choices": [{"finish_reason": 1}]})",
        R"({"choices": [], "usage": 7})", R"({"choices": [], "model": 7})",
        R"({"choices": [{"message": {"tool_calls": [1]}}]})",
        R"({"choices": [{"message": {"tool_calls": "f"}}]})"}) {
    EXPECT_EQ(ErrorOf(body).status, 200) << body;
  }
}

TEST(ParseReply, BytesThatAreNotUtf8AreReplaced) {
  EXPECT_EQ(OnlyChoice("{\"choices\": [{\"text\": \"a\xE2\x88\"}]}").text, "a\uFFFD\uFFFD");
}

TEST(ParseReply, MutatedRepliesNeverDoHarm) {
  const std::string reply = R"({"model": "m", "choices": [{"index": 0, "delta": {"content": "a",
      "tool_calls": [{"index": 0, "function": {"name": "f", "arguments": "{}"}}]},
      "logprobs": {"content": [{"token": "a", "logprob": -1}]}, "finish_reason": "stop"}],
      "usage": {"prompt_tokens": 1, "completion_tokens": 2}, "error": null})";
  std::mt19937 random(1);
  const std::vector<std::string> grafts = {"[]",    "{}",   "null", "1e999", "-1",
                                           "\"x\"", "true", "\xFF", "[["};
  for (int round = 0; round < 5000; ++round) {
    std::string mutated = reply;
    for (int i = 0; i < 3; ++i) {
      const size_t at = random() % mutated.size();
      mutated.replace(at, random() % 12, grafts[random() % grafts.size()]);
    }
    ParseReply(mutated);
    ParseError(mutated, 500);
    ParseEmbeddings(mutated, 2);
    ParseModels(mutated);
  }
}

TEST(ParseModels, ReadsNamesAndContexts) {
  const auto models = ParseModels(R"({"data": [
    {"id": "vllm", "max_model_len": 4096}, {"id": "llamacpp", "meta": {"n_ctx": 2048}},
    {"id": "other", "context_length": 8192}, {"id": "openai"}]})");
  ASSERT_TRUE(models);
  ASSERT_EQ(models->size(), 4u);
  EXPECT_EQ((*models)[0].id, "vllm");
  EXPECT_EQ((*models)[0].context, 4096);
  EXPECT_EQ((*models)[1].context, 2048);
  EXPECT_EQ((*models)[2].context, 8192);
  EXPECT_EQ((*models)[3].context, 0);
  EXPECT_FALSE(ParseModels(R"({"data": [{"id": 7}]})"));
  EXPECT_FALSE(ParseModels(R"({"data": [{}]})"));
}

TEST(ParseError, ReadsTheFormsOfAllServers) {
  const auto openai = ParseError(
      R"({"error": {"message": "no money", "type": "x", "code": "insufficient_quota"}})", 429);
  EXPECT_EQ(openai.status, 429);
  EXPECT_EQ(openai.kind, "insufficient_quota");
  EXPECT_EQ(openai.message, "no money");
  EXPECT_EQ(ParseError(R"({"object": "error", "message": "m", "code": 404})", 404).message, "m");
  EXPECT_EQ(ParseError(R"({"detail": "Not Found"})", 404).message, "Not Found");
  EXPECT_NE(
      ParseError(R"({"detail": [{"loc": ["n"], "msg": "extra"}]})", 422).message.find("extra"),
      std::string::npos);
  EXPECT_EQ(ParseError("plain\nwords", 500).message, "plain words");
  EXPECT_EQ(ParseError("<html><title>Bad Gateway</title>", 502).message,
            "a web page instead of an answer: Bad Gateway");
  EXPECT_EQ(ParseError("", 500).message, "");
}

TEST(ParseError, GeminiSendsTheDelayInTheBody) {
  const auto error = ParseError(R"([{"error": {"code": 429, "message": "m", "status": "S",
      "details": [{"@type": "x"}, {"@type": "RetryInfo", "retryDelay": "34.5s"}]}}])",
                                429);
  EXPECT_EQ(error.retry_after, milliseconds(34'500));
}

TEST(ParseError, LongMessagesAreShortened) {
  EXPECT_LT(ParseError(std::string(1'000'000, 'x'), 500).message.size(), 600u);
}

TEST(ParseEmbeddings, PutsVectorsInTheOrderOfTheTexts) {
  const auto reply = ParseEmbeddings(R"({"data": [{"index": 1, "embedding": [2, 3]},
      {"index": 0, "embedding": [0, 1.5]}], "usage": {"prompt_tokens": 4}})",
                                     2);
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(reply->vectors, (std::vector<std::vector<float>>{{0, 1.5}, {2, 3}}));
  EXPECT_EQ(reply->usage->prompt_tokens, 4);
}

TEST(ParseEmbeddings, AnythingButOneVectorPerTextIsAnError) {
  for (const char* data :
       {"[]", R"([{"embedding": [1]}])", R"([{"embedding": [1]}, {"embedding": []}])",
        R"([{"embedding": [1]}, {"embedding": [1, 2]}])",
        R"([{"embedding": [1]}, {"embedding": "AAAA"}])",
        R"([{"embedding": [1]}, {"embedding": [1e999]}])",
        R"([{"index": 5, "embedding": [1]}, {"embedding": [1]}])"}) {
    EXPECT_FALSE(ParseEmbeddings("{\"data\": " + std::string(data) + "}", 2)) << data;
  }
}

TEST(ParseDuration, ReadsGosNotationAndSeconds) {
  EXPECT_EQ(ParseDuration("6m0s"), minutes(6));
  EXPECT_EQ(ParseDuration("1h2m3s"), hours(1) + minutes(2) + seconds(3));
  EXPECT_EQ(ParseDuration("20ms"), milliseconds(20));
  EXPECT_EQ(ParseDuration("1.5s"), milliseconds(1500));
  EXPECT_EQ(ParseDuration("7"), seconds(7));
  EXPECT_EQ(ParseDuration("0"), seconds(0));
  EXPECT_EQ(ParseDuration("99999999999999h"), hours(24));
  for (const char* no :
       {"", "s", "6x", "-1", "1 s", ".", "1..s ", "Wed, 21 Oct 2015 07:28:00 GMT"}) {
    EXPECT_EQ(ParseDuration(no), std::nullopt) << no;
  }
}

}  // namespace
}  // namespace zermelo::llm
