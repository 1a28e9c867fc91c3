#include "serve/http/http_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vector>

#include "serve/testing/http_client.h"

namespace zermelo::serve {
namespace {

using core::Cancellation;
using core::Task;
using core::testing::RunOut;
using core::testing::RunUntil;
using core::testing::Started;
using std::chrono::milliseconds;
using testing::BodyOf;
using testing::Client;
using testing::Get;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::Post;
using testing::StatusOf;

/// Echoes requests; `/wait` answers only after `go_on` or when the client disconnects.
class Echo : public HttpHandler {
 public:
  explicit Echo(const core::Executor& executor) : go_on(executor) {}

  Task<HttpResponse> Handle(HttpRequest request, Cancellation& client_gone) override {
    if (request.path == "/throw") throw std::runtime_error("a bug");
    if (request.path == "/wait") {
      ++waiting;
      const Cancellation::Subscription wake(client_gone, [this] { go_on.Notify(); });
      co_await go_on.Wait(core::testing::Generous());
      cancelled += client_gone.requested() ? 1 : 0;
    }
    HttpResponse response;
    if (request.path == "/pieces") {
      response.next_piece = [this]() -> Task<std::optional<std::string>> {
        const int number = pieces++;
        if (number == 3) co_return std::nullopt;
        co_return number == 1 ? "" : fmt::format("piece {};", number);
      };
    }
    if (request.path == "/endless") {
      response.next_piece = [this]() -> Task<std::optional<std::string>> {
        ++pieces;
        co_await go_on.Wait(core::Deadline::After(milliseconds(5)));
        co_return "";
      };
    }
    response.body = request.method + " " + request.path + " " + request.body;
    co_return response;
  }
  void Answered(const AccessRecord& record) override { records.push_back(record); }

  core::Signal go_on;
  int pieces = 0;
  int waiting = 0;
  int cancelled = 0;
  std::vector<AccessRecord> records;
};

class HttpServerTest : public ::testing::Test {
 protected:
  void Open(HttpLimits limits = {}) {
    handler = std::make_unique<Echo>(io.get_executor());
    server = std::move(*HttpServer::Listen(io.get_executor(), "127.0.0.1", 0, limits, *handler));
    running = std::make_unique<Started<bool>>(io, core::testing::ThenTrue(server->Run()));
  }
  void TearDown() override {
    server->Stop();
    EXPECT_TRUE(running->Get());
    RunOut(io);
  }
  std::string Exchange(std::string bytes) {
    return Client(io, server->url()).Exchange(std::move(bytes));
  }

  boost::asio::io_context io;
  std::unique_ptr<Echo> handler;
  std::unique_ptr<HttpServer> server;
  std::unique_ptr<Started<bool>> running;
};

TEST_F(HttpServerTest, AnswersManyRequestsOnOneConnection) {
  Open();
  Client client(io, server->url());
  for (int i = 0; i < 3; ++i) {
    const std::string answer = client.Exchange(Post("/echo?x=1", "body " + std::to_string(i)));
    EXPECT_EQ(StatusOf(answer), 200);
    EXPECT_EQ(BodyOf(answer), "POST /echo body " + std::to_string(i));
  }
  EXPECT_EQ(handler->records.size(), 3u);
}

TEST_F(HttpServerTest, AnswersPipelinedRequests) {
  Open();
  Client client(io, server->url());
  client.Send(Get("/a") + Get("/b"));
  std::string both = client.Receive();
  if (both.find("GET /b") == both.npos) both += client.Receive();
  EXPECT_THAT(both, HasSubstr("GET /a"));
  EXPECT_THAT(both, HasSubstr("GET /b"));
}

TEST_F(HttpServerTest, ClosesTheConnectionWhenTheClientAsksForIt) {
  Open();
  const std::string answer = Exchange(Get("/a", "Connection: close\r\n"));
  EXPECT_EQ(StatusOf(answer), 200);
  EXPECT_THAT(answer, HasSubstr("Connection: close"));
}

TEST_F(HttpServerTest, ABodyInPiecesEndsWithTheConnection) {
  Open();
  const std::string answer = Exchange(Get("/pieces"));
  EXPECT_EQ(StatusOf(answer), 200);
  EXPECT_THAT(answer, HasSubstr("Connection: close"));
  EXPECT_THAT(answer, Not(HasSubstr("Content-Length")));
  EXPECT_TRUE(answer.ends_with("\r\n\r\npiece 0;piece 2;")) << answer;
  EXPECT_EQ(handler->records.at(0).bytes_out, 16u);
}

TEST_F(HttpServerTest, ABodyInPiecesEndsWhenTheClientLeaves) {
  Open();
  Client client(io, server->url());
  client.Send(Get("/endless"));
  RunUntil(io, [&] { return handler->pieces > 2; });
  client.Leave();
  RunUntil(io, [&] { return !handler->records.empty(); });
  EXPECT_EQ(handler->records.at(0).status, 499);
}

TEST_F(HttpServerTest, ABodyInPiecesEndsWhenTheServerStops) {
  Open();
  Client client(io, server->url());
  client.Send(Get("/endless"));
  RunUntil(io, [&] { return handler->pieces > 2; });
  server->Stop();
  RunUntil(io, [&] { return !handler->records.empty(); });
  EXPECT_EQ(handler->records.at(0).status, 200);
}

TEST_F(HttpServerTest, RefusesInvalidHttp) {
  Open();
  EXPECT_EQ(StatusOf(Exchange("\x16\x03\x01 hello TLS\r\n\r\n")), 400);
  EXPECT_EQ(StatusOf(Exchange("GET / HTTP/9.9\r\n\r\n")), 400);
  EXPECT_EQ(StatusOf(Exchange("POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n")), 400);
}

TEST_F(HttpServerTest, RefusesLargeBodiesBeforeTheyAreSent) {
  Open({.body_bytes = 100});
  Client client(io, server->url());
  const std::string answer =
      client.Exchange("POST / HTTP/1.1\r\nContent-Length: 100000000\r\n\r\n");
  EXPECT_EQ(StatusOf(answer), 413);
  EXPECT_THAT(answer, HasSubstr("larger than 100 bytes"));
}

TEST_F(HttpServerTest, RefusesLargeChunkedBodies) {
  Open({.body_bytes = 100});
  const std::string chunk = "40\r\n" + std::string(64, 'x') + "\r\n";
  EXPECT_EQ(StatusOf(Exchange("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk +
                              chunk + "0\r\n\r\n")),
            413);
}

TEST_F(HttpServerTest, ReadsARefusedBodySoThatTheClientGetsItsAnswer) {
  Open({.body_bytes = 100});
  EXPECT_EQ(StatusOf(Exchange(Post("/", std::string(5'000'000, 'x')))), 413);
}

TEST_F(HttpServerTest, RefusesLargeHeaders) {
  Open({.header_bytes = 1000});
  EXPECT_EQ(StatusOf(Exchange(Get("/", "X: " + std::string(5000, 'x') + "\r\n"))), 431);
}

TEST_F(HttpServerTest, LimitsTheBodyBytesOfAllRequests) {
  Open({.body_bytes = 100, .bodies_bytes = 150});
  Client first(io, server->url());
  first.Send(Post("/wait", std::string(100, 'x')));
  RunUntil(io, [&] { return handler->waiting == 1; });
  const std::string answer = Exchange(Post("/", std::string(100, 'x')));
  EXPECT_EQ(StatusOf(answer), 429);
  EXPECT_THAT(answer, HasSubstr("Retry-After: 1"));
  handler->go_on.Notify();
  EXPECT_EQ(StatusOf(first.Receive()), 200);
  EXPECT_EQ(StatusOf(Exchange(Post("/", std::string(100, 'x')))), 200);
}

TEST_F(HttpServerTest, GivesUpOnHeadersThatDoNotEnd) {
  Open({.header_time = milliseconds(50)});
  EXPECT_EQ(StatusOf(Exchange("GET / HTTP/1.1\r\nX-Slow: ")), 408);
}

TEST_F(HttpServerTest, GivesUpOnBodiesThatDoNotArrive) {
  Open({.body_time = milliseconds(50)});
  EXPECT_EQ(StatusOf(Exchange("POST / HTTP/1.1\r\nContent-Length: 10\r\n\r\nabc")), 408);
}

TEST_F(HttpServerTest, ClosesIdleConnectionsWithoutAnAnswer) {
  Open({.idle_time = milliseconds(50)});
  EXPECT_EQ(Client(io, server->url()).Receive(), "");
  EXPECT_TRUE(handler->records.empty());
}

TEST_F(HttpServerTest, AnswersExpect100Continue) {
  Open();
  Client client(io, server->url());
  client.Send("POST /x HTTP/1.1\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
  std::string go_on = client.Receive();
  EXPECT_EQ(StatusOf(go_on), 100);
  EXPECT_EQ(BodyOf(client.Exchange("ok")), "POST /x ok");
}

TEST_F(HttpServerTest, CancelsTheHandlerWhenTheClientDisconnects) {
  Open();
  Client client(io, server->url());
  client.Send(Get("/wait"));
  RunUntil(io, [&] { return handler->waiting == 1; });
  client.Leave();
  RunUntil(io, [&] { return handler->cancelled == 1; });
  RunUntil(io, [&] { return handler->records.size() == 1; });
  EXPECT_EQ(handler->records.front().status, 499);
}

TEST_F(HttpServerTest, AnExceptionIsA500AndTheConnectionStaysOpen) {
  Open();
  Client client(io, server->url());
  EXPECT_EQ(StatusOf(client.Exchange(Get("/throw"))), 500);
  EXPECT_EQ(StatusOf(client.Exchange(Get("/fine"))), 200);
}

TEST_F(HttpServerTest, StoppingAnswersAcceptedRequests) {
  Open();
  Client busy(io, server->url());
  Client idle(io, server->url());
  busy.Send(Get("/wait"));
  RunUntil(io, [&] { return handler->waiting == 1; });
  server->Stop();
  EXPECT_EQ(idle.Receive(), "");
  EXPECT_FALSE(running->done());
  handler->go_on.Notify();
  const std::string answer = busy.Receive();
  EXPECT_EQ(StatusOf(answer), 200);
  EXPECT_THAT(answer, HasSubstr("Connection: close"));
  EXPECT_TRUE(running->Get());
}

TEST_F(HttpServerTest, ConnectionsBeyondTheLimitWait) {
  Open({.connections = 1});
  auto first = std::make_unique<Client>(io, server->url());
  EXPECT_EQ(StatusOf(first->Exchange(Get("/a"))), 200);
  Client second(io, server->url());
  second.Send(Get("/b"));
  io.run_for(milliseconds(50));
  EXPECT_EQ(handler->records.size(), 1u);
  first.reset();
  EXPECT_EQ(StatusOf(second.Receive()), 200);
}

TEST_F(HttpServerTest, TheErrorForAPortInUseNamesIt) {
  Open();
  const std::string url = server->url();
  const auto port = static_cast<uint16_t>(std::stoi(url.substr(url.rfind(':') + 1)));
  const auto second =
      HttpServer::Listen(io.get_executor(), "127.0.0.1", port, HttpLimits(), *handler);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, core::ErrorCode::kEnvironment);
  EXPECT_THAT(second.error().message, HasSubstr(std::to_string(port)));
}

}  // namespace
}  // namespace zermelo::serve
