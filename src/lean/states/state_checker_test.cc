#include "lean/states/state_checker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/testing/testing.h"
#include "lean/probe.h"

namespace zermelo::lean {
namespace {

using core::Result;
using core::Task;
using core::testing::Await;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ScriptedWorkers : public Checker {
 public:
  Task<Result<CheckResult>> Check(CheckRequest request) override {
    ++asked;
    last = std::move(request);
    CheckResult result;
    result.status = CheckStatus::kAccepted;
    co_return result;
  }
  size_t size() const override { return 2; }
  uint64_t checks() const override { return asked; }
  uint64_t asked = 0;
  CheckRequest last;
};

class ScriptedStates : public StateRunner {
 public:
  Task<Result<std::optional<std::vector<ProbeResult>>>> Try(Trials) override {
    co_return std::nullopt;
  }
  Task<Result<std::optional<StateRun>>> RunNow(StateQuery query) override {
    last = std::move(query);
    co_return answer;
  }
  Result<std::optional<StateRun>> answer = std::nullopt;
  StateQuery last;
};

class StateCheckerTest : public ::testing::Test {
 protected:
  /// A request about tactics after `by`, asking for the goals at the second one.
  static CheckRequest Request(std::string_view tactics = "intro h\n    omega") {
    CheckRequest request;
    request.text = "theorem t : p := by\n    ";
    const size_t begin = request.text.size();
    request.text += tactics;
    request.tactics = syntax::TextRange{.begin = begin, .end = request.text.size()};
    request.text += "\n";
    request.limit = std::chrono::seconds(7);
    request.goals_at = {{.line = 2, .character = 4}};
    return request;
  }
  static TacticStep Step(uint32_t line, std::optional<StateNumber> state) {
    TacticStep step;
    step.begin = {.line = line, .character = 4};
    step.end = {.line = line, .character = 9};
    step.state = state;
    return step;
  }
  static StateRun Refused() {
    StateRun run;
    run.steps = {Step(0, 1), Step(1, std::nullopt)};
    run.steps[1].messages = {{.severity = Severity::kError,
                              .begin = {.line = 1, .character = 4},
                              .end = {.line = 1, .character = 9},
                              .message = "omega failed"}};
    run.goals = {"⊢ q"};
    run.goals_at = {std::vector<std::string>{"⊢ q"}};
    return run;
  }
  Result<CheckResult> Check(CheckRequest request) {
    return Await(io_, checker_.Check(std::move(request)));
  }

  boost::asio::io_context io_;
  ScriptedWorkers workers_;
  ScriptedStates states_;
  StateChecker checker_{workers_, states_};
};

TEST_F(StateCheckerTest, TheRunIsLaidOutAsTheDocument) {
  Check(Request());
  EXPECT_EQ(states_.last.hole.text, "theorem t : p := by\n    sorry\n");
  EXPECT_EQ(states_.last.hole.text.substr(states_.last.hole.byte), "sorry\n");
  EXPECT_EQ(states_.last.tactics, "    intro h\n    omega\n");
  EXPECT_THAT(states_.last.goals_at, ElementsAre(states_.last.tactics.find("omega")));
  EXPECT_EQ(states_.last.limit, std::chrono::seconds(7));
  EXPECT_FALSE(states_.last.stop_at_error);
}

TEST_F(StateCheckerTest, AnErrorIsAnAnswerInThePlacesOfTheDocument) {
  states_.answer = Refused();
  const auto result = Check(Request());
  ASSERT_TRUE(result);
  EXPECT_EQ(result->status, CheckStatus::kRejected);
  ASSERT_EQ(result->diagnostics.size(), 1U);
  EXPECT_EQ(result->diagnostics[0].begin, (Position{.line = 2, .character = 4}));
  EXPECT_EQ(result->diagnostics[0].message, "omega failed");
  EXPECT_THAT(result->goals, ElementsAre(ElementsAre("⊢ q")));
  EXPECT_EQ(workers_.asked, 0U);
  EXPECT_EQ(checker_.refused(), 1U);
  EXPECT_EQ(checker_.checks(), 1U);
}

TEST_F(StateCheckerTest, UpToTheFirstErrorThereAreNoGoals) {
  states_.answer = Refused();
  auto request = Request();
  request.extent = UpToFirstError{{.first = 0, .last = 3}};
  const auto result = Check(std::move(request));
  ASSERT_TRUE(result);
  EXPECT_TRUE(states_.last.stop_at_error);
  EXPECT_TRUE(result->stopped_at_error);
  EXPECT_THAT(result->goals, IsEmpty());
}

TEST_F(StateCheckerTest, GoalsThatAreLeftAreReportedAtTheBy) {
  StateRun run = Refused();
  run.steps[1] = Step(1, 2);
  run.goals = {"⊢ q", "⊢ r"};
  states_.answer = run;
  const auto result = Check(Request());
  ASSERT_TRUE(result);
  ASSERT_EQ(result->diagnostics.size(), 1U);
  EXPECT_EQ(result->diagnostics[0].begin, (Position{.line = 0, .character = 17}));
  EXPECT_THAT(UnsolvedGoals(result->diagnostics[0].message), ElementsAre("⊢ q", "⊢ r"));
  EXPECT_EQ(workers_.asked, 0U);
}

TEST_F(StateCheckerTest, AWorkerDecidesAboutWhatIsNotRefused) {
  const StateRun refused = Refused();
  StateRun closed = refused;
  closed.steps[1] = Step(1, 2);
  closed.goals.clear();
  StateRun syntax = refused;
  syntax.syntax_errors = refused.steps[1].messages;
  StateRun aborted = refused;
  aborted.steps[1].aborted = true;
  StateRun silent = refused;  // goals are left, and one state is not known
  silent.steps[1] = Step(1, 2);
  silent.goals_at = {std::nullopt};
  uint64_t asked = 0;
  for (const StateRun& run : {closed, syntax, aborted, silent, StateRun{}}) {
    states_.answer = run;
    const auto result = Check(Request());
    ASSERT_TRUE(result);
    EXPECT_EQ(result->status, CheckStatus::kAccepted);
    EXPECT_EQ(workers_.asked, ++asked);
  }
  states_.answer = std::nullopt;
  Check(Request());
  states_.answer = core::Fail(core::ErrorCode::kCrashed, "it died twice");
  Check(Request());
  EXPECT_EQ(workers_.asked, asked + 2);
}

TEST_F(StateCheckerTest, OnlyTacticsAtTheEndOfTheTextAreRun) {
  states_.answer = Refused();
  auto request = Request();
  request.text += "  where x := 1\n";
  Check(std::move(request));
  request = Request();
  request.goals_at_sorries = true;
  Check(std::move(request));
  request = Request();
  request.goals_at = {{.line = 0, .character = 3}};
  Check(std::move(request));
  request = Request();
  request.tactics.reset();
  Check(std::move(request));
  request = Request("skip\n    \xff");
  request.goals_at.clear();
  Check(std::move(request));
  EXPECT_EQ(workers_.asked, 5U);
}

TEST_F(StateCheckerTest, ATacticThatIsCutOffIsATimeout) {
  StateRun run = Refused();
  run.steps[1].cut = true;
  states_.answer = run;
  const auto result = Check(Request());
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, core::ErrorCode::kTimeout);
  EXPECT_EQ(workers_.asked, 0U);
}

}  // namespace
}  // namespace zermelo::lean
