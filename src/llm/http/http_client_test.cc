#include "llm/http/http_client.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/files/file.h"
#include "llm/testing/sim_model.h"

namespace zermelo::llm {
namespace {

using core::Deadline;
using core::testing::Await;
using core::testing::Generous;
using core::testing::RunUntil;
using core::testing::Soon;
using core::testing::Started;
using nlohmann::json;
using std::chrono::milliseconds;

class HttpClientTest : public testing::SimModelTest {
 protected:
  static HttpRequest Completion(const Server& server, bool stream = false) {
    const json body = {{"model", "sim"}, {"prompt", "x"}, {"max_tokens", 100}, {"stream", stream}};
    return {.url = server.Url("/v1/completions"), .body = body.dump()};
  }
};

TEST_F(HttpClientTest, GetsAReplyWithStatusHeadersAndBody) {
  auto server = Start();
  const auto reply = Fetch({.url = server.Url("/v1/models")});
  EXPECT_EQ(reply.end, HttpEnd::kComplete) << reply.what;
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.headers.at("content-type"), "application/json");
  EXPECT_EQ(json::parse(reply.body).at("data").at(0).at("id"), "sim");
}

TEST_F(HttpClientTest, PostsABodyAndHeaders) {
  auto server = Start({"--key", "secret"});
  EXPECT_EQ(Fetch(Completion(server)).status, 401);
  auto request = Completion(server);
  request.headers = {"Authorization: Bearer secret", "X-Extra: a b"};
  EXPECT_EQ(Fetch(request).status, 200);
  const auto entry = server.Log().at(1);
  EXPECT_EQ(entry.at("body").at("prompt"), "x");
  EXPECT_EQ(entry.at("headers").at("x-extra"), "a b");
}

TEST_F(HttpClientTest, AConnectionIsUsedAgain) {
  auto server = Start();
  for (int i = 0; i < 5; ++i) Fetch({.url = server.Url("/v1/models")});
  EXPECT_EQ(server.Connections(), 0) << "besides the connection of this request";
}

TEST_F(HttpClientTest, BodiesOfErrorsAreComplete) {
  auto server = Start();
  server.Inject({"500"});
  bool called = false;
  auto request = Completion(server, true);
  request.on_data = [&](std::string_view) { return called = true; };
  const auto reply = Fetch(request);
  EXPECT_EQ(reply.status, 500);
  EXPECT_NE(reply.body.find("a fault with status 500"), std::string::npos);
  EXPECT_FALSE(called);
}

TEST_F(HttpClientTest, AServerThatIsDownIsUnreachable) {
  std::string url;
  {
    auto server = Start();
    url = server.Url("/v1/models");
  }
  const auto reply = Fetch({.url = url});
  EXPECT_EQ(reply.end, HttpEnd::kUnreachable);
  EXPECT_NE(reply.what.find("connect"), std::string::npos) << reply.what;
  EXPECT_EQ(Fetch({.url = "http://no-such-host.invalid/"}).end, HttpEnd::kUnreachable);
}

TEST_F(HttpClientTest, ALostConnectionIsBrokenAndKeepsThePartialReply) {
  auto server = Start();
  for (const char* fault : {"reset", "close"}) {
    server.Inject({fault, fault});  // curl itself retries when a reused connection was closed
    EXPECT_EQ(Fetch(Completion(server)).end, HttpEnd::kBroken) << fault;
    server.Inject({""});
    Fetch(Completion(server));
  }
  server.Inject({"half"});
  const auto reply = Fetch(Completion(server));
  EXPECT_EQ(reply.end, HttpEnd::kBroken);
  EXPECT_EQ(reply.status, 200);
  EXPECT_TRUE(reply.body.starts_with("{\"id\"")) << reply.body;
}

TEST_F(HttpClientTest, SilenceIsAStall) {
  auto server = Start();
  server.Inject({"stall", "half-stall"});
  auto request = Completion(server, true);
  request.timeouts.first_byte = milliseconds(50);
  EXPECT_EQ(Fetch(request).end, HttpEnd::kStalled);
  request.timeouts.first_byte = std::chrono::hours(1);
  request.timeouts.idle = milliseconds(50);
  EXPECT_EQ(Fetch(request).end, HttpEnd::kStalled);
  server.LogWhen([](const json& log) {
    return log[0]["end"] == "closed by the client" && log[1]["end"] == "closed by the client";
  });
}

TEST_F(HttpClientTest, SilenceAfterTheHeadersIsNoStall) {
  auto server = Start();
  server.Inject({"late-body"});
  auto request = Completion(server, true);
  request.timeouts.idle = milliseconds(500);
  EXPECT_EQ(Fetch(request).end, HttpEnd::kComplete);
}

TEST_F(HttpClientTest, AReplyThatIsTooLargeIsRejected) {
  auto server = Start();
  auto request = Completion(server);
  request.max_reply_bytes = 20;
  EXPECT_EQ(Fetch(request).end, HttpEnd::kTooLarge);
}

TEST_F(HttpClientTest, TheDeadlineClosesTheConnection) {
  auto server = Start();
  server.Inject({"stall"});
  const auto reply = Await(io, http.Fetch(Completion(server), Soon()));
  EXPECT_EQ(reply.end, HttpEnd::kDeadline);
  server.LogWhen([](const json& log) { return log[0]["end"] == "closed by the client"; });
}

TEST_F(HttpClientTest, CancellationClosesTheConnectionAtOnce) {
  auto server = Start();
  server.Inject({"stall"});
  core::Cancellation cancellation;
  Started<HttpReply> fetch(io, http.Fetch(Completion(server), Generous(), &cancellation));
  server.LogWhen([](const json& log) { return !log.empty(); });
  cancellation.Request();
  server.LogWhen([](const json& log) { return log[0]["end"] == "closed by the client"; });
  EXPECT_EQ(fetch.Get().end, HttpEnd::kCancelled);
  EXPECT_EQ(Await(io, http.Fetch(Completion(server), Generous(), &cancellation)).end,
            HttpEnd::kCancelled);
  EXPECT_EQ(server.Log().size(), 1u) << "a request cancelled before its start is never sent";
}

TEST_F(HttpClientTest, AStreamComesInPieces) {
  auto server = Start({"--token-delay", "0.01"});
  auto request = Completion(server, true);
  std::string stream;
  int pieces = 0;
  request.on_data = [&](std::string_view bytes) {
    stream += bytes;
    return ++pieces > 0;
  };
  const auto reply = Fetch(request);
  EXPECT_EQ(reply.end, HttpEnd::kComplete);
  EXPECT_TRUE(reply.body.empty());
  EXPECT_TRUE(stream.ends_with("data: [DONE]\n\n"));
  EXPECT_GT(pieces, 1);
}

TEST_F(HttpClientTest, StoppingAStreamClosesTheConnection) {
  auto server = Start({"--token-delay", "0.01"});
  auto request = Completion(server, true);
  request.on_data = [](std::string_view) { return false; };
  EXPECT_EQ(Fetch(request).end, HttpEnd::kStopped);
  server.LogWhen([](const json& log) { return log[0]["end"] == "closed by the client"; });
}

TEST_F(HttpClientTest, AStreamMayCancelItselfAndItsSiblings) {
  auto server = Start();
  server.Inject({"stall", ""});
  core::Cancellation cancellation;
  Started<HttpReply> sibling(io, http.Fetch(Completion(server), Generous(), &cancellation));
  server.LogWhen([](const json& log) { return !log.empty(); });
  auto request = Completion(server, true);
  request.on_data = [&](std::string_view) {
    cancellation.Request();
    return true;
  };
  EXPECT_EQ(Await(io, http.Fetch(request, Generous(), &cancellation)).end, HttpEnd::kCancelled);
  EXPECT_EQ(sibling.Get().end, HttpEnd::kCancelled);
}

TEST_F(HttpClientTest, AThousandAtOnce) {
  auto server = Start({"--delay", "0.3"});
  std::vector<Started<HttpReply>> fetches;
  for (int i = 0; i < 1000; ++i)
    fetches.emplace_back(io, http.Fetch(Completion(server), Generous()));
  int complete = 0;
  for (auto& fetch : fetches) complete += fetch.Get().end == HttpEnd::kComplete ? 1 : 0;
  EXPECT_EQ(complete, 1000);
}

TEST_F(HttpClientTest, TheProxyOfTheEnvironmentIsUsed) {
  auto proxy = Start();
  ::setenv("http_proxy", proxy.Url("").c_str(), 1);
  const auto reply = Fetch({.url = "http://model.invalid/v1/models"});
  ::unsetenv("http_proxy");
  EXPECT_EQ(reply.status, 200) << reply.what;
  EXPECT_EQ(proxy.Log().at(0).at("headers").at("target"), "http://model.invalid/v1/models");
}

TEST_F(HttpClientTest, ACertificateIsTrustedOnlyThroughItsCaFile) {
  auto server = Start({"--tls"});
  const auto distrusted = Fetch({.url = server.Url("/v1/models")});
  EXPECT_EQ(distrusted.end, HttpEnd::kTls) << distrusted.what;
  const auto trusted = Fetch({.url = server.Url("/v1/models"), .ca_file = server.certificate()});
  EXPECT_EQ(trusted.status, 200) << trusted.what;
}

TEST_F(HttpClientTest, OtherProtocolsAreRefused) {
  EXPECT_EQ(Fetch({.url = "file:///etc/hostname"}).end, HttpEnd::kBroken);
}

TEST_F(HttpClientTest, NoDescriptorIsLeft) {
  const size_t before = core::testing::OpenDescriptors();
  {
    boost::asio::io_context other;
    HttpClient client(other.get_executor());
    auto server = Start();
    for (const char* fault : {"", "close", "half"}) {
      server.Inject({fault});
      Await(other, client.Fetch(Completion(server), Generous()));
    }
    server.Inject({"stall"});
    Await(other, client.Fetch(Completion(server), Soon()));
  }
  RunUntil(io, [&] { return core::testing::OpenDescriptors() <= before + 1; });  // `http` keeps one
}

}  // namespace
}  // namespace zermelo::llm
