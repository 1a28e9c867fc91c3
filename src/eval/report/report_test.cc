// The data of the page; tests/e2e/page/report_test.py tests what it shows.
#include "eval/report/report.h"

#include <gtest/gtest.h>

namespace zermelo::eval {
namespace {

constexpr const char* kHostile =
    "</script><script>alert(1)</script>\"'><img src=x onerror=alert(2)>\x01";

TEST(Report, APieceOfTextIsKeptAsItIs) {
  Manifest manifest;
  manifest.models = kHostile;
  Problem problem;
  problem.name = problem.category = problem.statement = kHostile;
  manifest.problems.push_back(problem);
  ProblemResult result;
  result.problem = kHostile;
  result.outcome = ProblemStatus::kProved;
  result.attempts = result.proved = 1;
  result.proof = kHostile;
  result.to_proof = Cost{.seconds = 1};
  Results results;
  results[ResultKey(kHostile, 1)] = result;
  const auto report = ReportJson(manifest, results, Summarise(manifest, results, 1));
  EXPECT_EQ(report.at("problems").at(0).at("result").at("proof"), kHostile);
  EXPECT_EQ(report.at("categories"), nlohmann::json({kHostile}));
}

TEST(Report, AProblemIsSolvedWhenItHasItsFirstProof) {
  Results results;
  const auto add = [&](const char* problem, size_t run, ProblemStatus outcome, const char* ended) {
    ProblemResult result;
    result.problem = problem;
    result.run = run;
    result.outcome = outcome;
    result.ended = ended;
    results[ResultKey(problem, run)] = result;
  };
  add("a", 1, ProblemStatus::kProved, "2026-08-01T12:30:00Z");
  add("a", 2, ProblemStatus::kProved, "2026-08-01T12:20:00Z");
  add("b", 1, ProblemStatus::kUnproved, "2026-08-01T12:00:00Z");
  add("b", 2, ProblemStatus::kProved, "2026-08-01T12:10:00Z");
  const Manifest manifest;
  const auto times = ReportJson(manifest, results, Summarise(manifest, results, 1)).at("times");
  EXPECT_EQ(times.at("first"), "2026-08-01T12:00:00Z");
  EXPECT_EQ(times.at("last"), "2026-08-01T12:30:00Z");
  EXPECT_EQ(times.at("solved"), nlohmann::json({"2026-08-01T12:10:00Z", "2026-08-01T12:20:00Z"}));
}

TEST(Texts, LinesThatAreNotBlankAreCounted) {
  EXPECT_EQ(CountLines("a\n\n  b\n"), 2U);
  EXPECT_EQ(CountLines(""), 0U);
}

}  // namespace
}  // namespace zermelo::eval
