#include "serve/mcp/stdio.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "core/testing/testing.h"
#include "serve/testing/fake_tools.h"
#include "serve/testing/pipe.h"

namespace zermelo::serve::mcp {
namespace {

using core::testing::RunOut;
using core::testing::RunUntil;
using core::testing::Started;
using nlohmann::json;
using serve::testing::Pipe;
using testing::FakeTools;
using ::testing::HasSubstr;
using testing::Legacy;
using testing::Modern;
using testing::Notification;

class McpStdioTest : public ::testing::Test {
 protected:
  void SetUp() override { ::fcntl(out_.read.get(), F_SETFL, O_NONBLOCK); }
  void Open(StdioLimits limits = {}) {
    served_ = std::make_unique<Started<bool>>(
        io_, core::testing::ThenTrue(
                 ServeStdio(protocol_, in_.read.get(), out_.write.get(), limits, stop)));
  }
  void TearDown() override {
    in_.write = core::Fd();
    EXPECT_TRUE(served_->Get());
    RunOut(io_);
    EXPECT_EQ(::fcntl(in_.read.get(), F_GETFL) & O_NONBLOCK, 0) << "the flags are restored";
    EXPECT_EQ(tools.waiting, 0);
  }

  void Send(const std::string& bytes) {
    ASSERT_TRUE(serve::testing::WriteWhileServed(in_.write, bytes, io_));
  }
  void Send(const json& message) { Send(message.dump() + "\n"); }
  void Look() {
    char bytes[4096];
    for (ssize_t got; (got = ::read(out_.read.get(), bytes, sizeof(bytes))) > 0;) {
      said_.append(bytes, static_cast<size_t>(got));
    }
  }
  json Receive() {
    RunUntil(io_, [&] {
      Look();
      return said_.find('\n') != said_.npos;
    });
    const size_t end = said_.find('\n');
    json message = json::parse(said_.substr(0, end));
    said_.erase(0, end + 1);
    return message;
  }
  void Initialize() {
    Send(Legacy(0, "initialize", {{"protocolVersion", "2025-11-25"}}));
    EXPECT_TRUE(Receive().contains("result"));
    Send(Notification("notifications/initialized"));
  }
  json Wait(int id) { return Legacy(id, "tools/call", {{"name", "wait"}}); }

  boost::asio::io_context io_;
  Pipe in_, out_;
  std::string said_;
  core::Cancellation stop;
  FakeTools tools{io_.get_executor()};
  Protocol protocol_{tools, "1"};
  std::unique_ptr<Started<bool>> served_;
};

TEST_F(McpStdioTest, BothRevisionsAreServedSideBySide) {
  Open();
  Send(Modern("m", "server/discover"));
  EXPECT_EQ(Receive()["id"], "m");
  Initialize();
  Send(Legacy(2, "tools/list"));
  EXPECT_EQ(Receive()["result"]["tools"].size(), 4u);
  Send(Modern(3, "tools/list"));
  EXPECT_EQ(Receive()["result"]["resultType"], "complete");
}

TEST_F(McpStdioTest, AClientWithoutAVersionMustInitializeFirst) {
  Open();
  Send(Legacy(1, "tools/list"));
  const json refused = Receive();
  EXPECT_EQ(refused["error"]["code"], kInvalidParams);
  EXPECT_THAT(refused["error"]["message"], HasSubstr("initialize"));
  Initialize();
}

TEST_F(McpStdioTest, LinesMayComeInPiecesAndMayBeEmpty) {
  Open();
  const std::string line = Modern(1, "tools/list").dump();
  Send("\n\r\n" + line.substr(0, 20));
  Send(line.substr(20) + "\r\n" + Modern(2, "tools/list").dump() + "\n");
  EXPECT_EQ(Receive()["id"], 1);
  EXPECT_EQ(Receive()["id"], 2);
}

TEST_F(McpStdioTest, AnswersInvalidMessagesAndContinues) {
  Open();
  Send(std::string("not json\n{\"jsonrpc\":\"2.0\",\"id\":1}\n[1]\n"));
  EXPECT_EQ(Receive()["error"]["code"], kParseError);
  EXPECT_EQ(Receive()["error"]["code"], kInvalidRequest);
  EXPECT_EQ(Receive()["error"]["code"], kInvalidRequest);
  Send(Modern(2, "tools/list"));
  EXPECT_EQ(Receive()["id"], 2);
}

TEST_F(McpStdioTest, SkipsAMessageThatIsTooLong) {
  Open({.message_bytes = 1000});
  Send(std::string(200'000, 'x'));
  Send(std::string("x\n"));
  EXPECT_THAT(Receive()["error"]["message"], HasSubstr("more than 1000 bytes"));
  Send(Modern(2, "tools/list"));
  EXPECT_EQ(Receive()["id"], 2);
}

TEST_F(McpStdioTest, ALongCallDoesNotBlockOthers) {
  Open();
  Initialize();
  Send(Wait(1));
  RunUntil(io_, [&] { return tools.waiting == 1; });
  Send(Legacy(2, "ping"));
  EXPECT_EQ(Receive()["id"], 2);
}

TEST_F(McpStdioTest, ACancelledRequestIsNotAnswered) {
  Open();
  Initialize();
  Send(Wait(1));
  RunUntil(io_, [&] { return tools.waiting == 1; });
  Send(Notification("notifications/cancelled", {{"requestId", "1"}}));
  Send(Notification("notifications/cancelled", {{"requestId", 7}}));
  Send(Notification("notifications/cancelled"));
  Send(Legacy(2, "ping"));
  EXPECT_EQ(Receive()["id"], 2);
  EXPECT_EQ(tools.waiting, 1) << "the string \"1\" and the number 1 are different ids";
  Send(Notification("notifications/cancelled", {{"requestId", 1}}));
  RunUntil(io_, [&] { return tools.cancelled == 1; });
  Send(Legacy(3, "ping"));
  EXPECT_EQ(Receive()["id"], 3);
}

TEST_F(McpStdioTest, RefusesAnIdThatIsStillInUse) {
  Open();
  Initialize();
  Send(Wait(1));
  Send(Legacy(1, "ping"));
  EXPECT_EQ(Receive()["error"]["code"], kInvalidRequest);
}

TEST_F(McpStdioTest, RefusesTooManyConcurrentRequests) {
  Open({.requests = 2});
  Initialize();
  Send(Wait(1));
  Send(Wait(2));
  Send(Wait(3));
  EXPECT_EQ(Receive()["id"], 3);
}

TEST_F(McpStdioTest, TheEndOfTheInputCancelsRunningRequests) {
  Open();
  Initialize();
  Send(Wait(1));
  RunUntil(io_, [&] { return tools.waiting == 1; });
  in_.write = core::Fd();
  RunUntil(io_, [&] { return served_->done(); });
  EXPECT_EQ(tools.cancelled, 1);
  Look();
  EXPECT_EQ(said_, "");
}

TEST_F(McpStdioTest, AnswersShortRequestsSentJustBeforeTheEndOfTheInput) {
  Open();
  Send(Modern(1, "server/discover").dump() + "\n" + Modern(2, "tools/list").dump() + "\n");
  in_.write = core::Fd();
  EXPECT_EQ(Receive()["id"], 1);
  EXPECT_EQ(Receive()["id"], 2);
}

TEST_F(McpStdioTest, StopsOnRequest) {
  Open();
  Initialize();
  Send(Wait(1));
  RunUntil(io_, [&] { return tools.waiting == 1; });
  stop.Request();
  RunUntil(io_, [&] { return served_->done(); });
  EXPECT_EQ(tools.cancelled, 1);
}

TEST_F(McpStdioTest, GivesUpOnAClientThatReadsNothing) {
  Open({.unread_bytes = 1000, .write_time = std::chrono::milliseconds(200)});
  const std::string request = Modern(1, "server/discover").dump() + "\n";
  for (int i = 0; i < 5000 && !served_->done(); ++i) {
    ::fcntl(in_.write.get(), F_SETFL, O_NONBLOCK);
    static_cast<void>(!::write(in_.write.get(), request.data(), request.size()));
    io_.run_for(std::chrono::milliseconds(1));
    if (io_.stopped()) io_.restart();
  }
  RunUntil(io_, [&] { return served_->done(); });
}

TEST_F(McpStdioTest, StopsWhenTheClientIsGone) {
  Open();
  Initialize();
  out_.read = core::Fd();
  Send(Legacy(1, "ping"));
  RunUntil(io_, [&] { return served_->done(); });
}

}  // namespace
}  // namespace zermelo::serve::mcp
