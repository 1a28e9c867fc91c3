#include "engine/stored_call_log.h"

#include <csignal>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/file.h"
#include "core/testing.h"
#include "llm/call_json.h"
#include "llm/fake_model.h"

namespace zermelo::engine {
namespace {

using core::testing::Await;
using core::testing::Generous;
using llm::testing::Answer;
using llm::testing::Ask;
using llm::testing::FakeModel;
using llm::testing::Within;
using store::Access;
using store::Database;

class StoredCallLogTest : public ::testing::Test {
 protected:
  std::string Text(boost::asio::io_context& io, llm::Model& model, const llm::Request& request) {
    const auto reply = Await(io, model.Generate(request, Within(Generous())));
    return reply ? llm::ToJson(*reply).dump() : reply.error().message;
  }
  const core::TemporaryFolder folder = std::move(*core::TemporaryFolder::Create("zermelo-test-"));
  const std::filesystem::path path = folder.path() / "runs.db";
};

TEST_F(StoredCallLogTest, ARunIsReplayedFromTheFileByteForByte) {
  boost::asio::io_context io;
  std::vector<std::string> first, second;
  {
    auto database = Database::Open(path, Access::kCreate).value();
    StoredCallLog log(*database);
    FakeModel model(io.get_executor(), "m", [](const llm::Request&, size_t call) {
      return Answer({"answer ℝ " + std::to_string(call)});
    });
    const auto recording = llm::MakeRecordingModel(model, log, "s");
    for (const char* prompt : {"a", "b", "a"}) first.push_back(Text(io, *recording, Ask(prompt)));
  }
  auto database = Database::Open(path, Access::kReadOnly).value();
  StoredCallLog log(*database);
  const auto replaying = llm::MakeReplayingModel("m", log, "s");
  for (const char* prompt : {"a", "b", "a"}) second.push_back(Text(io, *replaying, Ask(prompt)));
  EXPECT_EQ(first, second);
  EXPECT_EQ(Text(io, *replaying, Ask("c")),
            "the record of model m has no call with this request; the nearest one differs in "
            "/request/prompt from byte 0 on: \"c\" instead of \"a\"");
  const auto other = llm::MakeReplayingModel("other", log, "s");
  EXPECT_EQ(Text(io, *other, Ask("a")),
            "no call of model other is recorded; the record has calls of: m");
}

/// Calls and records until the process is killed.
[[noreturn]] void RecordForEver(const std::filesystem::path& path, int told) {
  auto database = Database::Open(path, Access::kCreate);
  if (!database) ::_exit(1);
  boost::asio::io_context io;
  StoredCallLog log(**database);
  FakeModel model(io.get_executor(), "m", [](const llm::Request&, size_t call) {
    return Answer({std::to_string(call) + std::string(30'000, 'x')});
  });
  const auto recording = llm::MakeRecordingModel(model, log, "s");
  while (true) {
    const auto reply = Await(io, recording->Generate(Ask("a"), Within(Generous())));
    if (!reply || ::write(told, "+", 1) != 1) ::_exit(1);
  }
}

TEST_F(StoredCallLogTest, AKilledRecordingReplaysAllItsAnswers) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) RecordForEver(path, ends[1]);
  ::close(ends[1]);
  char some[64];
  size_t answered = 0;
  while (answered < 40) {
    const ssize_t size = ::read(ends[0], some, 1);
    ASSERT_EQ(size, 1) << "the child cannot record";
    ++answered;
  }
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  for (ssize_t more = 0; (more = ::read(ends[0], some, sizeof some)) > 0;) {
    answered += static_cast<size_t>(more);
  }
  ::close(ends[0]);

  boost::asio::io_context io;
  auto database = Database::Open(path, Access::kReadOnly).value();
  StoredCallLog log(*database);
  EXPECT_EQ(log.Models().value(), std::vector<std::string>{"m"});
  const auto replaying = llm::MakeReplayingModel("m", log, "s");
  for (size_t call = 0; call < answered; ++call) {
    const auto reply = Await(io, replaying->Generate(Ask("a"), Within(Generous())));
    ASSERT_TRUE(reply) << reply.error().message;
    ASSERT_EQ(reply->completions[0].text, std::to_string(call) + std::string(30'000, 'x'));
  }
}

}  // namespace
}  // namespace zermelo::engine
