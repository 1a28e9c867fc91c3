// MCP over the HTTP server, with tools that do not need Lean.
#include "serve/mcp/http.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "serve/testing/fake_tools.h"
#include "serve/testing/http_client.h"

namespace zermelo::serve::mcp {
namespace {

using core::testing::RunOut;
using core::testing::RunUntil;
using core::testing::Started;
using nlohmann::json;
using serve::testing::BodyOf;
using serve::testing::Client;
using serve::testing::Post;
using serve::testing::StatusOf;
using testing::FakeTools;
using ::testing::HasSubstr;
using testing::Legacy;
using testing::Modern;
using testing::Notification;

constexpr const char* kJson = "Content-Type: application/json\r\n";

struct HttpAnswer {
  int status = 0;
  std::string raw;
  json body;
};

/// Serves only the endpoint, at every path.
class Handler : public HttpHandler {
 public:
  explicit Handler(HttpEndpoint& endpoint) : endpoint_(endpoint) {}
  core::Task<HttpResponse> Handle(HttpRequest request, core::Cancellation& client_gone) override {
    return endpoint_.Handle(std::move(request), client_gone);
  }
  void Answered(const AccessRecord& /*record*/) override {}

 private:
  HttpEndpoint& endpoint_;
};

class McpHttpTest : public ::testing::Test {
 protected:
  void SetUp() override {
    server_ =
        std::move(*HttpServer::Listen(io_.get_executor(), "127.0.0.1", 0, HttpLimits(), handler_));
    running_ = std::make_unique<Started<bool>>(io_, core::testing::ThenTrue(server_->Run()));
  }
  void TearDown() override {
    server_->Stop();
    EXPECT_TRUE(running_->Get());
    server_.reset();
    RunOut(io_);
    EXPECT_EQ(tools.waiting, 0);
  }

  HttpAnswer Send(const std::string& body, const std::string& headers = kJson) {
    HttpAnswer answer;
    answer.raw = Client(io_, server_->url()).Exchange(Post("/mcp", body, headers));
    answer.status = StatusOf(answer.raw);
    answer.body = json::parse(BodyOf(answer.raw), nullptr, false);
    return answer;
  }
  static std::string HeadersFor(const json& request) {
    std::string headers = kJson;
    headers += "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: " +
               request.at("method").get<std::string>() + "\r\n";
    if (request.at("params").contains("name")) {
      headers += "Mcp-Name: " + request.at("params").at("name").get<std::string>() + "\r\n";
    }
    return headers;
  }
  HttpAnswer SendModern(const json& request) { return Send(request.dump(), HeadersFor(request)); }

  boost::asio::io_context io_;
  FakeTools tools{io_.get_executor()};
  Protocol protocol_{tools, "1"};
  HttpEndpoint endpoint_{protocol_, HttpOptions{{"https://lean.example.org"}}};
  Handler handler_{endpoint_};
  std::unique_ptr<HttpServer> server_;
  std::unique_ptr<Started<bool>> running_;
};

TEST_F(McpHttpTest, ServesTheRevisionWithoutSessions) {
  const auto discovered = SendModern(Modern(1, "server/discover"));
  EXPECT_EQ(discovered.status, 200);
  EXPECT_EQ(discovered.body["result"]["resultType"], "complete");
  EXPECT_THAT(discovered.raw, HasSubstr("Content-Type: application/json"));
  const auto called =
      SendModern(Modern("c", "tools/call", {{"name", "echo"}, {"arguments", {{"a", 1}}}}));
  EXPECT_EQ(called.body["id"], "c");
  EXPECT_EQ(called.body["result"]["structuredContent"]["a"], 1);
}

TEST_F(McpHttpTest, ServesTheRevisionsWithInitializeInSessions) {
  const auto begun = Send(Legacy(1, "initialize", {{"protocolVersion", "2025-11-25"}}).dump());
  EXPECT_EQ(begun.status, 200);
  EXPECT_THAT(begun.raw, HasSubstr("Mcp-Session-Id: "));
  EXPECT_EQ(Send(Notification("notifications/initialized").dump()).status, 202);
  const std::string version = std::string(kJson) + "MCP-Protocol-Version: 2025-11-25\r\n";
  const auto listed = Send(Legacy(2, "tools/list").dump(), version);
  EXPECT_EQ(listed.status, 200);
  EXPECT_EQ(listed.body["result"]["tools"].size(), 4u);
  const auto unknown = Send(Legacy(3, "nothing/here").dump(), version);
  EXPECT_EQ(unknown.status, 200);
  EXPECT_EQ(unknown.body["error"]["code"], kMethodNotFound);
}

TEST_F(McpHttpTest, ErrorsHaveTheHttpStatusOfTheirRevision) {
  const auto unknown = SendModern(Modern(1, "nothing/here"));
  EXPECT_EQ(unknown.status, 404);
  EXPECT_EQ(unknown.body["error"]["code"], kMethodNotFound);
  const auto bad = SendModern(Modern(1, "tools/call", {{"name", "nothing"}}));
  EXPECT_EQ(bad.status, 400);
  EXPECT_EQ(bad.body["error"]["code"], kInvalidParams);
  EXPECT_EQ(Send("{").status, 400);
  EXPECT_EQ(Send("[]").status, 400);
  EXPECT_EQ(Send("{").body["error"]["code"], kParseError);
}

TEST_F(McpHttpTest, HeadersMustRepeatTheBody) {
  const json call = Modern(1, "tools/call", {{"name", "echo"}});
  const std::string version = "MCP-Protocol-Version: 2026-07-28\r\n";
  for (const std::string& headers :
       {std::string(), version, version + "Mcp-Method: tools/list\r\nMcp-Name: echo\r\n",
        version + "Mcp-Method: tools/call\r\n",
        version + "Mcp-Method: tools/call\r\nMcp-Name: wait\r\n",
        version + "Mcp-Method: tools/call\r\nMcp-Name: =?base64?!?=\r\n",
        version + "Mcp-Method: tools/call\r\nMcp-Name: echo\r\nMcp-Name: echo\r\n",
        std::string("MCP-Protocol-Version: 2025-11-25\r\nMcp-Method: tools/call\r\n") +
            "Mcp-Name: echo\r\n"}) {
    const auto answer = Send(call.dump(), kJson + headers);
    EXPECT_EQ(answer.status, 400) << headers;
    EXPECT_EQ(answer.body["error"]["code"], kHeaderMismatch) << headers;
    EXPECT_EQ(answer.body["id"], 1) << headers;
  }
  const auto encoded = Send(call.dump(), kJson + version +
                                             "Mcp-Method: tools/call\r\n"
                                             "Mcp-Name: =?base64?ZWNobw==?=\r\n");
  EXPECT_EQ(encoded.status, 200);
}

TEST_F(McpHttpTest, TheErrorForAnUnsupportedVersionListsTheSupportedOnes) {
  const auto answer = Send(Legacy(1, "tools/list").dump(),
                           kJson + std::string("MCP-Protocol-Version: 1900-01-01\r\n"));
  EXPECT_EQ(answer.status, 400);
  EXPECT_EQ(answer.body["error"]["code"], kUnsupportedProtocolVersion);
  EXPECT_EQ(answer.body["error"]["data"]["supported"][0], "2026-07-28");
}

TEST_F(McpHttpTest, RefusesPagesOfOtherOrigins) {
  const std::string body = Legacy(1, "initialize").dump();
  const auto status = [&](const std::string& origin) {
    return Send(body, kJson + ("Origin: " + origin) + "\r\n").status;
  };
  for (const char* origin : {"http://localhost", "http://localhost:8000", "http://127.0.0.1:1",
                             "http://[::1]:8000", "https://lean.example.org"}) {
    EXPECT_EQ(status(origin), 200) << origin;
  }
  for (const char* origin : {"https://evil.example", "http://localhost.evil.example", "null", "x",
                             "https://lean.example.org:8443", "http://evil.example#localhost"}) {
    EXPECT_EQ(status(origin), 403) << origin;
  }
}

TEST_F(McpHttpTest, RefusesOtherContentTypes) {
  EXPECT_EQ(Send("{}", "Content-Type: text/plain\r\n").status, 415);
  EXPECT_EQ(Send("{}", "").status, 415);
}

TEST_F(McpHttpTest, ADisconnectCancelsTheRequest) {
  const json call = Modern(1, "tools/call", {{"name", "wait"}});
  Client client(io_, server_->url());
  client.Send(Post("/mcp", call.dump(), HeadersFor(call)));
  RunUntil(io_, [&] { return tools.waiting == 1; });
  client.Leave();
  RunUntil(io_, [&] { return tools.cancelled == 1; });
}

TEST_F(McpHttpTest, OnlyANotificationOfTheSameSessionCancelsARequest) {
  const std::string session = std::string(kJson) + "Mcp-Session-Id: mine\r\n";
  Client client(io_, server_->url());
  client.Send(Post("/mcp", Legacy(7, "tools/call", {{"name", "wait"}}).dump(), session));
  RunUntil(io_, [&] { return tools.waiting == 1; });
  const std::string cancel = Notification("notifications/cancelled", {{"requestId", 7}}).dump();
  EXPECT_EQ(Send(cancel, std::string(kJson) + "Mcp-Session-Id: other\r\n").status, 202);
  EXPECT_EQ(Send(cancel).status, 202);
  EXPECT_EQ(tools.waiting, 1);
  EXPECT_EQ(Send(cancel, session).status, 202);
  RunUntil(io_, [&] { return tools.cancelled == 1; });
  EXPECT_EQ(StatusOf(client.Receive()), 200);
}

}  // namespace
}  // namespace zermelo::serve::mcp
