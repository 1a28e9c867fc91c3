#include "lean/diagnostic.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace zermelo::lean {
namespace {

using nlohmann::json;

json Lsp(const std::string& text) { return json::parse(text); }

TEST(DiagnosticFromLsp, PrefersTheFullRange) {
  const Diagnostic d = DiagnosticFromLsp(Lsp(R"({
    "severity": 2, "message": "unused variable",
    "range": {"start": {"line": 1, "character": 2}, "end": {"line": 2, "character": 0}},
    "fullRange": {"start": {"line": 1, "character": 2}, "end": {"line": 7, "character": 3}}})"));
  EXPECT_EQ(d.severity, Severity::kWarning);
  EXPECT_EQ(d.begin, (Position{1, 2}));
  EXPECT_EQ(d.end, (Position{7, 3}));
  EXPECT_EQ(d.message, "unused variable");
}

TEST(DiagnosticFromLsp, WithoutSeverityIsAnError) {
  const Diagnostic d = DiagnosticFromLsp(Lsp(R"({"message": "m",
    "range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 1}}})"));
  EXPECT_EQ(d.severity, Severity::kError);
}

TEST(DiagnosticFromLsp, ThrowsJsonsExceptionOnOtherShapes) {
  for (const char* text :
       {"5", "null", "[]", "{}", R"({"message": "m"})", R"({"message": "m", "range": 5})",
        R"({"range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}})",
        R"({"message": 5,
            "range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}})",
        R"({"message": "m", "severity": "error",
            "range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}})",
        R"({"message": "m", "range": {"start": {"line": "0", "character": 0}, "end": {}}})"}) {
    EXPECT_THROW(DiagnosticFromLsp(Lsp(text)), json::exception) << text;
  }
}

TEST(DiagnosticFromCommandLine, CountsLinesFromZero) {
  const auto d = DiagnosticFromCommandLine(
      R"({"severity":"error","pos":{"line":3,"column":4},"endPos":{"line":3,"column":9},)"
      R"("fileName":"<stdin>","caption":"","data":"unsolved goals\n⊢ False"})");
  ASSERT_TRUE(d);
  EXPECT_EQ(d->severity, Severity::kError);
  EXPECT_EQ(d->begin, (Position{2, 4}));
  EXPECT_EQ(d->end, (Position{2, 9}));
  EXPECT_EQ(d->message, "unsolved goals\n⊢ False");
}

TEST(DiagnosticFromCommandLine, WithoutAnEndEndsWhereItBegins) {
  const auto d = DiagnosticFromCommandLine(
      R"({"severity":"information","pos":{"line":1,"column":2},"endPos":null,"data":"x"})");
  ASSERT_TRUE(d);
  EXPECT_EQ(d->severity, Severity::kInformation);
  EXPECT_EQ(d->end, (Position{0, 2}));
}

TEST(DiagnosticFromCommandLine, OtherLinesAreNotMessages) {
  for (const char* line :
       {"", "hello", "5", "[]", "{}", "{\"severity\":\"error\"}", R"({"severity":5,"pos":{}})",
        R"({"severity":"error","pos":{"line":"1","column":2},"data":"x"})",
        R"({"severity":"error","pos":{"line":1,"column":2}})", "{\"severity\":\"error\",\"pos\""}) {
    EXPECT_FALSE(DiagnosticFromCommandLine(line)) << line;
  }
}

TEST(SaysSorry, KnowsBothSpellings) {
  Diagnostic d{.severity = Severity::kWarning, .message = "declaration uses 'sorry'"};
  EXPECT_TRUE(SaysSorry(d));
  d.message = "declaration uses `sorry`";
  EXPECT_TRUE(SaysSorry(d));
  d.message = "unused variable `sorry`";
  EXPECT_FALSE(SaysSorry(d));
}

TEST(HasErrors, ChecksSeverities) {
  std::vector<Diagnostic> diagnostics(2);
  for (auto& d : diagnostics) d.severity = Severity::kWarning;
  EXPECT_FALSE(HasErrors(diagnostics));
  diagnostics[1].severity = Severity::kError;
  EXPECT_TRUE(HasErrors(diagnostics));
}

}  // namespace
}  // namespace zermelo::lean
