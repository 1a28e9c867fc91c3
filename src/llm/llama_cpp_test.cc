// The client against llama.cpp's own server, which tests/e2e/data/llama_cpp_test.py builds and
// starts.
#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>
#include <numeric>

#include "core/testing/testing.h"
#include "llm/client.h"

namespace zermelo::llm {
namespace {

using core::ErrorCode;
using core::testing::Await;
using core::testing::Generous;

class LlamaCppTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::getenv("ZERMELO_LLAMA_URL") == nullptr) {
      GTEST_SKIP() << "no llama.cpp server: tests/e2e/data/llama_cpp_test.py starts one";
    }
  }

  std::unique_ptr<Client> Make(const char* url_variable, bool stream = true) {
    ClientConfig config;
    config.name = "tiny";
    config.endpoints = {
        {.url = std::getenv(url_variable), .model = "tiny", .dialect = DialectKind::kLlamaCpp}};
    config.stream = stream;
    return Client::Create(http, std::move(config)).value();
  }
  std::unique_ptr<Client> Make(bool stream = true) { return Make("ZERMELO_LLAMA_URL", stream); }

  core::Result<Reply> Ask(Client& client, Request request) {
    CallContext call;
    call.deadline = Generous();
    return Await(io, client.Generate(std::move(request), std::move(call)));
  }
  /// One of the server's metrics, such as its number of active requests.
  int Metric(const std::string& what) {
    const std::string base = std::getenv("ZERMELO_LLAMA_URL");
    const auto reply =
        Await(io, http.Fetch({.url = base.substr(0, base.rfind("/v1")) + "/metrics"}, Generous()));
    const std::string name = "\nllamacpp:" + what + " ";
    const size_t at = reply.body.find(name);
    if (at == std::string::npos) throw std::runtime_error("no metrics: " + reply.body);
    return std::stoi(reply.body.substr(at + name.size()));
  }

  boost::asio::io_context io;
  HttpClient http{io.get_executor()};
};

constexpr int kContext = 2000;  // tokens, about the server's context size per request

Request CompleteOnServer(int n = 1, int max_tokens = 24) {
  Request request;
  request.prompt = "theorem t : 1 + 1 = 2 := by";
  request.sampling = {.n = n, .temperature = 1, .max_tokens = max_tokens, .seed = 11};
  return request;
}

Request ChatOfServer() {
  Request request = CompleteOnServer();
  std::vector<Message> turns(1);
  turns[0].role = "user";
  turns[0].content = "Prove that 1 + 1 = 2.";
  request.prompt = turns;
  return request;
}

TEST_F(LlamaCppTest, CompletesTextAndChatsStreamedAndNot) {
  for (const Request& request : {CompleteOnServer(), ChatOfServer()}) {
    const auto streamed = Ask(*Make(), request);
    ASSERT_TRUE(streamed) << streamed.error().message;
    const auto whole = Ask(*Make(false), request);
    ASSERT_TRUE(whole) << whole.error().message;
    EXPECT_EQ(streamed->completions, whole->completions);
    EXPECT_EQ(streamed->completions[0].finish, FinishReason::kLength);
    EXPECT_EQ(streamed->completions[0].text.size(), 24u) << "a token is a character";
    for (const auto& reply : {*streamed, *whole}) {
      EXPECT_EQ(reply.usage.completion_tokens, 24);
      EXPECT_GT(reply.usage.prompt_tokens, 10);
      EXPECT_FALSE(reply.usage.estimated);
    }
  }
}

TEST_F(LlamaCppTest, SeveralCompletionsHaveTheirOwnSeeds) {
  const auto reply = Ask(*Make(), CompleteOnServer(4));
  ASSERT_TRUE(reply) << reply.error().message;
  ASSERT_EQ(reply->completions.size(), 4u);
  for (size_t i = 0; i < 4; ++i) {
    for (size_t j = 0; j < i; ++j) {
      EXPECT_NE(reply->completions[i].text, reply->completions[j].text);
    }
    Request alone = CompleteOnServer();
    *alone.sampling.seed += i;
    const auto again = Ask(*Make(), alone);
    ASSERT_TRUE(again);
    EXPECT_EQ(again->completions[0].text, reply->completions[i].text);
  }
}

TEST_F(LlamaCppTest, StopsAtAStopString) {
  const auto whole = Ask(*Make(), CompleteOnServer());
  ASSERT_TRUE(whole);
  const std::string& text = whole->completions[0].text;
  Request request = CompleteOnServer();
  request.sampling.stop = {text.substr(10, 2)};
  const auto reply = Ask(*Make(), request);
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(reply->completions[0].finish, FinishReason::kStop);
  EXPECT_EQ(reply->completions[0].text, text.substr(0, text.find(text.substr(10, 2))));
}

TEST_F(LlamaCppTest, ReturnsLogprobs) {
  for (Request request : {CompleteOnServer(), ChatOfServer()}) {
    request.sampling.logprobs = true;
    for (const bool stream : {true, false}) {
      const auto reply = Ask(*Make(stream), request);
      ASSERT_TRUE(reply) << reply.error().message;
      const Completion& completion = reply->completions[0];
      ASSERT_EQ(completion.logprobs.size(), 24u);
      std::string text;
      for (const auto& [token, logprob] : completion.logprobs) {
        text += token;
        EXPECT_LE(logprob, 0);
        EXPECT_TRUE(std::isfinite(logprob));
      }
      EXPECT_EQ(text, completion.text);
    }
  }
}

TEST_F(LlamaCppTest, EmbedsTexts) {
  const auto client = Make("ZERMELO_LLAMA_EMBEDDINGS_URL");
  CallContext call;
  call.deadline = Generous();
  const std::vector<std::string> texts{"a", "a longer text", "a"};
  const auto reply = Await(io, client->Embed(texts, std::move(call)));
  ASSERT_TRUE(reply) << reply.error().message;
  ASSERT_EQ(reply->vectors.size(), 3u);
  for (const auto& vector : reply->vectors) {
    ASSERT_EQ(vector.size(), 32u);
    EXPECT_NEAR(std::inner_product(vector.begin(), vector.end(), vector.begin(), 0.0), 1, 1e-3);
  }
  EXPECT_NE(reply->vectors[0], reply->vectors[1]);
  for (size_t i = 0; i < 32; ++i) EXPECT_NEAR(reply->vectors[0][i], reply->vectors[2][i], 1e-4);
  EXPECT_GT(reply->usage.prompt_tokens, 3);
}

TEST_F(LlamaCppTest, ACancelledRequestFreesTheServerAtOnce) {
  const auto client = Make();
  core::Cancellation cancellation;
  CallContext call;
  call.deadline = Generous();
  call.cancellation = &cancellation;
  const int before = Metric("tokens_predicted_total");
  auto running =
      core::testing::Started(io, client->Generate(CompleteOnServer(4, kContext), std::move(call)));
  while (Metric("requests_processing") == 0) io.run_for(std::chrono::milliseconds(5));
  cancellation.Request();
  const auto reply = running.Get();
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, ErrorCode::kCancelled);
  const auto hang = core::Deadline::After(core::testing::kHang);
  while (Metric("requests_processing") > 0 && !hang.Passed()) {
    io.run_for(std::chrono::milliseconds(5));
  }
  EXPECT_EQ(Metric("requests_processing"), 0);
  EXPECT_LT(Metric("tokens_predicted_total") - before, 2 * kContext) << "generation has stopped";
}

TEST_F(LlamaCppTest, APromptThatIsTooLongIsRefusedPermanently) {
  Request request = CompleteOnServer();
  request.prompt = std::string(5000, 'x');
  const auto reply = Ask(*Make(), request);
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, ErrorCode::kTooLong);
  EXPECT_NE(reply.error().message.find("context"), std::string::npos) << reply.error().message;
}

TEST_F(LlamaCppTest, ListsItsModel) {
  CallContext call;
  call.deadline = Generous();
  const auto models = Await(io, Make()->ListModels(0, std::move(call)));
  ASSERT_TRUE(models) << models.error().message;
  ASSERT_EQ(models->size(), 1u);
  EXPECT_EQ(models->front().id, "tiny");
}

}  // namespace
}  // namespace zermelo::llm
