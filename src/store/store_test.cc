#include <csignal>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/files/file.h"
#include "store/database.h"
#include "store/model_calls.h"

namespace zermelo::store {
namespace {

using ::testing::HasSubstr;

class StoreTest : public ::testing::Test {
 protected:
  std::unique_ptr<Database> Open(Access access = Access::kCreate) {
    auto database = Database::Open(path, access);
    EXPECT_TRUE(database) << database.error().message;
    return std::move(database).value();
  }
  const core::TemporaryFolder folder = std::move(*core::TemporaryFolder::Create("zermelo-test-"));
  const std::filesystem::path path = folder.path() / "runs.db";
};

ModelCall Call(const std::string& key, int64_t nth) {
  return {.model = "m", .key = key, .nth = nth, .request = "{}", .reply = std::string("a\0β", 4)};
}

TEST_F(StoreTest, CallsAreReadBackByteForByte) {
  {
    const auto database = Open();
    ModelCalls calls(*database);
    ASSERT_TRUE(calls.Append(Call("k", 0)));
    ASSERT_TRUE(calls.Append(Call("k", 1)));
  }
  const auto database = Open(Access::kReadOnly);
  ModelCalls calls(*database);
  EXPECT_EQ(calls.Find("k", 1).value(), Call("k", 1));
  EXPECT_EQ(calls.Find("k", 2).value(), std::nullopt);
  EXPECT_EQ(calls.NextOf("k").value(), 2);
  EXPECT_EQ(calls.NextOf("other").value(), 0);
  EXPECT_EQ(calls.OfModel("m").value(), (std::vector{Call("k", 0), Call("k", 1)}));
  EXPECT_TRUE(calls.OfModel("n").value().empty());
}

TEST_F(StoreTest, ACallIsNotRecordedTwice) {
  const auto database = Open();
  ModelCalls calls(*database);
  ASSERT_TRUE(calls.Append(Call("k", 0)));
  const auto again = calls.Append(Call("k", 0));
  ASSERT_FALSE(again);
  EXPECT_THAT(again.error().message, HasSubstr("runs.db: cannot record a model call: UNIQUE"));
}

TEST_F(StoreTest, AFileThatIsNotADatabaseIsLeftAlone) {
  std::ofstream(path) << "This is a text file, and long enough to have a header of its own ......"
                         "...............................................................";
  const auto database = Database::Open(path, Access::kCreate);
  ASSERT_FALSE(database);
  EXPECT_EQ(database.error().code, core::ErrorCode::kInput);
  EXPECT_THAT(core::ReadTextFile(path).value(), HasSubstr("This is a text file"));
}

TEST_F(StoreTest, AnotherProgramsDatabaseIsLeftAlone) {
  SQLite::Database(path.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE)
      .exec("CREATE TABLE recipes (name TEXT)");
  const auto bytes = [&] {
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const std::string before = bytes();
  const auto database = Database::Open(path, Access::kCreate);
  ASSERT_FALSE(database);
  EXPECT_EQ(bytes(), before);
  EXPECT_THAT(database.error().message, HasSubstr("tables that are not Zermelo's"));
}

TEST_F(StoreTest, ANewerFileIsRefused) {
  Open();
  SQLite::Database(path.string(), SQLite::OPEN_READWRITE).exec("PRAGMA user_version = 99");
  const auto database = Database::Open(path, Access::kCreate);
  ASSERT_FALSE(database);
  EXPECT_THAT(database.error().message,
              HasSubstr("was written by a newer Zermelo (schema version 99"));
}

TEST_F(StoreTest, AMissingFileIsNotCreatedForReading) {
  const auto database = Database::Open(path, Access::kReadOnly);
  ASSERT_FALSE(database);
  EXPECT_EQ(database.error().code, core::ErrorCode::kInput);
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(StoreTest, AFolderThatDoesNotExistIsAnError) {
  const auto database = Database::Open(folder.path() / "no" / "runs.db", Access::kCreate);
  ASSERT_FALSE(database);
  EXPECT_EQ(database.error().code, core::ErrorCode::kEnvironment);
}

TEST_F(StoreTest, ReadersDoNotWaitForTheWriter) {
  const auto writer = Open();
  ModelCalls written(*writer);
  ASSERT_TRUE(written.Append(Call("k", 0)));
  const auto reader = Open(Access::kReadOnly);
  ModelCalls read(*reader);
  EXPECT_TRUE(read.Find("k", 0).value());
  ASSERT_TRUE(written.Append(Call("k", 1)));
  EXPECT_TRUE(read.Find("k", 1).value());
}

/// Kills a process that records in an endless loop.
TEST_F(StoreTest, EveryRecordedCallSurvivesKillMinus9) {
  const std::string body(20'000, 'x');
  for (int round = 0; round < 5; ++round) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      auto database = Database::Open(path, Access::kCreate);
      if (!database) ::_exit(1);
      ModelCalls calls(**database);
      const std::string key = "round" + std::to_string(round);
      for (int64_t nth = 0;; ++nth) {
        if (!calls.Append({"m", key, nth, body, body})) ::_exit(1);
        if (::write(ends[1], "+", 1) != 1) ::_exit(1);
      }
    }
    ::close(ends[1]);
    char ignored[64];
    int64_t confirmed = 0;
    while (confirmed < 20 + 7 * round)
      confirmed += std::max<int64_t>(::read(ends[0], ignored, 1), 0);
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
    for (ssize_t more = 0; (more = ::read(ends[0], ignored, sizeof ignored)) > 0;)
      confirmed += more;
    ::close(ends[0]);

    const auto database = Open();
    ModelCalls calls(*database);
    const int64_t kept = calls.NextOf("round" + std::to_string(round)).value();
    EXPECT_GE(kept, confirmed);
    EXPECT_LE(kept, confirmed + 1);
    const auto all = calls.OfModel("m").value();
    for (const ModelCall& call : all) {
      ASSERT_EQ(call.request, body);
      ASSERT_EQ(call.reply, body);
    }
  }
}

}  // namespace
}  // namespace zermelo::store
