#include "cli/context.h"

#include <gtest/gtest.h>

namespace zermelo::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

core::Duration Parsed(const std::string& text) {
  const auto duration = ParseDuration(text);
  EXPECT_TRUE(duration) << text;
  return duration.value_or(core::Duration::zero());
}

TEST(ParseDuration, ReadsUnits) {
  EXPECT_EQ(Parsed("90"), seconds(90));
  EXPECT_EQ(Parsed("90s"), seconds(90));
  EXPECT_EQ(Parsed("250ms"), milliseconds(250));
  EXPECT_EQ(Parsed("2m"), minutes(2));
  EXPECT_EQ(Parsed("2min"), minutes(2));
  EXPECT_EQ(Parsed("1.5h"), minutes(90));
  EXPECT_EQ(Parsed("0.5"), milliseconds(500));
}

TEST(ParseDuration, OtherTextsAreUsageErrorsWithExamples) {
  for (const char* text : {"", "s", "abc", "5 s", " 5", "5x", "-5", "0", "0s", "inf", "nan", "1e99",
                           "1e400", "5mm", "0x10", "5s5", "1h30m"}) {
    const auto duration = ParseDuration(text);
    ASSERT_FALSE(duration) << text;
    EXPECT_EQ(duration.error().code, core::ErrorCode::kUsage);
    EXPECT_NE(duration.error().message.find("examples"), std::string::npos);
  }
}

TEST(DurationValidator, ConvertsTheOptionToSeconds) {
  CLI::App app;
  double time = 0;
  app.add_option("--time", time)->transform(DurationValidator());
  app.parse("--time 2m");
  EXPECT_EQ(time, 120);
}

TEST(DurationValidator, RejectsWithParseDurationsMessage) {
  CLI::App app;
  double time = 0;
  app.add_option("--time", time)->transform(DurationValidator());
  try {
    app.parse("--time soon");
    FAIL() << "it was accepted";
  } catch (const CLI::ValidationError& e) {
    EXPECT_NE(std::string(e.what()).find("'soon' is not a duration"), std::string::npos);
  }
}

TEST(Report, PrintsMessageAndHintAndReturnsTheExitCode) {
  ::testing::internal::CaptureStderr();
  const int code =
      Report({.code = core::ErrorCode::kEnvironment, .message = "no Lean", .hint = "install it"});
  EXPECT_EQ(code, 3);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "zermelo: no Lean\n  install it\n");
}

}  // namespace
}  // namespace zermelo::cli
