#include "core/process/limited_run.h"

#include <gtest/gtest.h>

#include "core/testing/testing.h"

namespace zermelo::core {
namespace {

class LimitedRunTest : public ::testing::Test {
 protected:
  ~LimitedRunTest() override {
    testing::RunOut(io_);
    EXPECT_TRUE(testing::Children().empty()) << "everything is reaped";
  }
  LimitedRun Run(const std::string& script, const std::string& input = "") {
    SubprocessOptions options;
    options.argv = {"/bin/sh", "-c", script};
    auto run = testing::Await(io_, RunLimited(options, input, limits_, &cancellation_));
    EXPECT_TRUE(run) << run.error().message;
    return run.value_or(LimitedRun());
  }

  boost::asio::io_context io_;
  Cancellation cancellation_;
  RunLimits limits_{.time = std::chrono::seconds(60), .bytes = 1ULL << 30U};
};

TEST_F(LimitedRunTest, AnswersWhatItIsGiven) {
  const LimitedRun run = Run("cat; echo oh >&2; exit 3", "a line\n");
  EXPECT_EQ(run.out, "a line\n");
  EXPECT_EQ(run.err, "oh\n");
  EXPECT_EQ(run.status.code, 3);
  EXPECT_EQ(run.limit, "");
}

TEST_F(LimitedRunTest, OneThatDoesNotReadEndsAllTheSame) {
  EXPECT_EQ(Run("exec <&-; exit 4", std::string(4U << 20U, 'x')).status.code, 4);
}

TEST_F(LimitedRunTest, NamesTheLimitThatItReached) {
  limits_.time = std::chrono::seconds(1);
  EXPECT_EQ(Run("exec sleep 600").limit, "it needs more than 1 s");
  limits_.time = std::chrono::seconds(60);
  limits_.standstill = std::chrono::milliseconds(300);
  const LimitedRun hung = Run("exec sleep 600");
  EXPECT_EQ(hung.limit, "it hung (almost no processor time used)");
  EXPECT_TRUE(hung.hung);
  limits_.standstill.reset();
  limits_.bytes = 1;
  EXPECT_EQ(Run("exec sleep 600").limit, "it needs more than 0 MB of memory");
}

TEST_F(LimitedRunTest, ACancelledOneIsKilled) {
  boost::asio::post(io_, [&] { cancellation_.Request(); });
  EXPECT_NE(Run("exec sleep 600").status.signal, 0);
}

TEST_F(LimitedRunTest, WhatCannotBeStartedIsAnError) {
  SubprocessOptions options;
  options.argv = {"/nowhere/at/all"};
  const auto run = testing::Await(io_, RunLimited(options, "", limits_, nullptr));
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, ErrorCode::kEnvironment);
}

}  // namespace
}  // namespace zermelo::core
