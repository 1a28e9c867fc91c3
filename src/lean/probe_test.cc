#include "lean/probe.h"

#include <gtest/gtest.h>

#include "core/files/file.h"
#include "core/testing/testing.h"
#include "lean/pool.h"
#include "lean/states/state_protocol.h"
#include "lean/testing/fake_lean.h"

namespace zermelo::lean {
namespace {

using core::Deadline;
using core::ErrorCode;
using core::Result;
using core::testing::Await;
using core::testing::Generous;
using std::chrono::milliseconds;
using testing::GameSite;
using Outcome = ProbeResult::Outcome;

// ---- messages

TEST(UnsolvedGoals, AreSplitAtBlankLines) {
  EXPECT_EQ(UnsolvedGoals("unsolved goals\nn : Nat\n⊢ n = n\n\ncase b\nh : p ∧\n    q\n⊢ p"),
            (std::vector<std::string>{"n : Nat\n⊢ n = n", "case b\nh : p ∧\n    q\n⊢ p"}));
}

TEST(UnsolvedGoals, OneGoal) {
  EXPECT_EQ(UnsolvedGoals("unsolved goals\n⊢ False"), std::vector<std::string>{"⊢ False"});
}

TEST(UnsolvedGoals, ExtraBlankLinesMakeNoGoals) {
  EXPECT_EQ(UnsolvedGoals("unsolved goals\n\n\n⊢ a\n\n\n\n⊢ b\n\n"),
            (std::vector<std::string>{"⊢ a", "⊢ b"}));
  EXPECT_TRUE(UnsolvedGoals("unsolved goals").empty());
}

TEST(UnsolvedGoals, OtherMessagesHaveNoGoals) {
  EXPECT_TRUE(UnsolvedGoals("").empty());
  EXPECT_TRUE(UnsolvedGoals("type mismatch: unsolved goals\n⊢ False").empty());
}

// ---- goals

/// Answers with one error, at the end of the document.
class EndsTooEarly : public Checker {
 public:
  core::Task<Result<CheckResult>> Check(CheckRequest request) override {
    Diagnostic error;
    error.severity = Severity::kError;
    error.message = "unexpected end of input";
    error.begin = syntax::PositionAt(core::LineIndex(request.text), request.text.size());
    CheckResult result;
    result.diagnostics.push_back(error);
    co_return result;
  }
  size_t size() const override { return 1; }
  uint64_t checks() const override { return 0; }
};

/// Reaches the last case of a probe and is cut off there, after an error in the first.
class StallsInTheLastCase : public Checker {
 public:
  core::Task<Result<CheckResult>> Check(CheckRequest request) override {
    const auto& lines = std::get<InParts>(request.extent).first_lines;
    text = request.text;
    Diagnostic error;
    error.severity = Severity::kError;
    error.message = "`grind` failed";
    error.begin.line = lines.front() + 1;
    CheckResult result;
    result.diagnostics.push_back(error);
    result.status = CheckStatus::kStalled;
    result.stalled_part = lines.size() - 1;
    co_return result;
  }
  size_t size() const override { return 1; }
  uint64_t checks() const override { return 0; }

  std::string text;
};

TEST(Probe, WhatIsCutOffInTheLastCaseIsTheMessageOfTheLastCandidate) {
  boost::asio::io_context io;
  StallsInTheLastCase lean;
  const std::vector<std::string> candidates = {"omega", "simp", "cases h <;> grind"};
  const auto tried = Await(io, Probe(lean, GameSite(3), "", candidates, {.deadline = Generous()}));
  ASSERT_TRUE(tried);
  std::vector<Outcome> outcomes;
  for (const ProbeResult& result : *tried) outcomes.push_back(result.outcome);
  EXPECT_EQ(outcomes, (std::vector{Outcome::kFailed, Outcome::kClosed, Outcome::kSlow}));
}

TEST(Probe, LeanIsNotAskedWhyGrindFailed) {
  boost::asio::io_context io;
  StallsInTheLastCase lean;
  const std::vector<std::string> candidates = {
      "first | grind [f] | exact (by grind)", "grind (instances := 200) [grind_of]",
      "attribute [local grind] f in\ngrind only [f]", "exact grind.lemma"};
  ASSERT_TRUE(Await(io, Probe(lean, GameSite(3), "", candidates, {.deadline = Generous()})));
  for (const char* line :
       {"  first | grind -verbose [f] | exact (by grind -verbose)\n",
        "  grind -verbose (instances := 200) [grind_of]\n", "  attribute [local grind] f in\n",
        "  grind -verbose only [f]\n", "  exact grind.lemma\n"})
    EXPECT_NE(lean.text.find(line), std::string::npos) << line << "is not in\n" << lean.text;
}

TEST(ResultOf, ATacticThatGaveUpWithoutAnErrorOfItsOwnHasFailed) {
  StateRun run{.steps = {TacticStep{.aborted = true}}};
  EXPECT_EQ(ResultOf(run).outcome, ProbeResult::Outcome::kFailed);
  run.steps[0].state = 1;
  EXPECT_EQ(ResultOf(run).outcome, ProbeResult::Outcome::kClosed);
}

TEST(GoalsAt, AnErrorAtTheEndOfTheDocumentIsWhyThereAreNone) {
  boost::asio::io_context io;
  EndsTooEarly lean;
  const auto found = Await(io, GoalsAt(lean, GameSite(3), Generous()));
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->goals.empty());
  EXPECT_EQ(found->message, "unexpected end of input");
}

// ---- probes of fake_lean.py's game

class ProbeTest : public ::testing::Test {
 protected:
  void TearDown() override {
    pool.reset();
    core::testing::RunOut(io);
  }
  Result<std::vector<ProbeResult>> TryAll(int number, std::string tactics,
                                          std::vector<std::string> candidates, ProbeLimits limits) {
    return Await(io,
                 Probe(*pool, GameSite(number), std::move(tactics), std::move(candidates), limits));
  }
  std::vector<ProbeResult> Try(int number, std::string tactics, std::vector<std::string> candidates,
                               ProbeLimits limits = {.deadline = Generous()}) {
    const size_t wanted = candidates.size();
    auto attempts = TryAll(number, std::move(tactics), std::move(candidates), limits);
    EXPECT_TRUE(attempts) << attempts.error().message;
    EXPECT_EQ(attempts->size(), wanted);
    return *attempts;
  }
  static std::vector<Outcome> Outcomes(const std::vector<ProbeResult>& attempts) {
    std::vector<Outcome> outcomes;
    for (const auto& attempt : attempts) outcomes.push_back(attempt.outcome);
    return outcomes;
  }

  const core::TemporaryFolder folder = std::move(*core::TemporaryFolder::Create("zermelo-test-"));
  boost::asio::io_context io;
  std::unique_ptr<Pool> pool = std::make_unique<Pool>(
      io.get_executor(), testing::FakeToolchain(folder.path()), PoolOptions{.workers = 1});
};

TEST_F(ProbeTest, DistinguishesClosedOpenAndFailedInOneCheck) {
  const auto attempts = Try(2, "", {"close 2", "split", "zero", "sub 2\nzero", "dec"});
  EXPECT_EQ(Outcomes(attempts),
            (std::vector<Outcome>{Outcome::kClosed, Outcome::kOpen, Outcome::kFailed,
                                  Outcome::kClosed, Outcome::kOpen}));
  EXPECT_EQ(attempts[1].goals,
            (std::vector<std::string>{"case left\nn : Nat\n⊢ 1", "case right\nn : Nat\n⊢ 1"}));
  EXPECT_EQ(attempts[2].message, "2 is not 0");
  EXPECT_EQ(pool->stats().checks, 1u);
}

TEST_F(ProbeTest, WorksOnTheFirstGoalThatTheTacticsLeave) {
  const auto attempts = Try(5, "split\ndec\n", {"close 1", "close 3"});
  EXPECT_EQ(Outcomes(attempts), (std::vector<Outcome>{Outcome::kClosed, Outcome::kFailed}));
}

TEST_F(ProbeTest, NoCandidatesNeedNoCheck) {
  EXPECT_TRUE(Try(5, "", {}).empty());
  EXPECT_EQ(pool->stats().checks, 0u);
}

TEST_F(ProbeTest, AnErrorAfterOtherTacticsOfACandidateIsAFailure) {
  const auto attempts = Try(5, "", {"dec\nzero", "split\n· close 2\n· zero", "dec"});
  EXPECT_EQ(Outcomes(attempts),
            (std::vector<Outcome>{Outcome::kFailed, Outcome::kFailed, Outcome::kOpen}));
}

TEST_F(ProbeTest, AnUnsolvedBlockInsideACandidateIsAFailure) {
  const auto attempts = Try(5, "", {"split\n· dec\n· close 3"});
  EXPECT_EQ(Outcomes(attempts), std::vector<Outcome>{Outcome::kFailed})
      << "its goals are not those of the case";
}

TEST_F(ProbeTest, ErrorsInsideOfACandidateComeBeforeWhatItLeaves) {
  const auto attempts = Try(5, "", {"split\n· dec"});
  EXPECT_EQ(Outcomes(attempts), std::vector<Outcome>{Outcome::kFailed});
  EXPECT_EQ(UnsolvedGoals(attempts[0].message),
            std::vector<std::string>{"case left\nn : Nat\n⊢ 1"});
}

TEST_F(ProbeTest, SuggestionsAreReadWithoutTheirDecoration) {
  const auto attempts = Try(5, "", {"exact?", "close 5"});
  EXPECT_EQ(attempts[0].outcome, Outcome::kClosed);
  EXPECT_EQ(attempts[0].suggestion, "close 5");
  EXPECT_EQ(attempts[1].suggestion, "");
}

TEST_F(ProbeTest, ASyntaxErrorAffectsNoOtherCandidate) {
  const auto attempts = Try(5, "", {"dec", "close 5", "frobnicate", "split", "zero", "close 5"});
  EXPECT_EQ(Outcomes(attempts),
            (std::vector<Outcome>{Outcome::kOpen, Outcome::kClosed, Outcome::kFailed,
                                  Outcome::kOpen, Outcome::kFailed, Outcome::kClosed}));
  EXPECT_EQ(attempts[2].message, "unknown tactic 'frobnicate'");
  EXPECT_EQ(pool->stats().checks, 2u);
}

TEST_F(ProbeTest, SeveralSyntaxErrorsAreSetAsideOneAfterTheOther) {
  const auto attempts = Try(5, "", {"bad", "dec", "worse", "worst", "close 5"});
  EXPECT_EQ(Outcomes(attempts),
            (std::vector<Outcome>{Outcome::kFailed, Outcome::kOpen, Outcome::kFailed,
                                  Outcome::kFailed, Outcome::kClosed}));
}

TEST_F(ProbeTest, ASyntaxErrorInTheLastCandidateIsFound) {
  EXPECT_EQ(Outcomes(Try(5, "", {"close 5", "bad"})),
            (std::vector<Outcome>{Outcome::kClosed, Outcome::kFailed}));
}

TEST_F(ProbeTest, ASlowCandidateIsCutOffAndTheOthersAreTried) {
  const auto attempts = Try(5, "", {"close 5", "slow", "dec", "slow", "close 5"},
                            {.per_candidate = milliseconds(200), .deadline = Generous()});
  EXPECT_EQ(Outcomes(attempts),
            (std::vector<Outcome>{Outcome::kClosed, Outcome::kSlow, Outcome::kOpen, Outcome::kSlow,
                                  Outcome::kClosed}));
}

TEST_F(ProbeTest, CandidatesNotTriedBeforeTheDeadlineAreUnknown) {
  const auto attempts = Try(5, "", {"close 5", "slow", "dec"},
                            {.per_candidate = std::chrono::seconds(1000),
                             .deadline = Deadline::After(milliseconds(800))});
  EXPECT_EQ(Outcomes(attempts),
            (std::vector<Outcome>{Outcome::kUnknown, Outcome::kUnknown, Outcome::kUnknown}));
}

TEST_F(ProbeTest, FailingPrecedingTacticsLeaveEverythingUnknown) {
  EXPECT_EQ(Outcomes(Try(5, "zero", {"dec", "close 5"})),
            (std::vector<Outcome>{Outcome::kUnknown, Outcome::kUnknown}));
  EXPECT_EQ(Outcomes(Try(5, "bad syntax", {"dec", "close 5"})),
            (std::vector<Outcome>{Outcome::kUnknown, Outcome::kUnknown}));
}

TEST_F(ProbeTest, PrecedingTacticsThatCloseTheGoalLeaveEverythingUnknown) {
  EXPECT_EQ(Outcomes(Try(5, "close 5", {"dec"})), std::vector<Outcome>{Outcome::kUnknown});
}

TEST_F(ProbeTest, ACandidateThatKillsLeanFailsAlone) {
  const auto attempts = TryAll(5, "", {"dec", "crash", "dec"}, {.deadline = Generous()});
  ASSERT_TRUE(attempts);
  EXPECT_EQ(Outcomes(*attempts),
            (std::vector<Outcome>{Outcome::kOpen, Outcome::kFailed, Outcome::kOpen}));
  EXPECT_EQ((*attempts)[1].message, "Lean crashes");
  EXPECT_EQ(pool->stats().crashes, 2U);
}

TEST_F(ProbeTest, ACandidateThatKillsLeanBelowASyntaxError) {
  const auto attempts = TryAll(5, "", {"dec", "nonsense", "crash"}, {.deadline = Generous()});
  ASSERT_TRUE(attempts);
  EXPECT_EQ(Outcomes(*attempts),
            (std::vector<Outcome>{Outcome::kOpen, Outcome::kFailed, Outcome::kFailed}));
}

TEST_F(ProbeTest, TacticsBeforeTheCandidatesThatKillLeanFailTheProbe) {
  const auto attempts = TryAll(5, "crash", {"dec", "dec"}, {.deadline = Generous()});
  ASSERT_FALSE(attempts);
  EXPECT_EQ(attempts.error().code, ErrorCode::kCrashed);
}

TEST_F(ProbeTest, AClosedPoolIsCancelled) {
  pool->Close();
  const auto attempts = TryAll(5, "", {"dec"}, {.deadline = Generous()});
  ASSERT_FALSE(attempts);
  EXPECT_EQ(attempts.error().code, ErrorCode::kCancelled);
}

}  // namespace
}  // namespace zermelo::lean
