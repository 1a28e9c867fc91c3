#include "llm/client.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>

#include "llm/testing/sim_model.h"

namespace zermelo::llm {
namespace {

using core::Deadline;
using core::ErrorCode;
using core::Result;
using core::testing::Await;
using core::testing::Generous;
using core::testing::Soon;
using core::testing::Started;
using nlohmann::json;
using std::chrono::milliseconds;

constexpr const char* kPrompt =
    "```lean4\ntheorem reverse_twice (xs : List Nat) : xs.reverse.reverse = xs := by\n";
constexpr const char* kLongPrompt =
    "```lean4\ntheorem bool_and_comm (a b : Bool) : (a && b) = (b && a) := by\n";

Request Complete(int n = 1, const std::string& prompt = kPrompt) {
  return {.prompt = prompt, .sampling = {.n = n, .max_tokens = 200, .seed = 7}};
}
Request Chat(int n = 1) {
  Request request = Complete(n);
  request.prompt = std::vector<Message>{{.role = "user", .content = kPrompt}};
  return request;
}

std::vector<std::string> Texts(const Reply& reply) {
  std::vector<std::string> texts;
  for (const auto& completion : reply.completions) texts.push_back(completion.text);
  return texts;
}

/// How each request of a log ended, in order.
std::vector<std::string> Ends(const json& log) {
  std::vector<std::string> ends;
  for (const auto& entry : log) ends.push_back(entry.at("end"));
  return ends;
}
bool ClosedByUs(const json& log) {
  return !log.empty() && std::all_of(log.begin(), log.end(), [](const json& e) {
    return e.at("end") == "closed by the client";
  });
}

class ClientTest : public testing::SimModelTest {
 protected:
  static EndpointConfig To(const Server& server, DialectKind dialect = DialectKind::kVllm) {
    return {.url = server.Url(), .model = "sim", .dialect = dialect};
  }
  static ClientConfig Config(std::vector<EndpointConfig> endpoints) {
    ClientConfig config{.name = "prover", .endpoints = std::move(endpoints)};
    config.retry.first_delay = milliseconds(5);
    config.retry.max_delay = milliseconds(200);
    return config;
  }
  std::unique_ptr<Client> Make(ClientConfig config) {
    auto client = Client::Create(http, std::move(config));
    if (!client) throw std::runtime_error(client.error().message);
    return std::move(*client);
  }
  std::unique_ptr<Client> Make(const Server& server, DialectKind dialect = DialectKind::kVllm) {
    return Make(Config({To(server, dialect)}));
  }
  Result<Reply> Ask(Client& client, Request request,
                    CallContext context = {.deadline = Generous()}) {
    return Await(io, client.Generate(std::move(request), std::move(context)));
  }
};

// ---- requests and replies

TEST_F(ClientTest, CompletesText) {
  auto server = Start();
  auto client = Make(server);
  const auto reply = Ask(*client, Complete());
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(Texts(*reply), std::vector<std::string>{"  simp\n```\n"});
  EXPECT_EQ(reply->completions[0].finish, FinishReason::kStop);
  EXPECT_EQ(reply->model, "sim");
  EXPECT_EQ(reply->attempts, 1);
  EXPECT_FALSE(reply->usage.estimated);
  EXPECT_GT(reply->usage.prompt_tokens, 10);
  EXPECT_EQ(client->name(), "prover");
}

TEST_F(ClientTest, TheSameAnswerStreamedAndNot) {
  auto server = Start({"--spoil", "0.5", "--reasoning", "reasoning_content"});
  for (const Request& request : {Complete(4), Chat(4)}) {
    Request asked = request;
    asked.sampling.logprobs = true;
    auto config = Config({To(server)});
    const auto streamed = Ask(*Make(config), asked);
    config.stream = false;
    const auto whole = Ask(*Make(config), asked);
    ASSERT_TRUE(streamed && whole);
    EXPECT_EQ(streamed->completions, whole->completions);
    EXPECT_EQ(streamed->usage, whole->usage);
    EXPECT_FALSE(streamed->completions[0].logprobs.empty());
  }
}

TEST_F(ClientTest, EveryDialectGivesTheSameAnswers) {
  auto server = Start({"--spoil", "0.5"});
  const auto expected = Ask(*Make(server), Chat(4));
  ASSERT_EQ(expected->completions.size(), 4u);
  for (const auto kind : {DialectKind::kSglang, DialectKind::kLlamaCpp, DialectKind::kOpenAi,
                          DialectKind::kGeneric}) {
    const auto reply = Ask(*Make(server, kind), Chat(4));
    ASSERT_TRUE(reply) << reply.error().message;
    EXPECT_EQ(reply->completions, expected->completions) << Describe(kind).name;
    EXPECT_EQ(reply->usage.estimated, !Describe(kind).stream_usage);
    EXPECT_EQ(reply->attempts, Describe(kind).n ? 1 : 4);
  }
}

TEST_F(ClientTest, GeminiIsSentOnlyKnownFields) {
  auto server =
      Start({"--refuse", "seed", "--refuse", "n", "--refuse", "stream_options", "--no-usage"});
  const auto reply = Ask(*Make(server, DialectKind::kGemini), Chat(2));
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(reply->completions.size(), 2u);
  EXPECT_EQ(Ask(*Make(server, DialectKind::kGemini), Complete()).error().code, ErrorCode::kUsage);
  EXPECT_EQ(Ask(*Make(server), Chat()).error().code, ErrorCode::kUsage)
      << "refused with the dialect vllm";
}

TEST_F(ClientTest, StopMaxTokensAndSeedAreHonoured) {
  auto server = Start({"--spoil", "0.5"});
  auto client = Make(server);
  Request request = Complete(1, kLongPrompt);
  request.sampling.max_tokens = 3;
  EXPECT_EQ(Ask(*client, request)->completions[0].finish, FinishReason::kLength);
  request.sampling.max_tokens = 200;
  request.sampling.stop = {"\n"};
  EXPECT_EQ(Texts(*Ask(*client, request))[0].find('\n'), std::string::npos);
  request.sampling.stop = {};
  const auto first = Ask(*client, request);
  EXPECT_EQ(first->completions, Ask(*client, request)->completions);
  request.sampling.seed = 8;
  EXPECT_NE(first->completions, Ask(*client, request)->completions);
}

TEST_F(ClientTest, ToolsAreCalledAndAnswered) {
  auto server = Start();
  auto client = Make(server);
  Request request = Chat();
  request.tools = {{.name = "search", .description = "Finds lemmas", .parameters = "{}"}};
  const auto reply = Ask(*client, request);
  ASSERT_TRUE(reply) << reply.error().message;
  const Completion& called = reply->completions[0];
  EXPECT_EQ(called.finish, FinishReason::kToolCalls);
  ASSERT_EQ(called.tool_calls.size(), 1u);
  EXPECT_EQ(called.tool_calls[0].name, "search");
  EXPECT_EQ(json::parse(called.tool_calls[0].arguments).at("query"), kPrompt);
  auto& turns = std::get<std::vector<Message>>(request.prompt);
  turns.push_back({.role = "assistant", .tool_calls = called.tool_calls});
  turns.push_back({.role = "tool", .content = kPrompt, .tool_call_id = called.tool_calls[0].id});
  EXPECT_EQ(Ask(*client, request)->completions[0].finish, FinishReason::kStop);
}

TEST_F(ClientTest, ReasoningIsKeptApartUnderBothItsNames) {
  for (const char* field : {"reasoning", "reasoning_content"}) {
    auto server = Start({"--reasoning", field});
    const auto reply = Ask(*Make(server), Chat());
    EXPECT_TRUE(reply->completions[0].reasoning.starts_with("The goal looks")) << field;
    EXPECT_TRUE(reply->completions[0].text.starts_with("Here is a proof."));
  }
}

TEST_F(ClientTest, UsageIsEstimatedWhenTheServerReportsNone) {
  auto server = Start({"--no-usage"});
  const auto reply = Ask(*Make(server), Complete(2, kLongPrompt));
  EXPECT_TRUE(reply->usage.estimated);
  EXPECT_GT(reply->usage.prompt_tokens, 10);
  EXPECT_GT(reply->usage.completion_tokens, 40);
}

TEST_F(ClientTest, CompletionsAreAnnouncedAsTheyArrive) {
  auto server = Start({"--token-delay", "0.005"});
  auto client = Make(server, DialectKind::kGeneric);
  server.Inject({"", "stall"});
  core::Cancellation cancellation;
  std::vector<Completion> told;
  CallContext context{.deadline = Generous(), .cancellation = &cancellation};
  context.on_completion = [&](const Completion& completion) {
    told.push_back(completion);
    cancellation.Request();  // the first proof is enough
  };
  EXPECT_EQ(Ask(*client, Complete(2), context).error().code, ErrorCode::kCancelled);
  EXPECT_EQ(told.size(), 1u) << "while the other request hangs";
  server.LogWhen(
      [](const json& log) { return log.size() == 2 && log[1]["end"] == "closed by the client"; });
}

TEST_F(ClientTest, Embeds) {
  auto server = Start();
  auto config = Config({To(server)});
  config.max_embedding_batch = 2;
  auto client = Make(config);
  const auto all = Await(io, client->Embed({"a", "b", "c"}, {.deadline = Generous()}));
  ASSERT_TRUE(all) << all.error().message;
  ASSERT_EQ(all->vectors.size(), 3u);
  EXPECT_EQ(all->usage.prompt_tokens, 3);
  EXPECT_EQ(server.Log().size(), 2u);
  const auto last = Await(io, client->Embed({"c"}, {.deadline = Generous()}));
  EXPECT_EQ(last->vectors[0], all->vectors[2]);
}

TEST_F(ClientTest, ListsModels) {
  auto server = Start({"--model", "prover-7b", "--context", "4096"});
  auto client = Make(server);
  const auto models = Await(io, client->ListModels(0, {.deadline = Generous()}));
  ASSERT_EQ(models->size(), 1u);
  EXPECT_EQ(models->front().id, "prover-7b");
  EXPECT_EQ(models->front().context, 4096);
  EXPECT_EQ(Ask(*client, Complete()).error().code, ErrorCode::kUsage) << "sim is not there";
}

// ---- stopping early

TEST_F(ClientTest, ACompletionIsCutAtItsFenceAndTheRequestCancelled) {
  auto server = Start({"--token-delay", "0.005"});
  auto client = Make(server);
  Request request = Complete();
  request.stop_at_fence = request.fence_is_open = true;
  const auto reply = Ask(*client, request);
  EXPECT_EQ(Texts(*reply), std::vector<std::string>{"  simp\n```"});
  EXPECT_EQ(reply->completions[0].finish, FinishReason::kFence);

  Request chat = Chat(3);
  chat.stop_at_fence = true;
  const auto chats = Ask(*client, chat);
  for (const auto& completion : chats->completions) {
    EXPECT_TRUE(completion.text.ends_with("simp\n```")) << completion.text;
    EXPECT_EQ(completion.finish, FinishReason::kFence);
  }
  const auto log = server.LogWhen([](const json& log) { return Ends(log).size() == 4; });
  for (size_t i = 1; i < 4; ++i) EXPECT_EQ(log[i]["end"], "closed by the client") << "one by one";
}

TEST_F(ClientTest, WherePromptsAreExpensiveCompletionsAreCutTogether) {
  auto server = Start({"--token-delay", "0.002"});
  Request chat = Chat(3);
  chat.stop_at_fence = true;
  const auto reply = Ask(*Make(server, DialectKind::kOpenAi), chat);
  EXPECT_EQ(reply->attempts, 1);
  for (const auto& completion : reply->completions)
    EXPECT_EQ(completion.finish, FinishReason::kFence);
  EXPECT_GT(reply->usage.completion_tokens, 30);
}

TEST_F(ClientTest, CancellationFreesTheConnectionsAtOnce) {
  auto server = Start({"--token-delay", "0.05"});
  auto client = Make(server, DialectKind::kGeneric);
  core::Cancellation cancellation;
  Usage lost;
  CallContext context{.deadline = Generous(), .cancellation = &cancellation};
  context.on_lost_usage = [&](const Usage& usage) { lost = usage; };
  Started<Result<Reply>> call(io, client->Generate(Complete(8, kLongPrompt), context));
  server.LogWhen([](const json& log) { return log.size() == 8 && log[7]["tokens"] > 0; });
  const auto begin = core::Clock::now();
  cancellation.Request();
  server.LogWhen(ClosedByUs);
  EXPECT_LT(core::Clock::now() - begin, std::chrono::seconds(2));
  EXPECT_EQ(server.Connections(), 0);
  EXPECT_EQ(call.Get().error().code, ErrorCode::kCancelled);
  EXPECT_GT(lost.completion_tokens, 0) << "what was paid for is still reported";
}

TEST_F(ClientTest, PartialRepliesAreKeptAtTheDeadline) {
  auto server = Start();
  server.Inject({"half-stall"});
  const auto reply =
      Ask(*Make(server), Complete(2), {.deadline = Deadline::After(milliseconds(2000))});
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(reply->completions[0].finish, FinishReason::kBroken);
  server.LogWhen(ClosedByUs);
  server.Inject({"stall"});
  EXPECT_EQ(Ask(*Make(server), Complete(), {.deadline = Soon()}).error().code, ErrorCode::kTimeout);
}

// ---- limits

TEST_F(ClientTest, NoMoreRequestsInFlightThanAllowed) {
  auto server = Start({"--delay", "0.1"});
  auto config = Config({To(server, DialectKind::kGeneric)});
  config.endpoints[0].limits.concurrency = 3;
  auto client = Make(config);
  Started<Result<Reply>> call(io, client->Generate(Complete(9), {.deadline = Generous()}));
  int most = 0;
  while (!call.done()) most = std::max(most, server.Connections());
  EXPECT_EQ(call.Get()->completions.size(), 9u);
  EXPECT_EQ(most, 3);
}

TEST_F(ClientTest, NoMoreRequestsPerMinuteThanAllowed) {
  auto server = Start();
  auto config = Config({To(server, DialectKind::kGeneric)});
  config.endpoints[0].limits.requests_per_minute = 2;
  const auto reply =
      Ask(*Make(config), Complete(3), {.deadline = Deadline::After(milliseconds(2000))});
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(reply->completions.size(), 2u);
  EXPECT_EQ(server.Log().size(), 2u);
}

// ---- faults

TEST_F(ClientTest, EveryTransientFaultIsRetried) {
  auto server = Start({"--spoil", "0.5"});
  auto client = Make(server);
  const auto expected = Ask(*client, Complete(3));
  for (const char* fault : {"408",
                            "409",
                            "425",
                            "429",
                            "429:0.05",
                            "429-array:50ms",
                            "429-reset:50ms",
                            "500",
                            "502",
                            "503",
                            "reset",
                            "close",
                            "empty",
                            "html",
                            "error-200",
                            "array-200",
                            "invalid-json",
                            "wrong-types",
                            "empty-choices",
                            "no-choices"}) {
    server.Inject({fault, fault});
    const auto reply = Ask(*client, Complete(3));
    ASSERT_TRUE(reply) << fault << ": " << reply.error().message;
    EXPECT_EQ(reply->completions, expected->completions) << fault;
    EXPECT_EQ(reply->usage, expected->usage) << fault << ": nothing is paid for twice";
  }
}

TEST_F(ClientTest, FaultsOfUnstreamedRepliesAreRetried) {
  auto server = Start();
  auto config = Config({To(server)});
  config.stream = false;
  auto client = Make(config);
  for (const char* fault :
       {"half", "invalid-json", "wrong-types", "empty-choices", "html", "error-200"}) {
    server.Inject({fault, fault});
    const auto reply = Ask(*client, Complete(2));
    ASSERT_TRUE(reply) << fault << ": " << reply.error().message;
    EXPECT_EQ(reply->completions.size(), 2u);
    EXPECT_EQ(reply->attempts, 3);
  }
}

TEST_F(ClientTest, ARefusalIsNotRetried) {
  auto server = Start();
  auto client = Make(server);
  for (const char* fault : {"400", "401", "404", "fastapi-422", "429-quota"}) {
    const size_t before = server.Log().size();
    server.Inject({fault});
    const auto reply = Ask(*client, Complete());
    ASSERT_FALSE(reply) << fault;
    const bool is_refused = std::string_view(fault) == "400";
    EXPECT_EQ(reply.error().code, is_refused ? ErrorCode::kRefused : ErrorCode::kUsage) << fault;
    EXPECT_EQ(server.Log().size(), before + 1) << fault;
  }
}

TEST_F(ClientTest, OneRefusalEndsTheOtherRequestsOfTheCall) {
  auto server = Start();
  server.Inject({"stall", "400"});
  EXPECT_EQ(Ask(*Make(server, DialectKind::kGeneric), Complete(2)).error().code,
            ErrorCode::kRefused);
}

TEST_F(ClientTest, AServerThatStaysDownIsAnEnvironmentError) {
  std::unique_ptr<Client> client;
  {
    auto server = Start();
    client = Make(server);
  }
  const auto reply = Ask(*client, Complete());
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, ErrorCode::kEnvironment);
  EXPECT_EQ(reply.error().hint, "check that the model server is running at this address");
}

TEST_F(ClientTest, AServerThatIsDownForAWhileIsWaitedFor) {
  auto server = Start();
  server.Inject({"refused"});
  const auto reply = Ask(*Make(server), Complete());
  EXPECT_TRUE(reply) << reply.error().message;
}

TEST_F(ClientTest, RetryAfterIsObeyed) {
  auto server = Start();
  server.Inject({"429:0.4"});
  const auto reply = Ask(*Make(server), Complete());
  EXPECT_EQ(reply->attempts, 2);
  EXPECT_GE(reply->seconds, 0.4);
}

TEST_F(ClientTest, PartsOfABrokenStreamAreKeptAndNotRequestedAgain) {
  auto server = Start();
  auto client = Make(server);
  const std::string whole = Texts(*Ask(*client, Complete(1, kLongPrompt)))[0];
  for (const char* fault : {"half", "half-garbage"}) {
    const size_t before = server.Log().size();
    server.Inject({fault});
    int told = 0;
    CallContext context{.deadline = Generous()};
    context.on_completion = [&](const Completion&) { ++told; };
    const auto reply = Ask(*client, Complete(2, kLongPrompt), context);
    ASSERT_TRUE(reply) << reply.error().message;
    ASSERT_EQ(reply->completions.size(), 2u);
    for (const auto& completion : reply->completions) {
      EXPECT_EQ(completion.finish, FinishReason::kBroken);
      EXPECT_TRUE(whole.starts_with(completion.text)) << completion.text;
      EXPECT_FALSE(completion.text.empty());
    }
    EXPECT_EQ(told, 0) << "they are not whole";
    EXPECT_EQ(reply->attempts, 1);
    EXPECT_EQ(server.Log().size(), before + 1);
    EXPECT_FALSE(reply->usage.estimated) << "vLLM reports usage with each token";
    EXPECT_EQ(reply->usage.completion_tokens, server.Log().back().at("tokens"));
  }
}

TEST_F(ClientTest, TheCostOfABrokenStreamIsEstimatedIfReportedOnlyAtItsEnd) {
  auto server = Start();
  server.Inject({"half"});
  const auto reply = Ask(*Make(server, DialectKind::kOpenAi), Complete(1, kLongPrompt));
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_TRUE(reply->usage.estimated);
  EXPECT_GT(reply->usage.completion_tokens, 0);
}

TEST_F(ClientTest, MissingCompletionsAreRequestedAgain) {
  auto server = Start({"--spoil", "0.5"});
  const auto expected = Ask(*Make(server), Complete(5));
  auto config = Config({To(server)});
  config.endpoints[0].extra_body = R"({"n": 2})";
  const auto reply = Ask(*Make(config), Complete(5));
  EXPECT_EQ(reply->completions, expected->completions);
  EXPECT_EQ(reply->attempts, 3);
}

TEST_F(ClientTest, AServerMayIgnoreStreaming) {
  auto server = Start();
  auto config = Config({To(server)});
  config.endpoints[0].extra_body = R"({"stream": false})";
  EXPECT_EQ(Texts(*Ask(*Make(config), Complete())), std::vector<std::string>{"  simp\n```\n"});
}

/// Like a policy: requests broken completions again, with the same seeds.
std::multiset<std::string> Persistently(const std::function<Result<Reply>(Request)>& ask,
                                        const Request& request) {
  std::multiset<std::string> proofs;
  const uint64_t seed = *request.sampling.seed;
  for (int i = 0; i < request.sampling.n; ++i) {
    Request one = request;
    one.sampling.n = 1;
    one.sampling.seed = seed + static_cast<uint64_t>(i);
    for (;;) {
      const auto reply = ask(one);
      if (!reply) throw std::runtime_error(reply.error().message);
      if (reply->completions[0].finish == FinishReason::kBroken) continue;
      proofs.insert(reply->completions[0].text);
      break;
    }
  }
  return proofs;
}

TEST_F(ClientTest, WithFaultsInAThirdOfTheRepliesTheAnswersAreTheSame) {
  std::vector<std::string> options = {"--spoil", "0.5"};
  auto calm = Start(options);
  for (const char* fault :
       {"429", "429:0.05", "500", "503", "refused", "reset", "half", "half-garbage", "invalid-json",
        "wrong-types", "empty-choices", "error-200", "html"}) {
    options.insert(options.end(), {"--fault", std::string(fault) + "=0.026"});
  }
  auto stormy = Start(options);
  auto calm_client = Make(calm);
  auto stormy_client = Make(stormy);
  for (uint64_t seed = 0; seed < 40; ++seed) {
    Request request = Complete(4, seed % 2 == 0 ? kPrompt : kLongPrompt);
    request.sampling.seed = 100 * seed;
    const auto ask = [&](Client& client) {
      return Persistently([&](Request r) { return Ask(client, std::move(r)); }, request);
    };
    ASSERT_EQ(ask(*stormy_client), ask(*calm_client)) << "seed " << seed;
  }
  const auto log = stormy.Log();
  const auto faults = std::count_if(log.begin(), log.end(), [](const json& e) {
    return !e["fault"].get_ref<const std::string&>().empty();
  });
  EXPECT_GT(faults * 4, static_cast<std::ptrdiff_t>(log.size())) << "of " << log.size();
}

// ---- several endpoints

TEST_F(ClientTest, WhenOneEndpointIsDownTheOtherServes) {
  auto up = Start();
  EndpointConfig down = To(up);
  down.url = "http://127.0.0.1:1/v1";
  auto client = Make(Config({down, To(up)}));
  for (int i = 0; i < 5; ++i) {
    const auto reply = Ask(*client, Complete());
    ASSERT_TRUE(reply) << reply.error().message;
    EXPECT_LE(reply->attempts, i == 0 ? 2 : 1) << "the one that is down is avoided";
  }
}

TEST_F(ClientTest, AFailedRequestGoesToTheOtherEndpoint) {
  auto first = Start();
  auto second = Start();
  auto client = Make(Config({To(first), To(second)}));
  first.Inject({"500"});
  second.Inject({"500"});
  const auto reply = Ask(*client, Complete());
  EXPECT_EQ(reply->attempts, 3);
  EXPECT_EQ(first.Log().size() + second.Log().size(), 3u);
  EXPECT_GE(std::min(first.Log().size(), second.Log().size()), 1u);
}

TEST_F(ClientTest, RequestsAreSpreadOverTheEndpoints) {
  auto first = Start({"--delay", "0.05"});
  auto second = Start({"--delay", "0.05"});
  auto client = Make(Config({To(first, DialectKind::kGeneric), To(second, DialectKind::kGeneric)}));
  EXPECT_EQ(Ask(*client, Complete(10))->completions.size(), 10u);
  EXPECT_EQ(first.Log().size(), 5u);
}

// ---- configuration

TEST_F(ClientTest, TheKeyAndHeadersComeFromTheEnvironment) {
  auto server = Start({"--key", "secret"});
  auto config = Config({To(server)});
  config.endpoints[0].key_variable = "ZERMELO_TEST_KEY";
  config.endpoints[0].headers = {"X-Project: ${ZERMELO_TEST_KEY}-1"};
  ::unsetenv("ZERMELO_TEST_KEY");
  EXPECT_EQ(Client::Create(http, config).error().message,
            "model prover: the environment variable ZERMELO_TEST_KEY is not set");
  ::setenv("ZERMELO_TEST_KEY", "wrong", 1);
  const auto refused = Ask(*Make(config), Complete());
  EXPECT_EQ(refused.error().code, ErrorCode::kUsage);
  EXPECT_EQ(refused.error().message.find("wrong"), std::string::npos) << "the key is never shown";
  ::setenv("ZERMELO_TEST_KEY", "secret", 1);
  EXPECT_TRUE(Ask(*Make(config), Complete()));
  EXPECT_EQ(server.Log().back().at("headers").at("x-project"), "secret-1");
  ::setenv("ZERMELO_TEST_KEY", "two\r\nlines", 1);
  EXPECT_EQ(Client::Create(http, config).error().code, ErrorCode::kUsage);
  ::unsetenv("ZERMELO_TEST_KEY");
}

TEST_F(ClientTest, ACustomCertificateAuthorityIsTrusted) {
  auto server = Start({"--tls"});
  auto config = Config({To(server)});
  EXPECT_EQ(Ask(*Make(config), Complete()).error().code, ErrorCode::kEnvironment);
  config.endpoints[0].ca_file = server.certificate();
  EXPECT_TRUE(Ask(*Make(config), Complete()));
  config.endpoints[0].ca_file = "/no/such/file";
  EXPECT_EQ(Client::Create(http, config).error().code, ErrorCode::kInput);
}

TEST_F(ClientTest, ABadConfigurationIsRefusedAtTheStart) {
  EXPECT_EQ(Client::Create(http, Config({})).error().code, ErrorCode::kUsage);
  EXPECT_EQ(Client::Create(http, Config({{.url = "localhost:8000"}})).error().code,
            ErrorCode::kUsage);
  EXPECT_EQ(
      Client::Create(http, Config({{.url = "http://h", .headers = {"no header"}}})).error().code,
      ErrorCode::kUsage);
}

}  // namespace
}  // namespace zermelo::llm
