// For tests only: one worker of fake_lean.py.
#pragma once

#include <gtest/gtest.h>

#include "core/files/file.h"
#include "core/testing/testing.h"
#include "lean/testing/fake_lean.h"
#include "lean/worker.h"

namespace zermelo::lean::testing {

/// One worker of fake_lean.py; afterwards no process and no descriptor is left.
class WorkerTest : public ::testing::Test {
 protected:
  void SetUp() override { Restart({}); }
  void TearDown() override {
    worker.reset();
    core::testing::RunOut(*io);
    EXPECT_TRUE(core::testing::Children().empty());
    io.reset();
    EXPECT_EQ(core::testing::OpenDescriptors(), descriptors_before_);
  }

  void Restart(WorkerOptions options) {
    auto started = Worker::Start(io->get_executor(), FakeToolchain(folder.path()), options);
    ASSERT_TRUE(started);
    worker = std::move(*started);
  }
  static CheckRequest Request(std::string text, core::Deadline deadline) {
    CheckRequest request;
    request.text = std::move(text);
    request.deadline = deadline;
    return request;
  }
  /// A request that stops at its error; Lean drops the rest when the next text comes, unless
  /// `kept`.
  static CheckRequest WithAbandonedWork(bool kept) {
    std::string text = "def a := 1\n1\n" + Fake("error 3 bad") + "3\n" +
                       Fake("unfinished 1-2 5-7") + (kept ? Fake("keeps-the-rest") : "5\n") +
                       "6\n7\n";
    CheckRequest request = Request(std::move(text), core::testing::Generous());
    request.extent = UpToFirstError{LineRange{1, 7}};
    return request;
  }
  core::Result<CheckResult> Check(std::string text,
                                  core::Deadline deadline = core::testing::Generous()) {
    return Check(Request(std::move(text), deadline));
  }
  core::Result<CheckResult> Check(CheckRequest request) {
    return core::testing::Await(*io, worker->Check(std::move(request)));
  }
  /// The messages of a check that succeeds.
  std::vector<std::string> Messages(std::string text) {
    const auto result = Check(std::move(text));
    EXPECT_TRUE(result) << result.error().message;
    std::vector<std::string> messages;
    if (!result) return messages;
    for (const auto& d : result->diagnostics) messages.push_back(d.message);
    return messages;
  }
  /// The error of a check under which the worker dies.
  core::Error CrashOf(std::string text) {
    const auto result = Check(std::move(text));
    EXPECT_FALSE(result);
    EXPECT_FALSE(worker->alive());
    if (result) return {};
    EXPECT_EQ(result.error().code, core::ErrorCode::kCrashed) << result.error().message;
    return result.error();
  }
  std::string File(const std::string& name) const { return (folder.path() / name).string(); }

  const size_t descriptors_before_ = core::testing::OpenDescriptors();
  const core::TemporaryFolder folder = std::move(*core::TemporaryFolder::Create("zermelo-test-"));
  std::unique_ptr<boost::asio::io_context> io = std::make_unique<boost::asio::io_context>();
  std::unique_ptr<Worker> worker;
};

}  // namespace zermelo::lean::testing
