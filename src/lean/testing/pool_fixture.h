// For tests only: a pool of fake_lean.py.
#pragma once

#include <gtest/gtest.h>

#include "core/files/file.h"
#include "core/testing/testing.h"
#include "lean/pool.h"
#include "lean/testing/fake_lean.h"

namespace zermelo::lean::testing {

using Running = core::testing::Started<core::Result<CheckResult>>;

/// A pool of fake_lean.py; afterwards no process and no descriptor is left.
class PoolTest : public ::testing::Test {
 protected:
  void TearDown() override {
    pool.reset();
    core::testing::RunOut(*io);
    EXPECT_TRUE(core::testing::Children().empty());
    io.reset();
    EXPECT_EQ(core::testing::OpenDescriptors(), descriptors_before_);
  }

  void Open(PoolOptions options) {
    pool = std::make_unique<Pool>(io->get_executor(), FakeToolchain(folder.path()),
                                  std::move(options));
  }
  Running Start(std::string text, core::Deadline deadline = core::testing::Generous()) {
    CheckRequest request;
    request.text = std::move(text);
    request.deadline = deadline;
    return {*io, pool->Check(std::move(request))};
  }
  core::Result<CheckResult> Check(std::string text,
                                  core::Deadline deadline = core::testing::Generous()) {
    return Start(std::move(text), deadline).Get();
  }
  /// The first message; with `-- fake: pid` it identifies the worker.
  static std::string Message(const core::Result<CheckResult>& result) {
    if (!result) return result.error().message;
    return result->diagnostics.empty() ? "" : result->diagnostics.front().message;
  }
  /// Starts a check that occupies its worker until the deadline, and waits until Lean works on it.
  Running Occupy(const std::string& name, core::Deadline deadline = core::testing::Generous()) {
    Running check = Start("def a := 1\n" + Fake("touch " + File(name)) + Fake("hang"), deadline);
    core::testing::RunUntil(*io, [&] { return std::filesystem::exists(File(name)); });
    return check;
  }
  std::string File(const std::string& name) const { return (folder.path() / name).string(); }

  const size_t descriptors_before_ = core::testing::OpenDescriptors();
  const core::TemporaryFolder folder = std::move(*core::TemporaryFolder::Create("zermelo-test-"));
  std::unique_ptr<boost::asio::io_context> io = std::make_unique<boost::asio::io_context>();
  std::unique_ptr<Pool> pool;
};

}  // namespace zermelo::lean::testing
