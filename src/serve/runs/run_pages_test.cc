#include "serve/runs/run_pages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/files/file.h"
#include "serve/testing/http_client.h"
#include "view/testing/recorded.h"

namespace zermelo::serve {
namespace {

using core::testing::RunOut;
using core::testing::Started;
using nlohmann::json;
using testing::BodyOf;
using testing::Client;
using testing::Get;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::Post;
using testing::StatusOf;
using view::testing::Recorded;

class RunPagesTest : public ::testing::Test {
 protected:
  void Open(const std::string& key = "") {
    const auto executor = io.get_executor();
    viewer = std::make_unique<RunViewer>(executor, database(), key);
    server = std::move(*HttpServer::Listen(executor, "127.0.0.1", 0, HttpLimits(), *viewer));
    running = std::make_unique<Started<bool>>(io, core::testing::ThenTrue(server->Run()));
  }
  void TearDown() override {
    server->Stop();
    EXPECT_TRUE(running->Get());
    RunOut(io);
  }
  std::filesystem::path database() const { return folder.path() / "runs.db"; }
  std::string Ask(const std::string& path, const std::string& headers = "") {
    return Client(io, server->url()).Exchange(Get(path, headers));
  }

  boost::asio::io_context io;
  const core::TemporaryFolder folder = std::move(*core::TemporaryFolder::Create("zermelo-test-"));
  std::unique_ptr<RunViewer> viewer;
  std::unique_ptr<HttpServer> server;
  std::unique_ptr<Started<bool>> running;
};

/// The run goes on and ends after the stream has looked for events and found none.
core::Task<void> AppendLater(core::Executor executor, Recorded& recorded) {
  core::Signal pause(executor);
  co_await pause.Wait(core::Deadline::After(std::chrono::milliseconds(400)));
  recorded.Append("selected", 1);
  recorded.Finish();
}

TEST_F(RunPagesTest, APageWithoutDataNeedsNoKey) {
  Open("secret");
  const std::string page = Ask("/");
  EXPECT_EQ(StatusOf(page), 200);
  EXPECT_THAT(page, HasSubstr("id=\"data\">null<"));
  EXPECT_THAT(page, HasSubstr("frame-ancestors 'none'"));
}

TEST_F(RunPagesTest, DataNeedTheKey) {
  Recorded recorded(database());
  Open("secret");
  for (const char* path : {"/api/runs", "/api/runs/1", "/api/runs/1/events"}) {
    EXPECT_EQ(StatusOf(Ask(path)), 401) << path;
    EXPECT_EQ(StatusOf(Ask(path, "Authorization: Bearer wrong!\r\n")), 401) << path;
  }
  EXPECT_EQ(StatusOf(Ask("/api/runs/1", "Authorization: Bearer secret\r\n")), 200);
}

TEST_F(RunPagesTest, AViewerStartsNoRuns) {
  Open();
  EXPECT_EQ(BodyOf(Ask("/api/jobs")), "null");
  EXPECT_EQ(StatusOf(Client(io, server->url()).Exchange(Post("/api/jobs", "{}"))), 405);
}

TEST_F(RunPagesTest, ListsRunsAlsoBeforeThereAreAny) {
  Open();
  EXPECT_EQ(json::parse(BodyOf(Ask("/api/runs")))["runs"], json::array());
  Recorded recorded(database());
  const json runs = json::parse(BodyOf(Ask("/api/runs?count=5")))["runs"];
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0]["strategy"], "rmaxts");
}

TEST_F(RunPagesTest, AStreamSendsAllEventsAndThenTheEnd) {
  Recorded recorded(database());
  recorded.Append("selected", 0);
  recorded.Append("checked", 1, "\"" + std::string(5000, 'x') + "\"");
  recorded.Finish();
  Open();
  const std::string stream = Ask("/api/runs/1/events");
  EXPECT_THAT(stream, HasSubstr("Content-Type: text/event-stream"));
  const std::string body = stream.substr(stream.find("\r\n\r\n") + 4);
  EXPECT_TRUE(body.starts_with("id: 1\ndata: [{"));
  EXPECT_TRUE(body.ends_with("\n\nevent: end\ndata: {}\n\n"));
  EXPECT_THAT(body, HasSubstr("\"cut\":true"));
  EXPECT_THAT(body, Not(HasSubstr("xxx")));
  const json whole = json::parse(BodyOf(Ask("/api/runs/1/events/1")));
  EXPECT_EQ(whole["answer"].get<std::string>().size(), 5000u);
}

TEST_F(RunPagesTest, AStreamCatchesUpAfterTheLastEventThatArrived) {
  Recorded recorded(database());
  for (int i = 0; i < 5; ++i) recorded.Append("selected", i);
  recorded.Finish();
  Open();
  const std::string rest = Ask("/api/runs/1/events", "Last-Event-ID: 3\r\n");
  EXPECT_THAT(rest, HasSubstr("\"node\":4"));
  EXPECT_THAT(rest, Not(HasSubstr("\"node\":3")));
  EXPECT_THAT(Ask("/api/runs/1/events?from=2"), HasSubstr("\"node\":2"));
}

TEST_F(RunPagesTest, AStreamFollowsARunThatGoesOn) {
  Recorded recorded(database());
  recorded.Append("selected", 0);
  Open();
  Client client(io, server->url());
  client.Send(Get("/api/runs/1/events"));
  core::Launch(io.get_executor(), AppendLater(io.get_executor(), recorded));
  const std::string stream = client.Receive();
  EXPECT_THAT(stream, HasSubstr("id: 0\n"));
  EXPECT_THAT(stream, HasSubstr("id: 1\n"));
  EXPECT_THAT(stream, HasSubstr("event: end"));
}

TEST_F(RunPagesTest, WhatThereIsNotIs404) {
  Recorded recorded(database());
  Open();
  for (const char* path :
       {"/api/runs/2", "/api/runs/2/events", "/api/runs/1/events/7", "/api/runs/x",
        "/api/runs/1/other", "/api/runs/-1", "/api/runsx", "/other"}) {
    EXPECT_EQ(StatusOf(Ask(path)), 404) << path;
  }
  const std::string answer = Client(io, server->url()).Exchange(Post("/api/runs", "{}"));
  EXPECT_EQ(StatusOf(answer), 405);
}

}  // namespace
}  // namespace zermelo::serve
