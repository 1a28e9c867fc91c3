#include "core/process/open_files.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "core/process/subprocess.h"
#include "core/testing/testing.h"

namespace zermelo::core {
namespace {

/// Puts the test program's own limit back.
class OpenFilesTest : public ::testing::Test {
 protected:
  OpenFilesTest() { ::getrlimit(RLIMIT_NOFILE, &own_); }
  ~OpenFilesTest() override { ::setrlimit(RLIMIT_NOFILE, &own_); }

  static rlim_t Limit() {
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    return limit.rlim_cur;
  }

  rlimit own_{};
};

TEST_F(OpenFilesTest, ThisProcessGetsTheMostAndItsChildrenWhatItHad) {
  rlimit low = own_;
  low.rlim_cur = 200;
  ASSERT_LT(low.rlim_cur, low.rlim_max);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &low), 0);
  RaiseOpenFileLimit();
  EXPECT_EQ(Limit(), std::min<rlim_t>(own_.rlim_max, 65'536));
  RaiseOpenFileLimit();  // changes nothing more
  boost::asio::io_context io;
  const auto shell = testing::Await(
      io, RunProcess({.argv = {"/bin/sh", "-c", "ulimit -n"}}, "", testing::Generous(), 1000));
  ASSERT_TRUE(shell);
  EXPECT_EQ(shell->out, "200\n");
}

}  // namespace
}  // namespace zermelo::core
