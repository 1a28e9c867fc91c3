// The data of the page; tests/e2e/report_test.py tests what it shows.
#include "eval/report/report.h"

#include <gmock/gmock.h>

namespace zermelo::eval {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kHostile =
    "</script><script>alert(1)</script>\"'><img src=x onerror=alert(2)>\x01";

TEST(Report, NoForeignTextIsCode) {
  Manifest manifest;
  manifest.setup = {{"dataset", {{"name", kHostile}}}, {"command", {kHostile}}};
  manifest.parameters = {{"budget", kHostile}, {"strategy", kHostile}, {"lean", kHostile}};
  manifest.models = kHostile;
  Problem problem;
  problem.name = problem.category = problem.statement = problem.informal = problem.split =
      problem.source.file = kHostile;
  manifest.problems.push_back(problem);
  ProblemResult result;
  result.problem = kHostile;
  result.outcome = ProblemStatus::kProved;
  result.attempts = result.proved = 1;
  result.proof = result.message = result.attempt = kHostile;
  result.axioms = {kHostile};
  result.models[kHostile] = {.role = kHostile, .spent = {.calls = 1}};
  result.to_proof = Cost{.seconds = 1};
  Results results;
  results[ResultKey(kHostile, 1)] = result;
  const std::string page = ReportHtml(manifest, results, Summarise(manifest, results, 1));
  EXPECT_THAT(page, Not(HasSubstr("<img")));
  EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(page, Not(HasSubstr("\x01")));
  EXPECT_EQ(page.find("<script>"), page.rfind("<script>")) << "only the page's own script";
  EXPECT_EQ(page.find("{{"), std::string::npos) << "every place of the template is filled";
  const size_t begin = page.find("id=\"report\">") + 12;
  const auto data =
      nlohmann::json::parse(page.substr(begin, page.find("</script>", begin) - begin));
  EXPECT_EQ(data.at("problems").at(0).at("result").at("proof"), kHostile);
  EXPECT_THAT(page, Not(HasSubstr("http://")));
  EXPECT_THAT(page, Not(HasSubstr("https://")));
}

TEST(Texts, LinesThatAreNotBlankAreCounted) {
  EXPECT_EQ(CountLines("a\n\n  b\n"), 2U);
  EXPECT_EQ(CountLines(""), 0U);
}

}  // namespace
}  // namespace zermelo::eval
