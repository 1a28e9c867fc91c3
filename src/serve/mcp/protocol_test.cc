#include "serve/mcp/protocol.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

#include "core/testing/testing.h"
#include "serve/testing/fake_tools.h"

namespace zermelo::serve::mcp {
namespace {

using core::testing::Await;
using nlohmann::json;
using testing::FakeTools;
using ::testing::HasSubstr;
using testing::Legacy;
using testing::Modern;

class McpProtocolTest : public ::testing::Test {
 protected:
  json Ask(const json& request) {
    auto message = ReadMessage(request.dump());
    EXPECT_TRUE(message);
    const auto version = VersionOf(*message);
    EXPECT_TRUE(version);
    return Await(io, protocol.Answer(*message, version->has_value(), cancellation));
  }
  static int RefusalOf(const std::string& text) {
    const auto message = ReadMessage(text);
    return message ? 0 : message.error().code;
  }

  boost::asio::io_context io;
  core::Cancellation cancellation;
  FakeTools tools{io.get_executor()};
  Protocol protocol{tools, "1.2"};
};

TEST_F(McpProtocolTest, RefusesInvalidMessagesWithTheStandardCodes) {
  EXPECT_EQ(RefusalOf(""), kParseError);
  EXPECT_EQ(RefusalOf("{"), kParseError);
  EXPECT_EQ(RefusalOf("\xff\xfe"), kParseError);
  EXPECT_EQ(RefusalOf(std::string(100'000, '[')), kParseError);
  EXPECT_EQ(RefusalOf("[]"), kInvalidRequest) << "no supported revision has batches";
  EXPECT_EQ(RefusalOf("7"), kInvalidRequest);
  EXPECT_EQ(RefusalOf("{}"), kInvalidRequest);
  EXPECT_EQ(RefusalOf(R"({"jsonrpc":"1.0","id":1,"method":"ping"})"), kInvalidRequest);
  EXPECT_EQ(RefusalOf(R"({"jsonrpc":"2.0","id":1})"), kInvalidRequest);
  EXPECT_EQ(RefusalOf(R"({"jsonrpc":"2.0","id":1,"method":7})"), kInvalidRequest);
  EXPECT_EQ(RefusalOf(R"({"jsonrpc":"2.0","id":null,"method":"ping"})"), kInvalidRequest);
  EXPECT_EQ(RefusalOf(R"({"jsonrpc":"2.0","id":1.5,"method":"ping"})"), kInvalidRequest);
  EXPECT_EQ(RefusalOf(R"({"jsonrpc":"2.0","id":{},"method":"ping"})"), kInvalidRequest);
  EXPECT_EQ(RefusalOf(R"({"jsonrpc":"2.0","id":1,"method":"ping","params":[1]})"), kInvalidRequest);
}

TEST_F(McpProtocolTest, AnErrorHasTheMessagesIdIfItCanBeRead) {
  EXPECT_EQ(ReadMessage(R"({"jsonrpc":"2.0","id":"a","method":7})").error().id, "a");
  EXPECT_TRUE(ReadMessage("{").error().id.is_null());
}

TEST_F(McpProtocolTest, DistinguishesRequestsNotificationsAndResponses) {
  EXPECT_EQ(ReadMessage(R"({"jsonrpc":"2.0","id":1,"method":"m"})")->kind,
            RpcMessage::Kind::kRequest);
  EXPECT_EQ(ReadMessage(R"({"jsonrpc":"2.0","method":"m"})")->kind,
            RpcMessage::Kind::kNotification);
  EXPECT_EQ(ReadMessage(R"({"jsonrpc":"2.0","id":1,"result":{}})")->kind,
            RpcMessage::Kind::kResponse);
}

TEST_F(McpProtocolTest, InitializeAgreesOnAVersion) {
  for (const char* version : {"2025-11-25", "2025-06-18"}) {
    const json answer = Ask(Legacy(1, "initialize", {{"protocolVersion", version}}));
    EXPECT_EQ(answer["result"]["protocolVersion"], version);
  }
  for (const json& other : {json("2024-11-05"), json("2026-07-28"), json(7), json()}) {
    const json answer = Ask(Legacy(1, "initialize", {{"protocolVersion", other}}));
    EXPECT_EQ(answer["result"]["protocolVersion"], "2025-11-25") << other;
  }
  const json answer = Ask(Legacy("x", "initialize"));
  EXPECT_EQ(answer["id"], "x");
  EXPECT_EQ(answer["result"]["serverInfo"]["name"], "zermelo");
  EXPECT_EQ(answer["result"]["serverInfo"]["version"], "1.2");
  EXPECT_EQ(answer["result"]["instructions"], "use them");
  EXPECT_TRUE(answer["result"]["capabilities"]["tools"].is_object());
  EXPECT_FALSE(answer["result"].contains("resultType"));
}

TEST_F(McpProtocolTest, DiscoverReturnsTheSupportedVersions) {
  const json result = Ask(Modern(1, "server/discover"))["result"];
  EXPECT_EQ(result["supportedVersions"], json({"2026-07-28", "2025-11-25", "2025-06-18"}));
  EXPECT_EQ(result["resultType"], "complete");
  EXPECT_EQ(result["cacheScope"], "public");
  EXPECT_GT(result["ttlMs"], 0);
  EXPECT_EQ(result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "zermelo");
}

TEST_F(McpProtocolTest, EachRevisionHasItsOwnMethods) {
  EXPECT_EQ(Ask(Legacy(1, "ping"))["result"], json::object());
  EXPECT_EQ(Ask(Modern(1, "ping"))["error"]["code"], kMethodNotFound);
  EXPECT_EQ(Ask(Modern(1, "initialize"))["error"]["code"], kMethodNotFound);
  EXPECT_EQ(Ask(Legacy(1, "server/discover"))["error"]["code"], kMethodNotFound);
  EXPECT_EQ(Ask(Modern(1, "resources/list"))["error"]["code"], kMethodNotFound);
}

TEST_F(McpProtocolTest, TheErrorForAnUnsupportedVersionListsTheSupportedOnes) {
  json request = Modern(1, "tools/list");
  request["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = "1900-01-01";
  const auto version = VersionOf(*ReadMessage(request.dump()));
  ASSERT_FALSE(version);
  EXPECT_EQ(version.error().code, kUnsupportedProtocolVersion);
  EXPECT_EQ(version.error().data["requested"], "1900-01-01");
  EXPECT_EQ(version.error().data["supported"][0], "2026-07-28");
}

TEST_F(McpProtocolTest, RefusesIncompleteMetadata) {
  for (const char* name : {"protocolVersion", "clientCapabilities"}) {
    json request = Modern(1, "tools/list");
    request["params"]["_meta"].erase(std::string("io.modelcontextprotocol/") + name);
    const auto version = VersionOf(*ReadMessage(request.dump()));
    ASSERT_FALSE(version) << name;
    EXPECT_EQ(version.error().code, kInvalidParams);
    EXPECT_THAT(version.error().message, HasSubstr(name));
  }
}

TEST_F(McpProtocolTest, ToolsAreListedInBothRevisions) {
  EXPECT_EQ(Ask(Legacy(1, "tools/list"))["result"], (json{{"tools", tools.List()}}));
  const json modern = Ask(Modern(1, "tools/list"))["result"];
  EXPECT_EQ(modern["tools"], tools.List());
  EXPECT_EQ(modern["cacheScope"], "public");
  EXPECT_EQ(Ask(Legacy(1, "tools/list", {{"cursor", "x"}}))["error"]["code"], kInvalidParams);
}

TEST_F(McpProtocolTest, AToolsAnswerIsStructuredAndText) {
  const json arguments{{"a", 1}};
  const json result =
      Ask(Legacy(1, "tools/call", {{"name", "echo"}, {"arguments", arguments}}))["result"];
  EXPECT_EQ(result["structuredContent"], arguments);
  EXPECT_EQ(json::parse(result["content"][0]["text"].get<std::string>()), arguments);
  EXPECT_EQ(result["isError"], false);
  EXPECT_EQ(Ask(Modern(1, "tools/call", {{"name", "fail"}}))["result"]["isError"], true);
}

TEST_F(McpProtocolTest, AnInvalidCallIsAProtocolError) {
  const auto refusal = [&](const json& params) {
    return Ask(Legacy(1, "tools/call", params))["error"];
  };
  EXPECT_EQ(refusal(json::object())["code"], kInvalidParams);
  EXPECT_EQ(refusal({{"name", 7}})["code"], kInvalidParams);
  EXPECT_EQ(refusal({{"name", "echo"}, {"arguments", json::array()}})["code"], kInvalidParams);
  EXPECT_EQ(refusal({{"name", "ecko"}})["message"], "Unknown tool: ecko; did you mean `echo`?");
  EXPECT_EQ(refusal({{"name", "throw"}})["code"], kInternalError);
}

TEST_F(McpProtocolTest, AnswersOrRefusesEveryMutatedMessage) {
  std::mt19937 random(7);
  const auto below = [&](size_t n) {
    return std::uniform_int_distribution<size_t>(0, n - 1)(random);
  };
  const std::string pieces = std::string("{}[]\",:0123456789.eE+-ntfalsru\\\x7f\xc3\xff ") + '\0';
  size_t answered = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string text =
        Modern(i, "tools/call", {{"name", "echo"}, {"arguments", {{"a", "é"}}}}).dump();
    for (size_t n = below(3); n > 0; --n) {
      const size_t at = below(text.size());
      if (below(2) == 0) text.erase(at, below(20));
      if (below(2) == 0) text.insert(at, 1, pieces[below(pieces.size())]);
      if (text.empty()) text = "{";
    }
    const auto message = ReadMessage(text);
    if (!message) {
      EXPECT_EQ(ErrorMessage(message.error())["jsonrpc"], "2.0") << text;
      continue;
    }
    const auto version = VersionOf(*message);
    if (message->kind != RpcMessage::Kind::kRequest || !version) continue;
    const json answer = Await(io, protocol.Answer(*message, version->has_value(), cancellation));
    EXPECT_EQ(answer["id"], message->id) << text;
    EXPECT_NE(answer.contains("result"), answer.contains("error")) << text;
    ++answered;
  }
  EXPECT_GT(answered, 5'000u);
}

}  // namespace
}  // namespace zermelo::serve::mcp
