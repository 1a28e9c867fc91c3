#include "record/answer_json.h"

#include <gtest/gtest.h>
#include <limits>

namespace zermelo::record {
namespace {

using core::ErrorCode;
using llm::FinishReason;
using nlohmann::json;

/// What is stored in databases must stay readable: the text of each answer is fixed.
TEST(AnswerJsonTest, ChecksAreWrittenAndRead) {
  const std::string text =
      R"({"diagnostics":[{"begin":[1,2],"end":[3,4],"message":"m ℝ","severity":2}],)"
      R"("goals":[["g"],[]],)"
      R"("references":[{"begin":[1,2],"end":[1,4],"module":"M","name":"f"}],"seconds":0.5,"sorries":[{"at":[5,6],"goals":["s"]}],)"
      R"("stalled_part":0,"stopped_at_error":true,"verdict":"stalled"})";
  const auto read = AnswerOf<lean::CheckResult>(json::parse(text));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->status, lean::CheckStatus::kStalled);
  EXPECT_EQ(read->diagnostics.at(0).end.character, 4U);
  EXPECT_EQ(read->goals.at(0).at(0), "g");
  EXPECT_EQ(read->stalled_part, 0U);
  EXPECT_EQ(read->references.at(0).name, "f");
  EXPECT_EQ(TextOf(ToJson(*read)), text);
}

TEST(AnswerJsonTest, FieldsOfChecksThatAreNotSetAreLeftOut) {
  lean::CheckResult result;
  result.status = lean::CheckStatus::kAccepted;
  const json written = ToJson(result);
  EXPECT_EQ(written.dump(), R"({"diagnostics":[],"seconds":0.0,"verdict":"accepted"})");
  EXPECT_FALSE(AnswerOf<lean::CheckResult>(written)->stalled_part);
}

TEST(AnswerJsonTest, VerdictsHaveLeansNames) {
  for (const auto verdict : {lean::CheckStatus::kAccepted, lean::CheckStatus::kSorry,
                             lean::CheckStatus::kRejected, lean::CheckStatus::kStalled}) {
    lean::CheckResult result;
    result.status = verdict;
    EXPECT_EQ(ToJson(result)["verdict"], lean::Name(verdict));
  }
}

TEST(AnswerJsonTest, AdviceIsWrittenAndRead) {
  learn::Advice advice;
  advice.tactics.push_back({{"exact §0§", {{"h", {1, 2}}}}, true, 0.5, "t"});
  advice.premises = {"A.b"};
  const auto read = AnswerOf<learn::Advice>(json::parse(ToJson(advice).dump()));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->premises, advice.premises);
  ASSERT_EQ(read->tactics.size(), 1u);
  EXPECT_EQ(read->tactics[0].tactic, advice.tactics[0].tactic);
  EXPECT_TRUE(read->tactics[0].closes);
  EXPECT_FALSE(AnswerOf<learn::Advice>(json{{"premises", 1}}));
}

TEST(AnswerJsonTest, ChancesAreWrittenAndRead) {
  const std::string text = R"({"chances":[0.25,0.9]})";
  const auto read = AnswerOf<learn::Chances>(json::parse(text));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->chances, (std::vector<double>{0.25, 0.9}));
  EXPECT_EQ(TextOf(ToJson(*read)), text);
  EXPECT_FALSE(AnswerOf<learn::Chances>(json{{"chances", 1}}));
}

TEST(AnswerJsonTest, PremisesAreWrittenAndRead) {
  const std::string text =
      R"({"premises":[{"docstring":"d","kind":"theorem","module":"Init","name":"a.b",)"
      R"("score":1.5,"signature":": True"}]})";
  const auto read = AnswerOf<Premises>(json::parse(text));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->at(0).score, 1.5);
  EXPECT_EQ(TextOf(ToJson(*read)), text);
}

TEST(AnswerJsonTest, OutputsOfProgramsAreWrittenAndRead) {
  const std::string text = R"({"code":-1,"ended":"after 20 s","errors":"e","out":"o"})";
  const auto read = AnswerOf<core::PythonResult>(json::parse(text));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->code, -1);
  EXPECT_EQ(TextOf(ToJson(*read)), text);
}

TEST(AnswerJsonTest, ErrorsAreWrittenAndRead) {
  const json written = ToJson(core::Error{ErrorCode::kTimeout, "too late", "wait"});
  EXPECT_EQ(written.dump(), R"({"error":{"code":"timeout","hint":"wait","message":"too late"}})");
  const auto read = AnswerOf<lean::CheckResult>(written);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kTimeout);
  EXPECT_EQ(read.error().message, "too late");
  EXPECT_EQ(read.error().hint, "wait");
  EXPECT_EQ(ErrorIn(json::parse(R"({"error":{"code":"new"}})"))->code, ErrorCode::kInternal);
  EXPECT_FALSE(ErrorIn(json::parse(R"({"verdict":"sorry"})")));
}

TEST(AnswerJsonTest, SpoiltAnswersAreErrors) {
  for (const char* text : {"{}", "[]", "3", R"({"verdict":"good","seconds":0,"diagnostics":[]})",
                           R"({"verdict":"sorry","seconds":"x","diagnostics":3})"}) {
    const auto read = AnswerOf<lean::CheckResult>(json::parse(text));
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().code, ErrorCode::kInput) << text;
  }
}

TEST(AnswerJsonTest, TrialsOfTacticsAreWrittenAndRead) {
  using lean::ProbeResult;
  const Tried tried = std::vector<ProbeResult>{
      {.outcome = ProbeResult::Outcome::kOpen, .goals = {"⊢ p"}, .message = "unsolved goals\n⊢ p"},
      {.outcome = ProbeResult::Outcome::kClosed, .suggestion = "exact h"},
      {}};
  const std::string text = TextOf(ToJson(tried));
  EXPECT_EQ(text, R"({"tried":[{"goals":["⊢ p"],"message":"unsolved goals\n⊢ p","outcome":"open"},)"
                  R"({"outcome":"closed","suggestion":"exact h"},{"outcome":"unknown"}]})");
  const auto read = AnswerOf<Tried>(FromText(text));
  ASSERT_TRUE(read && *read) << read.error().message;
  EXPECT_EQ(TextOf(ToJson(*read)), text);
  EXPECT_FALSE(*AnswerOf<Tried>(ToJson(Tried()))) << "not ready";
  EXPECT_FALSE(AnswerOf<Tried>(json::parse(R"({"tried":[{"outcome":"good"}]})")));
}

TEST(AnswerJsonTest, EverythingInAReplySurvives) {
  llm::Completion completion;
  completion.text = std::string("bytes \xff\x00 and ℝ", 16);
  completion.reasoning = "r";
  completion.tool_calls = {{"1", "f", "{\"x\""}};
  completion.finish = FinishReason::kBroken;
  completion.logprobs = {{"a", -0.1}, {"b", -std::numeric_limits<double>::infinity()}};
  llm::Reply reply;
  reply.completions = {completion};
  reply.usage = {1, 2, 3, true};
  reply.seconds = 0.1;
  reply.attempts = 2;
  const json written = ToJson(ModelAnswer{.outcome = reply, .arrived = {}, .lost = reply.usage});
  const auto read = AnswerOf<ModelAnswer>(FromText(TextOf(written)));
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_TRUE(read->outcome);
  EXPECT_EQ(read->outcome->completions, reply.completions);
  EXPECT_EQ(read->outcome->usage, reply.usage);
  EXPECT_EQ(read->outcome->seconds, reply.seconds);
  EXPECT_EQ(read->outcome->attempts, reply.attempts);
  EXPECT_TRUE(read->arrived.empty());
  EXPECT_EQ(read->lost, reply.usage);
}

}  // namespace
}  // namespace zermelo::record
