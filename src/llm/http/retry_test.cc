#include "llm/http/retry.h"

#include <ctime>
#include <gtest/gtest.h>

namespace zermelo::llm {
namespace {

using core::ErrorCode;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

HttpReply WithStatus(int status, const std::string& body = "") {
  return {.status = status, .body = body};
}
Failure Status(int status) { return DescribeFailure(WithStatus(status), std::nullopt); }
Failure Ended(HttpEnd end) {
  return DescribeFailure({.end = end, .what = "it ended"}, std::nullopt);
}

std::optional<core::Duration> PauseOf(int status, std::map<std::string, std::string> headers) {
  return DescribeFailure({.status = status, .headers = std::move(headers)}, std::nullopt).pause;
}

TEST(MayRepeat, OnlyFailuresThatMayPass) {
  for (const int again : {408, 409, 425, 429, 500, 502, 503, 504, 529}) {
    EXPECT_TRUE(MayRepeat(Status(again))) << again;
  }
  for (const int never : {301, 400, 401, 402, 403, 404, 405, 413, 422, 501}) {
    EXPECT_FALSE(MayRepeat(Status(never))) << never;
  }
  for (const auto again : {HttpEnd::kUnreachable, HttpEnd::kBroken, HttpEnd::kStalled}) {
    EXPECT_TRUE(MayRepeat(Ended(again)));
  }
  for (const auto never :
       {HttpEnd::kTls, HttpEnd::kTooLarge, HttpEnd::kDeadline, HttpEnd::kCancelled}) {
    EXPECT_FALSE(MayRepeat(Ended(never)));
  }
}

TEST(MayRepeat, AnUnusableAnswerIsRetried) {
  EXPECT_TRUE(MayRepeat(DescribeFailure(WithStatus(200), ServerError{.status = 200})));
}

TEST(MayRepeat, NotWhenTheQuotaIsSpent) {
  EXPECT_FALSE(MayRepeat(DescribeFailure(
      WithStatus(429, R"({"error": {"message": "m", "code": "insufficient_quota"}})"),
      std::nullopt)));
}

TEST(RetryAfter, IsReadInAllItsForms) {
  EXPECT_EQ(PauseOf(503, {{"retry-after", "7"}}), seconds(7));
  EXPECT_EQ(PauseOf(429, {{"retry-after", "0.25"}}), milliseconds(250));
  EXPECT_EQ(PauseOf(429, {{"retry-after-ms", "1500"}, {"retry-after", "9"}}), milliseconds(1500));
  EXPECT_EQ(PauseOf(429, {{"retry-after", "Wed, 21 Oct 2015 07:28:00 GMT"}}), seconds(0));
  EXPECT_EQ(PauseOf(429, {{"retry-after", "soon"}}), std::nullopt);
  EXPECT_EQ(PauseOf(429, {}), std::nullopt);
  char date[64];
  const time_t in_a_minute = std::time(nullptr) + 60;
  std::strftime(date, sizeof date, "%a, %d %b %Y %H:%M:%S GMT", std::gmtime(&in_a_minute));
  EXPECT_NEAR(core::Seconds(PauseOf(429, {{"retry-after", date}}).value()), 60, 3);
}

TEST(RetryAfter, OpenAisResetTimeOfTheLimitThatWasHit) {
  std::map<std::string, std::string> headers = {{"x-ratelimit-remaining-requests", "0"},
                                                {"x-ratelimit-reset-requests", "1s"},
                                                {"x-ratelimit-remaining-tokens", "5000"},
                                                {"x-ratelimit-reset-tokens", "6m0s"}};
  EXPECT_EQ(PauseOf(429, headers), seconds(1));
  headers["x-ratelimit-remaining-tokens"] = "0";
  EXPECT_EQ(PauseOf(429, headers), minutes(6));
  EXPECT_EQ(PauseOf(500, headers), std::nullopt) << "these headers come with every reply";
}

TEST(DelayBeforeRetry, GrowsToItsLimitWithJitter) {
  const RetryPolicy policy;
  const auto delay = [&](int failures, double random) {
    return DelayBeforeRetry(policy, Status(500), failures, random);
  };
  EXPECT_EQ(delay(1, 0), milliseconds(500));
  EXPECT_EQ(delay(2, 0), seconds(1));
  EXPECT_EQ(delay(7, 0), seconds(32));
  EXPECT_EQ(delay(2, 0.5), milliseconds(750));
  EXPECT_EQ(delay(8, 0), std::nullopt) << "max_failures is reached";
  EXPECT_EQ(DelayBeforeRetry(policy, Status(400), 1, 0), std::nullopt);
  EXPECT_EQ(DelayBeforeRetry({.max_failures = 100}, Status(500), 99, 0), seconds(60));
}

TEST(DelayBeforeRetry, ATooLongPauseIsNotWaitedFor) {
  Failure failure = Status(429);
  failure.pause = minutes(14);
  EXPECT_TRUE(DelayBeforeRetry({}, failure, 1, 0));
  failure.pause = minutes(16);
  EXPECT_FALSE(DelayBeforeRetry({}, failure, 1, 0));
}

TEST(ToError, NamesTheCauseAndTheRemedy) {
  const auto key = ToError(Status(401), "http://h/v1", "OPENAI_API_KEY");
  EXPECT_EQ(key.code, ErrorCode::kUsage);
  EXPECT_NE(key.hint.find("OPENAI_API_KEY"), std::string::npos);
  EXPECT_EQ(ToError(Status(404), "u", "").code, ErrorCode::kUsage);
  EXPECT_EQ(ToError(Status(503), "u", "").code, ErrorCode::kEnvironment);
  EXPECT_EQ(ToError(Status(429), "u", "").code, ErrorCode::kEnvironment);
  EXPECT_EQ(ToError(Ended(HttpEnd::kUnreachable), "u", "").message, "u: it ended");
  const auto refused = [](const std::string& message) {
    return ToError({.server = {.status = 400, .message = message}}, "u", "");
  };
  for (const char* too_long : {"This model's maximum context length is 4096 tokens",
                               "request (5004 tokens) exceeds the available context size"}) {
    EXPECT_EQ(refused(too_long).code, ErrorCode::kTooLong);
    EXPECT_NE(refused(too_long).hint.find("max_tokens"), std::string::npos);
    EXPECT_EQ(refused(too_long).message, std::string("u: status 400: ") + too_long);
  }
  const auto field = refused("Invalid JSON payload received. Unknown name \"seed\"");
  EXPECT_EQ(field.code, ErrorCode::kUsage);
  EXPECT_NE(field.hint.find("dialect"), std::string::npos);
  EXPECT_EQ(refused("the prompt triggered the content filter").code, ErrorCode::kRefused);
  EXPECT_EQ(refused("Your credit balance is too low").code, ErrorCode::kUsage);
  EXPECT_EQ(ToError(Status(402), "u", "").code, ErrorCode::kUsage);
  const auto redirect =
      DescribeFailure({.status = 301, .headers = {{"location", "https://h"}}}, std::nullopt);
  EXPECT_EQ(ToError(redirect, "http://h", "").message,
            "http://h: status 301: the server redirects to https://h");
}

}  // namespace
}  // namespace zermelo::llm
