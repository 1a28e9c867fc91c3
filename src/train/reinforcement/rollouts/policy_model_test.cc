#include "train/reinforcement/rollouts/policy_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/testing/testing.h"

namespace zermelo::train {
namespace {

class DoInPlaceTest : public ::testing::Test {
 protected:
  /// Three works in one place, each with `kSeconds`; `give_back`: before their end.
  void Run(bool give_back) {
    core::Gate places(io_.get_executor(), 1);
    core::Signal ended(io_.get_executor());
    core::TaskGroup group(io_.get_executor());
    const auto all = [&]() -> core::Task<bool> {
      for (int i = 0; i < 3; ++i) {
        group.Spawn(
            DoInPlace(places, io_.get_executor(), kSeconds,
                      [&](const strategy::Limits& limits,
                          std::unique_ptr<core::Gate::Pass> place) -> core::Task<void> {
                        begins_.push_back(limits.deadline.at() - core::FromSeconds(kSeconds));
                        if (give_back) place = nullptr;
                        while (give_back && begins_.size() < 3)
                          co_await ended.Wait(core::testing::Generous());
                        co_await boost::asio::post(io_.get_executor(), boost::asio::use_awaitable);
                        ended.Notify();
                        ends_.push_back(core::Clock::now());
                      }));
      }
      co_await group.Join();
      co_return true;
    };
    core::testing::Await(io_, all());
  }

  static constexpr double kSeconds = 1000;
  boost::asio::io_context io_;
  std::vector<core::Clock::time_point> begins_, ends_;
};

TEST_F(DoInPlaceTest, TheWaitForAPlaceDoesNotCount) {
  Run(false);
  ASSERT_EQ(begins_.size(), 3U);
  EXPECT_GE(begins_[1], ends_[0]);
  EXPECT_GE(begins_[2], ends_[1]);
}

TEST_F(DoInPlaceTest, APlaceMayBeGivenBackEarly) {
  Run(true);
  ASSERT_EQ(begins_.size(), 3U);
  EXPECT_LT(begins_[2], ends_[0]);
}

}  // namespace
}  // namespace zermelo::train
