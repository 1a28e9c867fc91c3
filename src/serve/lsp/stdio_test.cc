#include "serve/lsp/stdio.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>
#include <unistd.h>

#include "lean/lsp/lsp_frame.h"
#include "serve/testing/fake_editor.h"
#include "serve/testing/pipe.h"

namespace zermelo::serve::lsp {
namespace {

using core::testing::RunOut;
using core::testing::RunUntil;
using core::testing::Started;
using nlohmann::json;
using serve::testing::Pipe;
using ::testing::HasSubstr;

class LspStdioTest : public ::testing::Test {
 protected:
  void SetUp() override { ::fcntl(out_.read.get(), F_SETFL, O_NONBLOCK); }
  void Begin(StreamLimits limits = {}) {
    ServerOptions options;
    options.models = [](const std::filesystem::path&) { return std::vector<std::string>(); };
    served_ = std::make_unique<Started<core::Status>>(
        io_, ServeStdio(projects_, jobs_, std::move(options), in_.read.get(), out_.write.get(),
                        limits, stop_));
  }
  void TearDown() override {
    in_.write = core::Fd();
    RunUntil(io_, [&] { return served_->done(); });
    RunOut(io_);
    EXPECT_EQ(::fcntl(in_.read.get(), F_GETFL) & O_NONBLOCK, 0) << "the flags are restored";
  }
  void Send(const std::string& bytes) {
    ASSERT_TRUE(serve::testing::WriteWhileServed(in_.write, bytes, io_));
  }
  void Send(const json& message) { Send(lean::EncodeFrame(message.dump())); }
  json Receive() {
    std::optional<std::string> frame;
    RunUntil(io_, [&] {
      char bytes[4096];
      for (ssize_t got; (got = ::read(out_.read.get(), bytes, sizeof(bytes))) > 0;) {
        frames_.Feed({bytes, static_cast<size_t>(got)});
      }
      frame = *frames_.Next();
      return frame.has_value();
    });
    return json::parse(*frame);
  }
  core::Status End() { return served_->Get(); }

  boost::asio::io_context io_;
  Pipe in_, out_;
  lean::FrameParser frames_;
  core::Cancellation stop_;
  Projects projects_{ProjectsOptions{}};
  testing::FakeJobs jobs_{io_.get_executor()};
  std::unique_ptr<Started<core::Status>> served_;
};

TEST_F(LspStdioTest, ASessionEndsWithShutdownAndExit) {
  Begin();
  Send(CallMessage(1, "initialize", testing::AllAbilities()));
  EXPECT_EQ(Receive()["result"]["serverInfo"]["name"], "zermelo");
  Send(CallMessage("two", "shutdown", nullptr));
  EXPECT_EQ(Receive(), ResultMessage("two", nullptr));
  Send(CallMessage(nullptr, "exit", nullptr));
  EXPECT_TRUE(End());
}

TEST_F(LspStdioTest, AnEndWithoutShutdownIsAnError) {
  Begin();
  Send(CallMessage(nullptr, "exit", nullptr));
  EXPECT_FALSE(End());
}

TEST_F(LspStdioTest, TheEndOfTheInputEndsTheServer) {
  Begin();
  Send(CallMessage(1, "initialize", testing::AllAbilities()));
  in_.write = core::Fd();
  EXPECT_THAT(End().error().message, HasSubstr("without a shutdown request"));
}

TEST_F(LspStdioTest, AFrameThatIsNoMessageGetsAnErrorAndTheNextIsRead) {
  Begin();
  for (const char* body : {"", "not json", "[1]", "{}", R"({"jsonrpc":"2.0","method":7})",
                           "\xff\xfe", R"({"jsonrpc":"2.0","id":1,"method":"m","params":3})"}) {
    Send(lean::EncodeFrame(body));
    EXPECT_TRUE(Receive().contains("error")) << body;
  }
  Send(lean::EncodeFrame(std::string(5000, '[')));
  EXPECT_EQ(Receive()["error"]["code"], kParseError);
  Send(CallMessage(1, "initialize", testing::AllAbilities()));
  EXPECT_TRUE(Receive().contains("result"));
}

TEST_F(LspStdioTest, AStreamThatIsNotLspEndsTheServer) {
  for (const char* bytes : {"Content-Length: 99999999999999999999\r\n\r\n",
                            "Content-Length: -1\r\n\r\n", "Content-Length: 1001\r\n\r\n"}) {
    Begin({.message_bytes = 1000});
    Send(std::string(bytes));
    EXPECT_THAT(End().error().message, HasSubstr("the input is not LSP")) << bytes;
  }
  Begin();
  Send(std::string(lean::FrameParser::kMaxGarbage + 100, 'g'));
  EXPECT_FALSE(End());
}

TEST_F(LspStdioTest, RandomMessagesNeverStopTheServer) {
  Begin();
  Send(CallMessage(0, "initialize", testing::AllAbilities()));
  Receive();
  std::mt19937 random(3);
  const json values[] = {nullptr,
                         1,
                         -1,
                         1e300,
                         "x",
                         json::array(),
                         json::object(),
                         {{"uri", "u"}},
                         {{"line", 1}, {"character", 2}},
                         {1, "y"}};
  const char* const methods[] = {"textDocument/didOpen",     "textDocument/didChange",
                                 "textDocument/didClose",    "textDocument/codeLens",
                                 "textDocument/codeAction",  "textDocument/hover",
                                 "workspace/executeCommand", "window/workDoneProgress/cancel"};
  const char* const names[] = {"textDocument", "position",  "range",  "contentChanges",
                               "command",      "arguments", "token",  "text",
                               "version",      "uri",       "context"};
  const auto any = [&](const auto& list) { return list[random() % std::size(list)]; };
  for (int i = 0; i < 2000; ++i) {
    json params = json::object();
    for (int field = 0; field < 4; ++field) params[any(names)] = any(values);
    if (random() % 2 == 0) params["textDocument"] = {{"uri", "u"}, {any(names), any(values)}};
    const std::string method = any(methods);
    const bool asks = random() % 2 == 0;
    Send(CallMessage(asks ? json("r" + std::to_string(i)) : json(), method, params));
    if (asks) {
      json answer = json::object();
      while (answer.value("id", json()) != "r" + std::to_string(i)) answer = Receive();
    }
  }
}

TEST_F(LspStdioTest, StopsWhenTheEditorIsGone) {
  Begin();
  out_.read = core::Fd();
  Send(CallMessage(1, "initialize", testing::AllAbilities()));
  EXPECT_FALSE(End());
}

}  // namespace
}  // namespace zermelo::serve::lsp
