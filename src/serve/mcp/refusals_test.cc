#include "serve/mcp/refusals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "syntax/testing/sites.h"

namespace zermelo::serve::mcp {
namespace {

using lean::CheckResult;
using lean::Diagnostic;
using lean::Severity;
using lean::StateRun;
using lean::TacticStep;
using syntax::SiteDocument;
using syntax::testing::LastSite;
using Kind = Refusals::Kind;

Diagnostic ErrorAt(uint32_t line, uint32_t column, std::string message) {
  return {.severity = Severity::kError,
          .begin = {.line = line, .character = column},
          .end = {.line = line, .character = column + 1},
          .message = std::move(message)};
}

/// A run whose only tactic does not return.
StateRun Thrown(Diagnostic error) {
  StateRun run;
  run.steps.push_back({.messages = {std::move(error)}});
  return run;
}

StateRun Ended(std::vector<Diagnostic> errors, std::vector<std::string> goals) {
  StateRun run;
  run.steps.push_back({.state = 1, .goals = goals, .messages = std::move(errors)});
  run.goals = std::move(goals);
  return run;
}

CheckResult Checked(std::vector<Diagnostic> diagnostics) {
  CheckResult result;
  result.diagnostics = std::move(diagnostics);
  return result;
}

std::vector<std::string> Messages(const std::optional<CheckResult>& result) {
  std::vector<std::string> messages;
  if (!result) return {"unknown"};
  for (const Diagnostic& d : result->diagnostics) {
    messages.push_back(std::to_string(d.begin.line) + " " + d.message);
  }
  return messages;
}

bool Applies(const std::string& text) {
  return Refusals(LastSite(text).ForConfirmation("sorry")).applies();
}

class RefusalsTest : public ::testing::Test {
 protected:
  // The option is on line 0, the theorem on line 1, and the tactics begin on line 2.
  const syntax::ProofSite site = LastSite("theorem t : p := by\n  sorry\n");
  Refusals refusals{site.ForConfirmation("sorry")};
};

TEST_F(RefusalsTest, AnAttemptIsRunAtItsPlaceInTheHole) {
  const auto bullet = LastSite("theorem t : p := by\n  · sorry\n");
  const lean::StateQuery query = QueryOf(bullet.ForConfirmation("skip\nrfl"));
  EXPECT_EQ(query.hole.text.substr(query.hole.byte), "sorry\n");
  EXPECT_EQ(query.tactics, "    skip\n    rfl\n");
}

TEST_F(RefusalsTest, OnlyWhatTheServerRefusesWithoutDoubtHasAKind) {
  EXPECT_EQ(refusals.KindOf(Thrown(ErrorAt(0, 2, "no"))), Kind::kAbandoned);
  EXPECT_EQ(refusals.KindOf(Ended({ErrorAt(0, 2, "no")}, {})), Kind::kRecovered);
  EXPECT_EQ(refusals.KindOf(Ended({}, {"⊢ q"})), Kind::kOpen);
  EXPECT_EQ(refusals.KindOf(Ended({}, {})), std::nullopt) << "a proof";
  EXPECT_EQ(refusals.KindOf(Ended({ErrorAt(0, 2, "no")}, {"⊢ q"})), std::nullopt);
  EXPECT_EQ(refusals.KindOf(StateRun()), std::nullopt) << "only comments";
  StateRun run = Thrown(ErrorAt(0, 2, "no"));
  run.steps.back().messages.push_back(ErrorAt(0, 4, "another"));
  EXPECT_EQ(refusals.KindOf(run), std::nullopt) << "Lean may hide the second";
  run = Thrown(ErrorAt(0, 2, "no"));
  run.steps.back().aborted = true;
  EXPECT_EQ(refusals.KindOf(run), std::nullopt) << "Lean may say more";
  run = Ended({}, {"⊢ q"});
  run.syntax_errors.push_back(ErrorAt(0, 2, "unexpected"));
  EXPECT_EQ(refusals.KindOf(run), std::nullopt);
  const std::string limit = "(deterministic) timeout: maximum number of heartbeats (200000)";
  EXPECT_EQ(refusals.KindOf(Thrown(ErrorAt(0, 2, limit))), std::nullopt);
}

TEST_F(RefusalsTest, WhereCodeFollowsOnlyAnAttemptThatThrowsHasAKind) {
  const auto inner = LastSite("theorem t : p := by\n  have h : q := by\n    sorry\n  exact h\n");
  const Refusals before(inner.ForConfirmation("sorry"));
  EXPECT_EQ(before.KindOf(Thrown(ErrorAt(0, 2, "no"))), Kind::kAbandoned);
  EXPECT_EQ(before.KindOf(Ended({ErrorAt(0, 2, "no")}, {})), std::nullopt);
  EXPECT_EQ(before.KindOf(Ended({}, {"⊢ q"})), std::nullopt);
}

TEST_F(RefusalsTest, AnAttemptHasItsOwnErrorsAndThoseAfterTheHole) {
  const auto inner = LastSite("theorem t : p := by\n  have h : q := by\n    sorry\n  exact r\n");
  const SiteDocument one = inner.ForConfirmation("simp");
  const SiteDocument other = inner.ForConfirmation("intro x\nomega");
  const StateRun simp = Thrown(ErrorAt(0, 4, "simp failed"));
  refusals.Learn(Kind::kAbandoned, one, simp,
                 Checked({ErrorAt(3, 4, "simp failed"), ErrorAt(4, 8, "unknown r")}));
  const auto result =
      refusals.ResultOf(Kind::kAbandoned, other, Thrown(ErrorAt(1, 4, "omega failed")));
  EXPECT_EQ(Messages(result), (std::vector<std::string>{"4 omega failed", "5 unknown r"}));
  EXPECT_EQ(Messages(refusals.ResultOf(Kind::kRecovered, other, simp)),
            std::vector<std::string>{"unknown"});
}

TEST_F(RefusalsTest, GoalsThatAreLeftAreReportedWhereTheFirstAttemptsAre) {
  const SiteDocument one = site.ForConfirmation("intro x"), other = site.ForConfirmation("skip");
  refusals.Learn(Kind::kOpen, one, Ended({}, {"⊢ q", "⊢ r"}),
                 Checked({ErrorAt(1, 17, "unsolved goals\n⊢ q\n\n⊢ r")}));
  EXPECT_EQ(Messages(refusals.ResultOf(Kind::kOpen, other, Ended({}, {"⊢ p"}))),
            std::vector<std::string>{"1 unsolved goals\n⊢ p"});
}

TEST_F(RefusalsTest, NothingIsLearnedWhereAWorkerDisagrees) {
  const SiteDocument document = site.ForConfirmation("simp");
  const StateRun simp = Thrown(ErrorAt(0, 2, "simp failed"));
  const auto learned = [&](std::vector<Diagnostic> diagnostics) {
    Refusals fresh(site.ForConfirmation("sorry"));
    fresh.Learn(Kind::kAbandoned, document, simp, Checked(std::move(diagnostics)));
    return fresh.ResultOf(Kind::kAbandoned, document, simp).has_value();
  };
  const Diagnostic error = ErrorAt(2, 2, "simp failed");
  EXPECT_TRUE(learned({error}));
  EXPECT_FALSE(learned({})) << "it is accepted";
  EXPECT_FALSE(learned({ErrorAt(2, 2, "another message")}));
  EXPECT_FALSE(learned({ErrorAt(3, 2, "simp failed")})) << "elsewhere";
  EXPECT_FALSE(learned({error, error})) << "it is run for each of two goals";
  EXPECT_FALSE(learned({error, ErrorAt(1, 2, "before the hole")}));
  refusals.Learn(Kind::kOpen, document, Ended({}, {"⊢ q"}),
                 Checked({ErrorAt(1, 17, "unsolved goals\n⊢ r")}));
  EXPECT_FALSE(refusals.ResultOf(Kind::kOpen, document, Ended({}, {"⊢ q"})));
}

TEST_F(RefusalsTest, HolesWhoseTacticsRunOnceAndReportTheirErrors) {
  EXPECT_TRUE(Applies("theorem t : p := by sorry\n"));
  EXPECT_TRUE(Applies("theorem t : |x| < y := by\n  intro x <;> simp\n  · sorry\n"));
  EXPECT_TRUE(
      Applies("theorem t : p := by\n  first | simp | rfl\n  have h : q := by\n    sorry\n"));
  EXPECT_TRUE(
      Applies("theorem t : p := by\n  induction n with\n  | zero => simp\n"
              "  | succ n ih => sorry\n"));
  EXPECT_TRUE(Applies("theorem t : p := by\n  constructor <;> sorry\n")) << "for all goals";
  for (const char* text : {
           "theorem t : p := by try sorry\n",
           "theorem t : p := by\n  repeat constructor <;> sorry\n",
           "theorem t : p := by\n  all_goals\n    intro x\n    sorry\n",
           "theorem t : p := by\n  first\n  | skip\n    sorry\n",
           "theorem t : p := by\n  constructor <;>\n    · intro x\n      sorry\n",
           "theorem t : p := by\n  try constructor <;>\n  sorry\n",
           "theorem t : p := by\n  constructor <;>\n  · sorry\n",
           "theorem t : p := by\n  first\n  | sorry\n",
           "theorem t : p := by\n  case a | b => sorry\n",
           "theorem t : p := by\n  induction n with\n  | _ => sorry\n",
           "theorem t : p := by\n  induction n with\n  | zero\n  | succ n ih => sorry\n",
           "theorem t : p := by\n  induction n with\n  | zero | succ n ih => sorry\n",
       }) {
    EXPECT_FALSE(Applies(text)) << text;
  }
}

}  // namespace
}  // namespace zermelo::serve::mcp
