#include "store/runs.h"

#include <SQLiteCpp/Database.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/files/file.h"
#include "store/run_lock.h"

namespace zermelo::store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

class RunsTest : public ::testing::Test {
 protected:
  std::unique_ptr<Database> Open(Access access = Access::kCreate) const {
    auto database = Database::Open(path, access);
    EXPECT_TRUE(database) << database.error().message;
    return std::move(database).value();
  }
  static store::Run SomeRun() {
    return {.started = "2026-01-01T00:00:00Z",
            .program = "0.1",
            .file = "/a/b.lean",
            .fingerprint = "f",
            .toolchain = "{}",
            .request = R"({"x":1})"};
  }
  static Event Decision(int64_t seq, const std::string& kind) {
    return {.seq = seq, .at = 0.5, .kind = kind, .fields = R"({"node":1})"};
  }
  static Event Answered(int64_t seq, const std::string& reply) {
    Event event = Decision(seq, "generated");
    event.call = ModelCall{.model = "m", .key = "k", .nth = 0, .request = "{}", .reply = reply};
    return event;
  }

  const core::TemporaryFolder folder = std::move(*core::TemporaryFolder::Create("zermelo-test-"));
  const std::filesystem::path path = folder.path() / "runs.db";
};

TEST_F(RunsTest, ARunAndItsEventsAreReadBack) {
  const auto database = Open();
  Runs runs(*database);
  const int64_t id = runs.Add(SomeRun()).value();
  Event checked = Decision(1, "checked");
  checked.answer = std::string("a\0β", 4);
  ASSERT_TRUE(runs.Append(id, {Decision(0, "selected"), checked}, 1.5));
  ASSERT_TRUE(runs.Append(id, {Answered(2, "one"), Answered(3, "two")}, 1.25));
  const store::Run run = runs.Find(id).value().value();
  EXPECT_EQ(run.file, "/a/b.lean");
  EXPECT_EQ(run.state, "open");
  EXPECT_EQ(run.seconds, 1.5) << "work time never decreases";
  const auto events = runs.Events(id, 0, 100).value();
  ASSERT_EQ(events.size(), 4U);
  EXPECT_EQ(events[1], checked);
  EXPECT_EQ(events[2].call->nth, 0);
  EXPECT_EQ(events[3].call->nth, 1) << "an equal call gets the next number";
  EXPECT_EQ(events[3].call->reply, "two");
  EXPECT_EQ(runs.CountEvents(id).value(), 4);
  EXPECT_EQ(runs.Events(id, 1, 1).value().at(0).seq, 1);
  EXPECT_EQ(runs.Events(id, 0, 100, {"selected", "generated"}).value().size(), 3U);
  EXPECT_THAT(runs.Kinds(id).value(),
              ElementsAre(Pair("selected", 1), Pair("checked", 1), Pair("generated", 2)));
  EXPECT_EQ(runs.Find(99).value(), std::nullopt);
}

TEST_F(RunsTest, WhatARunHasUsedIsKeptWithItsEvents) {
  const auto database = Open();
  Runs runs(*database);
  const int64_t id = runs.Add(SomeRun()).value();
  const auto result = [&] { return runs.Find(id).value().value().result; };
  ASSERT_TRUE(runs.Append(id, {Decision(0, "a")}, 0, R"({"checks":1})"));
  EXPECT_EQ(result(), R"({"checks":1})");
  ASSERT_TRUE(runs.Finish(id, {}, R"({"proved":1,"checks":1})", false));  // interrupted
  ASSERT_TRUE(runs.Append(id, {Decision(1, "a")}, 0, R"({"checks":2})"));
  ASSERT_TRUE(runs.Append(id, {Decision(2, "a")}, 0));
  EXPECT_EQ(result(), R"({"proved":1,"checks":2})");
  EXPECT_FALSE(runs.Append(id, {Decision(2, "a")}, 0, R"({"checks":3})"));
  EXPECT_EQ(result(), R"({"proved":1,"checks":2})") << "all or nothing";
}

TEST_F(RunsTest, TheFileOfARunMayMove) {
  const auto database = Open();
  Runs runs(*database);
  const int64_t id = runs.Add(SomeRun()).value();
  ASSERT_TRUE(runs.SetFile(id, "/c/\"d\".lean"));
  const store::Run run = runs.Find(id).value().value();
  EXPECT_EQ(run.file, "/c/\"d\".lean");
  EXPECT_EQ(run.request, R"({"x":1,"file":"/c/\"d\".lean"})");
}

TEST_F(RunsTest, AppendingEventsIsAtomic) {
  const auto database = Open();
  Runs runs(*database);
  const int64_t id = runs.Add(SomeRun()).value();
  ASSERT_TRUE(runs.Append(id, {Decision(0, "a")}, 0));
  EXPECT_FALSE(runs.Append(id, {Answered(1, "lost"), Decision(0, "again")}, 0));
  EXPECT_EQ(runs.CountEvents(id).value(), 1);
  EXPECT_EQ(ModelCalls(*database).NextOf("k").value(), 0) << "the call is rolled back, too";
  EXPECT_FALSE(runs.Append(77, {Decision(0, "a")}, 0)) << "there is no such run";
}

TEST_F(RunsTest, OnlyARunWithoutEventsIsRemoved) {
  const auto database = Open();
  Runs runs(*database);
  const int64_t busy = runs.Add(SomeRun()).value();
  const int64_t idle = runs.Add(SomeRun()).value();
  ASSERT_TRUE(runs.Append(busy, {Decision(0, "a")}, 0));
  EXPECT_FALSE(runs.RemoveEmpty(busy).value());
  EXPECT_TRUE(runs.RemoveEmpty(idle).value());
  EXPECT_EQ(runs.Newest(5).value().size(), 1U);
  EXPECT_GT(runs.Add(SomeRun()).value(), idle) << "IDs are not reused";
}

TEST_F(RunsTest, ResultsOfAnEarlierEndAreReplaced) {
  const auto database = Open();
  Runs runs(*database);
  const int64_t id = runs.Add(SomeRun()).value();
  TheoremRow theorem{.position = 0, .name = "t", .line = 3, .status = "unproved", .axioms = "[]"};
  ASSERT_TRUE(runs.Finish(id, {theorem}, "{}", false));
  EXPECT_EQ(runs.Find(id).value()->state, "open");
  theorem.status = "proved";
  theorem.proof = "rfl";
  ASSERT_TRUE(runs.Finish(id, {theorem}, R"({"proved":1})", true));
  EXPECT_EQ(runs.Theorems(id).value(), std::vector{theorem});
  EXPECT_EQ(runs.Newest(5).value().at(0).state, "finished");
}

/// With the tables of version 1.
TEST_F(RunsTest, ADatabaseOfVersion1IsMigratedWithItsContents) {
  {
    SQLite::Database old(path.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    old.exec(
        "CREATE TABLE model_calls (id INTEGER PRIMARY KEY, model TEXT NOT NULL, key TEXT NOT NULL, "
        "nth INTEGER NOT NULL, request TEXT NOT NULL, reply TEXT NOT NULL, UNIQUE (key, nth)) "
        "STRICT; CREATE INDEX model_calls_by_model ON model_calls (model); "
        "INSERT INTO model_calls VALUES (1, 'm', 'k', 0, '{}', 'kept'); PRAGMA user_version = 1");
  }
  for (const Access access : {Access::kReadOnly, Access::kCreate}) {
    const auto database = Open(access);
    EXPECT_EQ(ModelCalls(*database).Find("k", 0).value()->reply, "kept");
    EXPECT_TRUE(Runs(*database).Newest(1).value().empty());
  }
  const auto database = Open();
  EXPECT_TRUE(Runs(*database).Add(SomeRun()));
}

TEST_F(RunsTest, AFullDiskIsReportedAndLosesNothing) {
  const auto database = Open();
  Runs runs(*database);
  const int64_t id = runs.Add(SomeRun()).value();
  ASSERT_TRUE(runs.Append(id, {Decision(0, "a")}, 0));
  auto pages =
      database->Prepare("PRAGMA max_page_count = 1");  // SQLite raises it to the current size
  pages.executeStep();
  Event large = Decision(1, "checked");
  large.answer = std::string(1'000'000, 'x');
  const auto full = runs.Append(id, {large}, 0);
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().code, core::ErrorCode::kEnvironment);
  EXPECT_THAT(full.error().message, HasSubstr("cannot record events"));
  EXPECT_THAT(full.error().hint, HasSubstr("the disk is full"));
  EXPECT_EQ(runs.CountEvents(id).value(), 1);
}

TEST_F(RunsTest, ADamagedFileIsReported) {
  {
    const auto database = Open();
    Runs runs(*database);
    const int64_t id = runs.Add(SomeRun()).value();
    Event large = Decision(0, "checked");
    large.answer = std::string(100'000, 'x');
    ASSERT_TRUE(runs.Append(id, {large}, 0));
  }
  std::FILE* const file = std::fopen(path.c_str(), "r+b");
  std::fseek(file, 4096, SEEK_SET);
  const std::string noise(40'960, '\xAB');
  std::fwrite(noise.data(), 1, noise.size(), file);
  std::fclose(file);
  const auto database = Database::Open(path, Access::kCreate);
  const auto read = database ? Runs(**database).Newest(1).map([](const auto&) {})
                             : core::Status(core::Fail(database.error()));
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, core::ErrorCode::kInput);
  EXPECT_THAT(read.error().hint, HasSubstr("damaged"));
}

TEST_F(RunsTest, ManyProcessesMayCreateTheFileAtOnce) {
  std::vector<pid_t> children;
  for (int i = 0; i < 8; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      auto database = Database::Open(path, Access::kCreate);
      ::_exit(database && Runs(**database).Add(SomeRun()) ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  const auto database = Open();
  EXPECT_EQ(Runs(*database).Newest(100).value().size(), 8U);
}

/// Each process records its own run in the same file.
TEST_F(RunsTest, TwoProcessesRecordSideBySide) {
  Open();
  std::vector<pid_t> children;
  for (int i = 0; i < 2; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      auto database = Database::Open(path, Access::kCreate);
      if (!database) ::_exit(1);
      Runs runs(**database);
      const auto id = runs.Add(SomeRun());
      bool all = id.has_value();
      for (int64_t seq = 0; all && seq < 200; ++seq) {
        all = runs.Append(*id, {Answered(seq, "r")}, 0).has_value();
      }
      ::_exit(all ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  const auto database = Open();
  EXPECT_EQ(Runs(*database).CountEvents(1).value(), 200);
  EXPECT_EQ(Runs(*database).CountEvents(2).value(), 200);
  EXPECT_EQ(ModelCalls(*database).NextOf("k").value(), 400);
}

TEST_F(RunsTest, OneProcessAtATimeWorksOnARun) {
  const auto mine = RunLock::Take(path, 1);
  ASSERT_TRUE(mine);
  EXPECT_TRUE(RunLock::Take(path, 2)) << "another run";
  const auto theirs = RunLock::Take(path, 1);
  ASSERT_FALSE(theirs);
  EXPECT_THAT(theirs.error().message, HasSubstr("another process is working on run 1"));
}

}  // namespace
}  // namespace zermelo::store
