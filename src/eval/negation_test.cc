#include "eval/negation.h"

#include <gmock/gmock.h>

#include "eval/budget.h"
#include "eval/record.h"
#include "eval/report/summary.h"

namespace zermelo::eval {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(Negation, IsWrittenAtTheStatementsPlace) {
  Problem problem;
  problem.name = problem.theorem = "N.t";
  problem.header = "namespace N\n";
  problem.statement = "/-- False. -/\ntheorem t (n : Nat) : n < 5 := by\n  sorry\n";
  problem.trailer = "end N\n";
  const auto negation = NegationOf(problem);
  ASSERT_TRUE(negation) << negation.error().message;
  EXPECT_EQ(negation->name, "N.t");
  EXPECT_EQ(negation->theorem, "N.zermelo_negation");
  EXPECT_THAT(negation->Text(), HasSubstr("¬ (∀ (n : Nat), n < 5) := by\n  sorry\nend N\n"));
}

TEST(Negation, ATextWithoutATheoremHasNone) {
  Problem problem;
  problem.statement = "def a := 1\n";
  EXPECT_FALSE(NegationOf(problem));
}

TEST(Negation, EachSideHasHalfTheBudget) {
  const auto half = HalfOf(*ParseBudget("4x7,60s,2ktok,$0.5"));
  EXPECT_EQ(half, *ParseBudget("4x3,30s,1ktok,$0.25"));
  EXPECT_EQ(HalfOf(*ParseBudget("1")).samples, 1);
}

/// The result of a statement and its negation.
ProblemResult Judged(ProblemStatus statement, ProblemStatus negation) {
  ProblemResult result;
  result.problem = "p";
  result.outcome = statement;
  result.attempts = 1;
  result.cost.samples = 3;
  if (statement == ProblemStatus::kProved) {
    result.proved = 1;
    result.proof = "omega";
    result.to_proof = result.cost;
  }
  NegationResult other;
  other.outcome = negation;
  other.cost.samples = 4;
  AddNegation(other, result);
  return result;
}

TEST(Negation, AStatementIsProvedDisprovedOrOpen) {
  using enum ProblemStatus;
  EXPECT_EQ(Judged(kProved, kUnproved).outcome, kProved);
  EXPECT_EQ(Judged(kProved, kUnverified).outcome, kProved);
  EXPECT_EQ(Judged(kUnproved, kProved).outcome, kDisproved);
  EXPECT_EQ(Judged(kUnverified, kProved).outcome, kDisproved);
  EXPECT_EQ(Judged(kUnproved, kUnproved).outcome, kUnproved);
  EXPECT_EQ(Judged(kUnproved, kInvalid).outcome, kUnproved);
  EXPECT_EQ(Judged(kUnproved, kUnverified).outcome, kUnverified);
  EXPECT_EQ(Judged(kUnproved, kProved).cost.samples, 7);
}

TEST(Negation, ResultsSurviveTheLog) {
  for (const auto statement : {ProblemStatus::kProved, ProblemStatus::kUnproved}) {
    const ProblemResult result = Judged(statement, ProblemStatus::kProved);
    const auto read = ResultFromJson(nlohmann::json::parse(ResultLine(result)));
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->outcome, result.outcome);
    EXPECT_EQ(read->negation->cost, result.negation->cost);
  }
  ProblemResult plain;
  EXPECT_FALSE(nlohmann::json::parse(ResultLine(plain)).contains("negation"));
}

/// An evaluation with --or-disprove of one problem; an outcome for each run.
Summary SummaryOf(const std::vector<ProblemResult>& runs) {
  Manifest manifest;
  manifest.parameters["or_disprove"] = true;
  manifest.runs = runs.size();
  manifest.problems.emplace_back().name = "p";
  Results results;
  for (size_t i = 0; i < runs.size(); ++i) {
    ProblemResult result = runs[i];
    result.run = i + 1;
    results[ResultKey("p", i + 1)] = result;
  }
  return Summarise(manifest, results, 1);
}

TEST(Negation, ProvedDisprovedAndOpenAreCountedApart) {
  const auto disproved =
      ShortJson(SummaryOf({Judged(ProblemStatus::kUnproved, ProblemStatus::kProved)}));
  EXPECT_EQ(disproved["solved"], 0);
  EXPECT_EQ(disproved["disproved"], 1);
  EXPECT_EQ(disproved["open"], 0);
  const auto open =
      ShortJson(SummaryOf({Judged(ProblemStatus::kUnproved, ProblemStatus::kUnproved)}));
  EXPECT_EQ(open["open"], 1);
}

TEST(Negation, AContradictionCountsAsNeitherAndIsTheFirstThingSaid) {
  using enum ProblemStatus;
  for (const auto& runs : {std::vector{Judged(kProved, kProved)},
                           std::vector{Judged(kProved, kUnproved), Judged(kUnproved, kProved)}}) {
    const Summary summary = SummaryOf(runs);
    EXPECT_EQ(summary.solved, 0U);
    EXPECT_EQ(summary.disproved, 0U);
    EXPECT_EQ(summary.contradictions, std::vector<std::string>{"p"});
    EXPECT_EQ(summary.pass_rate.mean, 0);
    EXPECT_THAT(summary.first_line, StartsWith("CONTRADICTION: p"));
  }
}

}  // namespace
}  // namespace zermelo::eval
