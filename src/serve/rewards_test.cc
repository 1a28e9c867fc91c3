#include "serve/rewards.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "serve/http/json_fields.h"

namespace zermelo::serve {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;

constexpr const char* kStatement = "theorem t : 1 = 1 := by\n  sorry\n";

std::string ComplaintOf(const json& body) {
  try {
    openrlhf::Parse(body);
  } catch (const BadRequest& bad) {
    return bad.what();
  }
  return "";
}

TEST(OpenRlhf, TakesTheStatementFromTheLabelAndTheProofFromTheAnswer) {
  json body;
  body["query"] = {"prove it<|assistant|>Well.\n```lean4\ntheorem t : 1 = 1 := rfl\n```<|end|>"};
  body["prompts"] = {"prove it"};
  body["labels"] = {kStatement};
  const auto batch = openrlhf::Parse(body);
  ASSERT_EQ(batch.samples.size(), 1u);
  EXPECT_EQ(batch.samples[0].statement, kStatement);
  EXPECT_EQ(batch.samples[0].candidate, "theorem t : 1 = 1 := rfl\n");
}

TEST(OpenRlhf, TakesTheStatementFromThePromptWhenThereIsNoLabel) {
  const std::string prompt = std::string("Complete:\n```lean4\n") + kStatement + "```\n";
  json body;
  body["query"] = {prompt + "```lean4\ntheorem t : 1 = 1 := rfl\n```"};
  body["prompts"] = {prompt};
  body["labels"] = {nullptr};
  EXPECT_EQ(openrlhf::Parse(body).samples[0].statement, kStatement);
}

TEST(OpenRlhf, AnAnswerThatContinuesThePromptsBlockIncludesIt) {
  json body;
  const std::string prompt = "```lean4\ntheorem t : 1 = 1 := by\n";
  body["query"] = {prompt + "  rfl\n```"};
  body["prompts"] = {prompt};
  body["labels"] = {kStatement};
  EXPECT_EQ(openrlhf::Parse(body).samples[0].candidate, "theorem t : 1 = 1 := by\n  rfl\n");
}

TEST(OpenRlhf, AnAnswerWithoutCodeDoesNotGetThePromptsCode) {
  const std::string prompt = "```lean4\ntheorem t : 1 = 1 := rfl\n```\n";
  json body;
  body["query"] = {prompt + "I do not know."};
  body["prompts"] = {prompt};
  body["labels"] = {kStatement};
  EXPECT_THAT(openrlhf::Parse(body).samples[0].candidate, HasSubstr("I do not know."));
}

TEST(OpenRlhf, NoStatementIsAnError) {
  EXPECT_THAT(ComplaintOf({{"query", {"theorem t : True := trivial"}}}), HasSubstr("no statement"));
}

TEST(OpenRlhf, ListsOfDifferentLengthsAreAnError) {
  EXPECT_THAT(ComplaintOf({{"query", {"a", "b"}}, {"labels", {kStatement}}}),
              HasSubstr("same length"));
  EXPECT_THAT(ComplaintOf({{"query", {1}}, {"labels", {kStatement}}}), HasSubstr("query"));
  EXPECT_THAT(ComplaintOf({{"query", json::array()}}), HasSubstr("query"));
}

TEST(OpenRlhf, OnlyAnAcceptedProofIsRewardedAndWhatWasNotJudgedHasNoReward) {
  std::vector<Judgement> judgements;
  for (size_t i = 0; i < kOutcomes; ++i) {
    Judgement judgement;
    judgement.outcome = static_cast<VerificationStatus>(i);
    judgements.push_back(judgement);
  }
  const auto answer = openrlhf::Answer(judgements, "4.28.0");
  EXPECT_EQ(answer["lean"]["warnings"].size(), 5U);
  EXPECT_THAT(answer["rewards"], ElementsAre(1, 0, 0, 0, 0, nullptr, nullptr, nullptr, nullptr));
  EXPECT_THAT(answer["outcomes"],
              ElementsAre("accepted", "open", "rejected", "rejected", "timed_out", "crashed",
                          "infrastructure", "infrastructure", "infrastructure"));
  EXPECT_EQ(answer["rewards"], answer["scores"]);
  EXPECT_EQ(answer["extra_logs"]["timeout"][4], 1);
}

TEST(OpenRlhf, AnswersThatRunProgramsAreMarkedWhereProgramsAreAllowed) {
  std::vector<Judgement> judgements(2);
  judgements[1].runs_programs = true;
  EXPECT_THAT(openrlhf::Answer(judgements, "4.28.0", true)["runs_programs"],
              ElementsAre(false, true));
  EXPECT_FALSE(openrlhf::Answer(judgements, "4.28.0").contains("runs_programs"));
}

nemo_gym::Execution ExecutionOf(json body) {
  body["generated_code"] = "theorem t : 1 = 1 := rfl";
  return nemo_gym::Parse(body);
}

TEST(NemoGym, RunsOnlyLean4) {
  EXPECT_THROW(ExecutionOf({{"language", "python"}}), BadRequest);
  EXPECT_EQ(core::Seconds(ExecutionOf({{"language", "lean4"}, {"timeout", 7.5}}).snippet.limit),
            7.5);
}

TEST(NemoGym, AnUnfinishedProofIsCompletedOnlyIfTheOutputShowsIt) {
  Verification verification;
  verification.outcome = VerificationStatus::kSorry;
  verification.messages.push_back({lean::Severity::kInformation, {}, {}, std::string(500, 'x')});
  verification.sorries.push_back({});
  const auto shown = nemo_gym::Answer(ExecutionOf({}), verification);
  EXPECT_EQ(shown["process_status"], "completed");
  EXPECT_THAT(shown["stdout"].get<std::string>(), HasSubstr("declaration uses 'sorry'"));
  const auto cut = nemo_gym::Answer(ExecutionOf({{"max_output_characters", 5}}), verification);
  EXPECT_EQ(cut["process_status"], "failed");
  EXPECT_EQ(cut["stdout"], "/lean");
}

TEST(NemoGym, PrintsErrorsAsLeanDoes) {
  Verification verification;
  verification.outcome = VerificationStatus::kRejected;
  verification.messages.push_back(
      {lean::Severity::kError, {.line = 2, .column = 4}, {}, "unsolved goals"});
  const auto answer = nemo_gym::Answer(ExecutionOf({}), verification);
  EXPECT_EQ(answer["process_status"], "failed");
  EXPECT_EQ(answer["stdout"], "/lean4/my_project/proof.lean:3:4: error: unsolved goals\n");
}

TEST(NemoGym, ReportsTimeoutsAndCrashes) {
  Verification verification;
  verification.outcome = VerificationStatus::kTimeout;
  verification.error = "Lean did not answer in time";
  EXPECT_EQ(nemo_gym::Answer(ExecutionOf({}), verification)["process_status"], "timeout");
  verification.outcome = VerificationStatus::kCrashed;
  const auto crashed = nemo_gym::Answer(ExecutionOf({}), verification);
  EXPECT_EQ(crashed["process_status"], "error");
  EXPECT_THAT(crashed["stderr"].get<std::string>(), EndsWith("in time"));
}

}  // namespace
}  // namespace zermelo::serve
