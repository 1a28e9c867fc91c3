// The content of the page; tests/e2e/report_test.py tests its appearance.
#include "eval/report.h"

#include <gmock/gmock.h>

#include "eval/chart.h"

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
  result.outcome = Outcome::kProved;
  result.attempts = result.proved = 1;
  result.proof = result.message = result.attempt = kHostile;
  result.axioms = {kHostile};
  result.models[kHostile] = {.role = kHostile, .calls = 1};
  result.to_proof = Cost{.seconds = 1};
  Results results;
  results[ResultKey(kHostile, 1)] = result;
  const std::string page = ReportHtml(manifest, results, Summarise(manifest, results, 1));
  EXPECT_THAT(page, Not(HasSubstr("<img")));
  EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(page, Not(HasSubstr("\x01")));
  EXPECT_EQ(page.find("<script>"), page.rfind("<script>")) << "only the page's own script";
  EXPECT_THAT(page, HasSubstr("&lt;/script&gt;&lt;script&gt;"));
  EXPECT_THAT(page, Not(HasSubstr("http://")));
  EXPECT_THAT(page, Not(HasSubstr("https://")));
}

TEST(Charts, ACurveIsAStepOnALogarithmicAxis) {
  const std::string svg =
      PassChart({{.cost = 1, .rate = 0.25}, {.cost = 10, .rate = 0.5}}, 100, "samples");
  EXPECT_THAT(svg, HasSubstr("d=\"M46.0 208.0H46.0V110.0H237.0V12.0H428.0\"")) << svg;
  EXPECT_EQ(PassChart({}, 100, "samples"), "");
  EXPECT_EQ(PassChart({{.cost = 0, .rate = 1}}, 0, "tokens"), "");
}

TEST(Charts, LengthsAreCountedInPowersOfTwo) {
  const std::string svg = LengthHistogram({1, 2, 2, 3, 4, 9});
  EXPECT_THAT(svg, HasSubstr(">3–4</text>"));
  EXPECT_THAT(svg, HasSubstr(">9–16</text>"));
  EXPECT_EQ(LengthHistogram({}), "");
}

TEST(Texts, AreEscaped) {
  EXPECT_EQ(Escaped("a<b & \"c\""), "a&lt;b &amp; &quot;c&quot;");
  EXPECT_EQ(Escaped("\xff\x1b[31m"), "\xef\xbf\xbd\xef\xbf\xbd[31m");
  EXPECT_EQ(CountLines("a\n\n  b\n"), 2U);
  EXPECT_EQ(CountLines(""), 0U);
}

}  // namespace
}  // namespace zermelo::eval
