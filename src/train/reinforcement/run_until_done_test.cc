#include "train/reinforcement/run_until_done.h"

#include <gtest/gtest.h>

namespace zermelo::train {
namespace {

TEST(RunUntilDoneTest, ATaskThatCannotEndIsAnError) {
  boost::asio::io_context io;
  core::Signal never(io.get_executor());
  const auto task = [&]() -> core::Task<bool> {
    io.stop();
    co_await never.Wait(core::Deadline());
    co_return true;
  };
  EXPECT_THROW(RunUntilDone(io, task()), std::logic_error);
}

TEST(RunUntilDoneTest, OtherWorkMayGoOn) {
  boost::asio::io_context io;
  core::Signal never(io.get_executor());
  core::Launch(io.get_executor(), never.Wait(core::Deadline()));
  const auto task = []() -> core::Task<bool> { co_return true; };
  EXPECT_TRUE(RunUntilDone(io, task()));
}

}  // namespace
}  // namespace zermelo::train
