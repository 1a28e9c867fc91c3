#include "engine/acceptance/outcome.h"

#include <gtest/gtest.h>
#include <set>

#include "engine/acceptance/acceptance.h"

namespace zermelo::engine {
namespace {

using trust::ReasonCode;

AcceptanceReport ReportWith(const std::vector<ReasonCode>& codes) {
  AcceptanceReport report;
  report.targets.emplace_back();
  for (const ReasonCode code : codes) report.targets[0].reasons.push_back({code, "why"});
  return report;
}

TEST(Outcomes, HaveNamesOfTheirOwnThatAreReadBack) {
  std::set<std::string> names;
  for (size_t i = 0; i < kOutcomeCount; ++i) {
    const auto outcome = static_cast<Outcome>(i);
    names.insert(Name(outcome));
    Outcome read{};
    EXPECT_TRUE(ParseOutcome(Name(outcome), &read));
    EXPECT_EQ(read, outcome);
  }
  EXPECT_EQ(names.size(), kOutcomeCount);
  Outcome unknown{};
  EXPECT_FALSE(ParseOutcome("timeout", &unknown));
}

TEST(Outcomes, OfReportsTellWhatIsOpenOrDeclinedFromWhatIsWrong) {
  AcceptanceReport accepted;
  accepted.accepted = true;
  EXPECT_EQ(OutcomeOf(accepted), Outcome::kAccepted);
  EXPECT_EQ(OutcomeOf(ReportWith({ReasonCode::kUsesSorry})), Outcome::kOpen);
  EXPECT_EQ(OutcomeOf(ReportWith({ReasonCode::kKernelDeclined})), Outcome::kDeclined);
  EXPECT_EQ(OutcomeOf(ReportWith({ReasonCode::kUsesSorry, ReasonCode::kTypeChanged})),
            Outcome::kRejected);
  EXPECT_EQ(OutcomeOf(ReportWith({})), Outcome::kRejected);
}

TEST(Outcomes, OfALostCompilationAreNoVerdictOnTheProof) {
  AcceptanceReport report = ReportWith({ReasonCode::kDoesNotCompile});
  report.lost = core::Error{core::ErrorCode::kCrashed, "Lean died"};
  EXPECT_EQ(OutcomeOf(report), Outcome::kCrashed);
  EXPECT_FALSE(WasJudged(Outcome::kCrashed));
  report.lost = core::Error{core::ErrorCode::kTimeout, "too long"};
  EXPECT_EQ(OutcomeOf(report), Outcome::kTimedOut);
  EXPECT_TRUE(WasJudged(Outcome::kTimedOut));
}

TEST(Outcomes, OfErrorsAreInfrastructureUnlessTheyAreTheInputs) {
  EXPECT_EQ(OutcomeOf(core::Error{core::ErrorCode::kEnvironment, ""}), Outcome::kInfrastructure);
  EXPECT_EQ(OutcomeOf(core::Error{core::ErrorCode::kCancelled, ""}), Outcome::kInfrastructure);
  EXPECT_EQ(OutcomeOf(core::Error{core::ErrorCode::kInput, ""}), Outcome::kRejected);
  EXPECT_EQ(ExitCode(Outcome::kInfrastructure), 3);
  EXPECT_EQ(ExitCode(Outcome::kAccepted), 0);
  EXPECT_EQ(ExitCode(Outcome::kOpen), 1);
  EXPECT_FALSE(WasJudged(Outcome::kInfrastructure));
}

}  // namespace
}  // namespace zermelo::engine
