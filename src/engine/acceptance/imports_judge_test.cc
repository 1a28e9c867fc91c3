#include "engine/acceptance/imports_judge.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <utility>

#include "core/testing/testing.h"

namespace zermelo::engine {
namespace {

namespace fs = std::filesystem;
using core::testing::Await;
using core::testing::Started;
using Judged = core::Result<trust::ImportsVerdict>;

// Files of the embedded Lean: Init.Prelude imports nothing, Init.Core imports it.
class JudgingImports : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(library_ / "Init.olean")) GTEST_SKIP() << "the embedded Lean is not installed";
  }

  trust::ImportsRequest Request(const char* module, size_t modules) const {
    trust::ImportsRequest request;
    request.module = library_ / module;
    request.search_path = {library_};
    request.modules = modules;
    request.fingerprint = module;
    return request;
  }

  const fs::path library_ = fs::path(ZERMELO_SOURCE_DIR) / "embedded/build/lib/lean";
  boost::asio::io_context io_;
};

TEST_F(JudgingImports, EachSetIsCheckedOnceAlsoByTwoAtATime) {
  ImportsJudge judge(io_.get_executor());
  trust::ImportsRequest request = Request("Init/Prelude.olean", 0);
  Started<Judged> first(io_, judge.Judge(request, nullptr));
  request.module = "/nowhere";  // so that another check would be an error
  Started<Judged> second(io_, judge.Judge(request, nullptr));
  EXPECT_TRUE(first.Get());
  EXPECT_TRUE(second.Get());
  EXPECT_TRUE(Await(io_, judge.Judge(request, nullptr)));
}

TEST_F(JudgingImports, AnErrorIsNotRemembered) {
  ImportsJudge judge(io_.get_executor());
  trust::ImportsRequest request = Request("Init/Prelude.olean", 0);
  const fs::path module = std::exchange(request.module, "/nowhere");
  EXPECT_FALSE(Await(io_, judge.Judge(request, nullptr)));
  request.module = module;
  EXPECT_TRUE(Await(io_, judge.Judge(request, nullptr)));
}

TEST_F(JudgingImports, ProgressIsReportedAndAnotherLibraryIsAnError) {
  size_t reports = 0;
  ImportsJudge judge(io_.get_executor(), [&](const char*, size_t, size_t) { ++reports; });
  const Judged judged = Await(io_, judge.Judge(Request("Init/Core.olean", 0), nullptr));
  ASSERT_FALSE(judged);
  EXPECT_EQ(judged.error().code, core::ErrorCode::kEnvironment);
  EXPECT_GT(reports, 0U);
}

TEST_F(JudgingImports, ACancelledCheckEnds) {
  core::Cancellation cancellation;
  cancellation.Request();
  ImportsJudge judge(io_.get_executor());
  const Judged judged = Await(io_, judge.Judge(Request("Init/Core.olean", 0), &cancellation));
  ASSERT_FALSE(judged);
  EXPECT_EQ(judged.error().code, core::ErrorCode::kCancelled);
}

}  // namespace
}  // namespace zermelo::engine
