#include "eval/attempt_watcher.h"

#include <deque>
#include <gmock/gmock.h>

#include "core/testing/testing.h"
#include "eval/statement.h"
#include "lean/probe.h"
#include "syntax/declarations.h"
#include "syntax/proof/proof_site.h"

namespace zermelo::eval {
namespace {

/// Answers each check with the diagnostics that the test sets.
class ScriptedLean : public lean::Checker {
 public:
  core::Task<core::Result<lean::CheckResult>> Check(lean::CheckRequest request) override {
    asked.push_back(std::move(request));
    lean::CheckResult result;
    result.seconds = 0.5;
    if (!answers.empty()) {
      result.diagnostics = std::move(answers.front());
      answers.pop_front();
    }
    co_return result;
  }
  size_t size() const override { return 1; }
  uint64_t checks() const override { return asked.size(); }

  std::deque<std::vector<lean::Diagnostic>> answers;
  std::vector<lean::CheckRequest> asked;
};

/// Gives the results that the test sets.
class ScriptedStates : public lean::TacticRunner {
 public:
  core::Task<core::Result<std::optional<std::vector<lean::ProbeResult>>>> Try(
      lean::Trials) override {
    co_return answer;
  }
  std::optional<std::vector<lean::ProbeResult>> answer;
};

lean::Diagnostic ErrorAt(uint32_t line, const std::string& message) {
  lean::Diagnostic d;
  d.begin.line = line;
  d.message = message;
  return d;
}

class AttemptWatcherTest : public ::testing::Test {
 protected:
  AttemptWatcherTest() {
    problem_.name = "t";
    EXPECT_TRUE(CutStatement("def f := 1\n\ntheorem t (a b : Nat) :\n    a = b := by\n  sorry\n",
                             "t", problem_));
    const std::string text = problem_.Text();
    const auto declarations = syntax::FindDeclarations(text);
    site_.emplace(text, declarations[1], declarations[1].holes[0]);
  }
  void Check(const std::string& tactics) {
    lean::CheckRequest request;
    request.text = site_->ForConfirmation(tactics).text;
    static_cast<void>(core::testing::Await(io_, watcher_.Check(std::move(request))));
  }
  uint32_t FirstTacticLine() { return site_->ForConfirmation("x").first_line; }

  boost::asio::io_context io_;
  Problem problem_;
  std::optional<syntax::ProofSite> site_;
  ScriptedLean lean_;
  ScriptedStates states_;
  AttemptWatcher watcher_{lean_, &states_, [] {
                            Problem problem;
                            problem.theorem = "t";
                            return problem;
                          }()};
};

TEST_F(AttemptWatcherTest, TheProbeWithTheFewestAndShortestGoalsIsKept) {
  const std::vector<std::string> candidates = {"simp", "omega\n  <;> rfl", "cases a"};
  const auto first_case =
      site_->ForSearch("intro h").first_line + 2;  // after the tactic and the refine
  lean_.answers.push_back({ErrorAt(first_case, "unsolved goals\na b : Nat\n⊢ a = b + 0"),
                           ErrorAt(first_case + 2, "unsolved goals\n⊢ a = b"),
                           ErrorAt(first_case + 5, "unsolved goals\n⊢ a\n\n⊢ b"),
                           ErrorAt(first_case + 7, "zend")});
  lean::ProbeLimits limits;
  limits.deadline = core::testing::Generous();
  lean::Checker& checker = watcher_;
  const auto attempts =
      core::testing::Await(io_, lean::Probe(checker, *site_, "intro h", candidates, limits));
  ASSERT_TRUE(attempts);
  ASSERT_EQ((*attempts)[1].goals.size(), 1U) << "the script knows where the cases begin";
  EXPECT_EQ(watcher_.best(), "intro h\nomega\n  <;> rfl\nsorry\n-- ⊢ a = b\n");
  EXPECT_EQ(watcher_.checks(), 1U);
}

TEST_F(AttemptWatcherTest, ChecksAndTheirTimeAreCountedByRole) {
  for (const std::vector<std::string>& roles :
       {std::vector<std::string>{}, {"prover"}, {"builtin", "prover"}}) {
    lean::CheckRequest request;
    request.text = problem_.Text();
    request.roles = roles;
    static_cast<void>(core::testing::Await(io_, watcher_.Check(std::move(request))));
  }
  const lean::UseByRole expected{{"builtin", {.checks = 1, .lean_seconds = 0.25}},
                                 {"file", {.checks = 1, .lean_seconds = 0.5}},
                                 {"prover", {.checks = 2, .lean_seconds = 0.75}}};
  EXPECT_EQ(watcher_.by_role(), expected);
}

TEST_F(AttemptWatcherTest, TheProofWithTheLatestErrorIsKept) {
  const uint32_t line = FirstTacticLine();
  lean_.answers.push_back({ErrorAt(line, "unknown tactic")});
  lean_.answers.push_back({ErrorAt(line + 2, "no goals\nhere")});
  lean_.answers.push_back({ErrorAt(line + 1, "omega failed")});
  Check("foo\nbar\nbaz");
  Check("intro h\nsimp\nomega");
  Check("intro h\nomega\ndone");
  EXPECT_EQ(watcher_.best(), "intro h\nsimp\nomega\n-- line 3: no goals\n-- here\n");
}

TEST_F(AttemptWatcherTest, TacticsTriedInTheStateServerCountAndAreKept) {
  using enum lean::ProbeResult::Outcome;
  const std::vector<std::string> candidates = {"simp", "omega\n  <;> rfl", "rfl", "decide"};
  lean::ProbeLimits limits;
  limits.deadline = core::testing::Generous();
  lean::TacticRunner& runner = watcher_;
  uint64_t counted = 0;
  watcher_.on_candidates = [&](uint64_t all) { counted = all; };
  const auto busy =
      core::testing::Await(io_, lean::Probe(runner, *site_, "intro h", candidates, limits));
  EXPECT_TRUE(busy && !*busy);
  EXPECT_EQ(counted, 0U);
  states_.answer = std::vector<lean::ProbeResult>{
      {.outcome = kOpen, .goals = {"a b : Nat\n⊢ a = b + 0"}, .message = {}, .suggestion = {}},
      {.outcome = kOpen, .goals = {"⊢ a = b"}, .message = {}, .suggestion = {}},
      {.outcome = kFailed, .goals = {}, .message = "no", .suggestion = {}},
      {}};
  const auto tried =
      core::testing::Await(io_, lean::Probe(runner, *site_, "intro h", candidates, limits));
  ASSERT_TRUE(tried && *tried);
  EXPECT_EQ(watcher_.best(), "intro h\nomega\n  <;> rfl\nsorry\n-- ⊢ a = b\n");
  EXPECT_EQ(counted, 3U) << "of the last, nothing is known";
  EXPECT_EQ(watcher_.checks(), 0U);
}

TEST_F(AttemptWatcherTest, ChecksThatAreNoAttemptsAreOnlyForwarded) {
  Check("skip");
  lean::CheckRequest request;
  request.text = problem_.Text();
  static_cast<void>(core::testing::Await(io_, watcher_.Check(std::move(request))));
  EXPECT_EQ(watcher_.best(), "");
  EXPECT_EQ(watcher_.checks(), 2U);
}

}  // namespace
}  // namespace zermelo::eval
