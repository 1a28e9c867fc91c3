#include "llm/dialect.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace zermelo::llm {
namespace {

using nlohmann::json;

Request Text() {
  return {.prompt = "theorem",
          .sampling = {.n = 4, .max_tokens = 100, .stop = {"\n\n"}, .seed = 7}};
}

Request AskInChat() {
  Request request = Text();
  request.prompt = std::vector<Message>{{.role = "user", .content = "Prove it."}};
  return request;
}

json Body(DialectKind kind, const Request& request, Portion portion = {.n = 4, .seed = 7},
          const std::string& extra = "") {
  return json::parse(*RequestBody(Describe(kind), "m", request, portion, extra));
}

/// The names of the fields in the request, in alphabetical order.
std::string Fields(const json& body) {
  std::string names;
  for (const auto& [name, value] : body.items()) names += (names.empty() ? "" : " ") + name;
  return names;
}

TEST(Dialect, NamesAreUnderstoodAndMisspeltOnesExplained) {
  EXPECT_EQ(ParseDialect("sglang"), DialectKind::kSglang);
  EXPECT_EQ(Describe(DialectKind::kLlamaCpp).name, std::string("llamacpp"));
  const auto misspelt = ParseDialect("vlm");
  ASSERT_FALSE(misspelt);
  EXPECT_EQ(misspelt.error().hint, "did you mean `vllm`?");
}

TEST(Dialect, OnlyFieldsThatTheServerAcceptsAreSent) {
  Request request = Text();
  request.sampling.logprobs = true;
  EXPECT_EQ(Fields(Body(DialectKind::kVllm, request)),
            "logprobs max_tokens model n prompt seed stop stream stream_options temperature top_p");
  EXPECT_EQ(Fields(Body(DialectKind::kLlamaCpp, request)),
            "logprobs max_tokens model prompt seed stop stream stream_options temperature top_p");
  EXPECT_EQ(Fields(Body(DialectKind::kGeneric, request)),
            "logprobs max_tokens model prompt seed stop stream temperature top_p");
  request.prompt = AskInChat().prompt;
  EXPECT_EQ(Fields(Body(DialectKind::kGemini, request)),
            "max_tokens messages model stop stream temperature top_p");
  EXPECT_EQ(Fields(Body(DialectKind::kOpenAi, request)),
            "logprobs max_completion_tokens messages model n seed stop stream stream_options "
            "temperature top_p");
}

TEST(Dialect, MaxTokensAreAlwaysSent) {
  EXPECT_EQ(Body(DialectKind::kOpenAi, Text())["max_tokens"], 100);
  EXPECT_EQ(Body(DialectKind::kOpenAi, AskInChat())["max_completion_tokens"], 100);
  for (const auto kind : {DialectKind::kVllm, DialectKind::kSglang, DialectKind::kLlamaCpp,
                          DialectKind::kGemini, DialectKind::kGeneric}) {
    EXPECT_EQ(Body(kind, AskInChat())["max_tokens"], 100);
  }
}

TEST(Dialect, LogprobsAreANumberForTextAndAFlagForChats) {
  Request request = Text();
  request.sampling.logprobs = true;
  EXPECT_EQ(Body(DialectKind::kVllm, request)["logprobs"], 1);
  request.prompt = AskInChat().prompt;
  EXPECT_EQ(Body(DialectKind::kVllm, request)["logprobs"], true);
}

TEST(Dialect, SeedsFitTheServer) {
  const Portion portion{.seed = 0xFFFFFFFFFFFFFFFF};
  EXPECT_EQ(Body(DialectKind::kVllm, Text(), portion)["seed"], 0x7FFFFFFFFFFFFFFF);
  EXPECT_EQ(Body(DialectKind::kLlamaCpp, Text(), portion)["seed"], 0x7FFFFFFF);
}

TEST(Dialect, AServerForChatsDoesNotCompleteText) {
  EXPECT_EQ(*RequestPath(Describe(DialectKind::kGemini), AskInChat()), "/chat/completions");
  EXPECT_EQ(*RequestPath(Describe(DialectKind::kVllm), Text()), "/completions");
  EXPECT_EQ(RequestPath(Describe(DialectKind::kGemini), Text()).error().code,
            core::ErrorCode::kUsage);
}

TEST(Dialect, ToolsAndTheirAnswersHaveOpenAisForm) {
  Request request = AskInChat();
  request.tools = {
      {.name = "search", .description = "Finds lemmas", .parameters = R"({"type": "object"})"}};
  request.prompt = std::vector<Message>{
      {.role = "assistant",
       .tool_calls = {{.id = "c1", .name = "search", .arguments = "{\"q\": 1}"}}},
      {.role = "tool", .content = "add_comm", .tool_call_id = "c1"}};
  const json body = Body(DialectKind::kVllm, request);
  EXPECT_EQ(body["tools"][0]["function"]["parameters"]["type"], "object");
  EXPECT_EQ(body["messages"][0]["content"], nullptr);
  EXPECT_EQ(body["messages"][0]["tool_calls"][0]["function"]["arguments"], "{\"q\": 1}");
  EXPECT_EQ(body["messages"][1]["tool_call_id"], "c1");
  request.tools[0].parameters = "{";
  EXPECT_FALSE(RequestBody(Describe(DialectKind::kVllm), "m", request, {}, ""));
}

TEST(Dialect, ExtraFieldsAreMergedAndNullRemovesOne) {
  const json body = Body(DialectKind::kVllm, Text(), {},
                         R"({"top_p": null, "chat_template_kwargs": {"thinking": true}})");
  EXPECT_FALSE(body.contains("top_p"));
  EXPECT_EQ(body["chat_template_kwargs"]["thinking"], true);
  EXPECT_FALSE(RequestBody(Describe(DialectKind::kVllm), "m", Text(), {}, "[1]"));
}

TEST(Dialect, TooManyStopStringsAreRefused) {
  Request request = Text();
  request.sampling.stop.assign(5, "x");
  EXPECT_TRUE(RequestBody(Describe(DialectKind::kVllm), "m", request, {}, ""));
  EXPECT_FALSE(RequestBody(Describe(DialectKind::kOpenAi), "m", request, {}, ""));
}

TEST(Dialect, AnyBytesMayBeAPrompt) {
  Request request = Text();
  request.prompt = std::string("a\xFF\0b", 4);
  EXPECT_EQ(Body(DialectKind::kVllm, request)["prompt"], std::string("a\uFFFD\0b", 6));
}

}  // namespace
}  // namespace zermelo::llm
