#include "lean/worker.h"

#include <functional>
#include <random>

#include "lean/testing/worker_fixture.h"

namespace zermelo::lean {
namespace {

using core::Deadline;
using core::ErrorCode;
using core::testing::Await;
using core::testing::Generous;
using core::testing::RunUntil;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::Fake;
using testing::WorkerTest;

/// Lean itself needs a moment to start: long enough for that, short enough for a test.
Deadline Short() { return Deadline::After(milliseconds(700)); }

TEST_F(WorkerTest, ATextWithoutFaultHasNoDiagnostics) {
  const auto result = Check("theorem t : 1 := by\n  dec\n  zero\n");
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_TRUE(result->diagnostics.empty());
  EXPECT_TRUE(result->goals.empty());
  EXPECT_FALSE(result->stalled_part);
  EXPECT_GT(result->seconds, 0);
}

TEST_F(WorkerTest, ErrorsAndWarningsAreResults) {
  const auto result = Check(Fake("error 4 bad") + Fake("warning 2 unused") + Fake("info 0 hello"));
  ASSERT_TRUE(result);
  ASSERT_EQ(result->diagnostics.size(), 3u);
  EXPECT_EQ(result->diagnostics[0].severity, Severity::kError);
  EXPECT_EQ(result->diagnostics[0].begin, (Position{4, 0}));
  EXPECT_EQ(result->diagnostics[0].end, (Position{5, 0})) << "the full range";
  EXPECT_EQ(result->diagnostics[0].message, "bad");
  EXPECT_EQ(result->diagnostics[1].severity, Severity::kWarning);
  EXPECT_EQ(result->diagnostics[2].severity, Severity::kInformation);
}

TEST_F(WorkerTest, EachCheckHasItsOwnDiagnostics) {
  EXPECT_EQ(Messages(Fake("error 0 first")), std::vector<std::string>{"first"});
  EXPECT_EQ(Messages(Fake("error 0 second")), std::vector<std::string>{"second"});
  EXPECT_EQ(Messages("nothing\n"), std::vector<std::string>{});
  EXPECT_EQ(worker->checks(), 3u);
}

TEST_F(WorkerTest, GoalsAreGivenForEachPosition) {
  CheckRequest request = Request("example := by\n\n  skip\n", Generous());
  request.goals_at = {{0, 11}, {1, 0}, {2, 2}};
  const auto result = Check(std::move(request));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->goals, (std::vector<std::vector<std::string>>{
                               {"⊢ at 0:11", "⊢ second"}, {}, {"⊢ at 2:2", "⊢ second"}}));
  EXPECT_EQ(result->in_proof, (std::vector<bool>{true, false, true}));
}

TEST_F(WorkerTest, EverySorryInTheCodeHasItsGoals) {
  CheckRequest request =
      Request("-- sorry\nexample := by\n  sorry\ndef sorry' : Nat := sorry\n", Generous());
  request.goals_at_sorries = true;
  const auto result = Check(std::move(request));
  ASSERT_TRUE(result);
  ASSERT_EQ(result->sorries.size(), 2u);
  EXPECT_EQ(result->sorries[0].at, (Position{2, 2}));
  EXPECT_EQ(result->sorries[0].goals, (std::vector<std::string>{"⊢ at 2:2", "⊢ second"}));
  EXPECT_EQ(result->sorries[1].at, (Position{3, 20}));
  EXPECT_EQ(result->sorries[1].goals, std::vector<std::string>{"⊢ term at 3:20"});
}

TEST_F(WorkerTest, TheVerdictFollowsFromTheDiagnostics) {
  EXPECT_EQ(Check(Request("fine\n", Generous()))->status, CheckStatus::kAccepted);
  EXPECT_EQ(Check(Request(Fake("error 0 no"), Generous()))->status, CheckStatus::kRejected);
  EXPECT_EQ(Check(Request(Fake("warning 0 declaration uses 'sorry'"), Generous()))->status,
            CheckStatus::kSorry);
  EXPECT_EQ(
      Check(Request(Fake("warning 0 declaration uses 'sorry'") + Fake("error 0 no"), Generous()))
          ->status,
      CheckStatus::kRejected);
}

TEST_F(WorkerTest, TextThatIsNotUtf8IsSentAsReplacementCharacters) {
  EXPECT_TRUE(Check(Request("a\xFF\xFE b\n", Generous())));
  EXPECT_TRUE(Check(Request("a\xFF c\n", Generous())));
}

TEST_F(WorkerTest, TheKernelIsSkippedOnlyOnRequest) {
  EXPECT_EQ(Messages(Fake("arguments")).front().find("skipKernelTC"), std::string::npos);
  Restart({.skip_kernel = true});
  EXPECT_NE(Messages(Fake("arguments")).front().find("-Ddebug.skipKernelTC=true"),
            std::string::npos);
}

TEST_F(WorkerTest, ADocumentFolderWithSpacesAndAccentsWorks) {
  const auto odd = folder.path() / "odd näme 100%";
  std::filesystem::create_directory(odd);
  worker =
      std::move(*Worker::Start(io->get_executor(), testing::FakeToolchain(odd), WorkerOptions{}));
  EXPECT_NE(Messages(Fake("arguments")).front().find("odd%20n%C3%A4me%20100%25"),
            std::string::npos);
}

// ---- changes of the text

TEST_F(WorkerTest, LeanHasOurTextAfterEveryEdit) {
  const std::string echo = "-- fake: echo";
  const std::vector<std::string> texts = {
      echo,
      echo + "\n",
      echo + "\nα 𝒜𝒜 x\n",
      echo + "\nα 𝒜𝒜 y",
      echo + "\nα 𝒜ℬ y",
      "𝒜" + echo + "\n" + echo,
      echo + "\r\nwith\r\ncarriage\r\nreturns 𝒜",
      echo + "\r\nwith\r\nother\r\nreturns 𝒜𝒜\r\n",
      echo + "\nwith\nno returns",
      "\n\n" + echo,
      echo + "\n𝒜\r",
      echo,
  };
  for (const std::string& text : texts) {
    EXPECT_EQ(Messages(text).front(), text);
    EXPECT_EQ(worker->text(), text);
  }
}

TEST_F(WorkerTest, LeanHasOurTextAfterRandomEdits) {
  std::mt19937 random(3);
  const std::vector<std::string> pieces = {"a", "𝒜", "α", "\n", "\r\n", "  ", "∀ x,", "\n\n", "😀"};
  std::string text = "-- fake: echo\n";
  const size_t fixed = text.size();
  for (int round = 0; round < 100; ++round) {
    // Cut at a character, then add a few.
    size_t cut = fixed + random() % (text.size() - fixed + 1);
    while (cut < text.size() && (static_cast<unsigned char>(text[cut]) & 0xC0U) == 0x80U) ++cut;
    if (text[cut - 1] == '\r') --cut;
    text.resize(std::max(cut, fixed));
    for (size_t i = random() % 12; i > 0; --i) text += pieces[random() % pieces.size()];
    ASSERT_EQ(Messages(text), std::vector<std::string>{text}) << "round " << round;
  }
}

TEST_F(WorkerTest, AnEmptyTextMayComeAndGo) {
  EXPECT_TRUE(Messages("").empty());
  EXPECT_EQ(Messages(Fake("echo")).front(), Fake("echo"));
  EXPECT_TRUE(Messages("").empty());
  EXPECT_TRUE(Messages("").empty());
}

TEST_F(WorkerTest, AcceptsALargeText) {
  const std::string text = Fake("echo") + std::string(3'000'000, 'x') + "\n";
  EXPECT_EQ(Messages(text).front(), text);
}

// ---- timeouts

TEST_F(WorkerTest, ATimeoutIsCancelledAndTheWorkerContinues) {
  Restart({.cancel_grace = seconds(30)});
  EXPECT_TRUE(Check("def a := 1\n")) << "it is up";
  const auto result = Check("def a := 1\n" + Fake("hang"), Short());
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kTimeout);
  EXPECT_TRUE(worker->alive());
  EXPECT_EQ(Messages(Fake("error 0 next")), std::vector<std::string>{"next"});
}

TEST_F(WorkerTest, CancellingKeepsTheImports) {
  Restart({.cancel_grace = seconds(30)});
  EXPECT_TRUE(Check("import Init\n")) << "it is up";
  EXPECT_FALSE(Check("import Init\ndef a := 1\n" + Fake("hang"), Short()));
  EXPECT_TRUE(worker->cancelling());
  Await(*io, worker->CancelAndDrain());
  EXPECT_FALSE(worker->cancelling());
  EXPECT_EQ(worker->text(), "import Init\n");
  EXPECT_TRUE(worker->alive());
}

TEST_F(WorkerTest, AcceptsTextsWithTheImportsOfItsFirstOne) {
  EXPECT_TRUE(worker->CanTake({"B"}));
  EXPECT_TRUE(Messages("import A\n").empty());
  EXPECT_TRUE(worker->CanTake({"A"}));
  EXPECT_FALSE(worker->CanTake({"B"}));
  EXPECT_FALSE(worker->CanTake({}));
}

TEST_F(WorkerTest, AWorkerThatIgnoresCancellationIsKilled) {
  Restart({.cancel_grace = milliseconds(200)});
  EXPECT_TRUE(Check("def a := 1\n")) << "it is up";
  const auto result = Check(Fake("deaf"), Short());
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kTimeout);
  EXPECT_TRUE(worker->alive());
  Await(*io, worker->CancelAndDrain());
  EXPECT_FALSE(worker->alive());
  RunUntil(*io, [&] { return !core::testing::Runs(worker->pid()); });
}

TEST_F(WorkerTest, AWorkerThatLoadsItsImportsIsNotKilledAtADeadline) {
  Restart({.cancel_grace = milliseconds(1)});
  const std::string text = Fake("slow 500") + "import Init\ndef a := 1\n";
  const auto result = Await(*io, worker->Load(Request(text, Deadline::After(milliseconds(50)))));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kTimeout);
  EXPECT_FALSE(worker->loaded());
  EXPECT_TRUE(Check(text));
  EXPECT_TRUE(worker->loaded());
}

TEST_F(WorkerTest, ALoadThatDoesNotEndIsEventuallyKilled) {
  Restart({.load_grace = milliseconds(200)});
  EXPECT_FALSE(Await(*io, worker->Load(Request(Fake("deaf") + "import Init\n", Short()))));
  Await(*io, worker->CancelAndDrain());
  EXPECT_FALSE(worker->alive());
}

TEST_F(WorkerTest, ACheckEndsWithinASecondOfItsDeadline) {
  EXPECT_LE(WorkerOptions().cancel_grace,
            milliseconds(900));  // killing it takes longer on a busy machine
  for (const char* stuck : {"hang", "deaf", "goal-hang"}) {
    Restart({});
    EXPECT_TRUE(Check("def a := 1\n")) << "it is up";
    CheckRequest request =
        Request("def a := 1\n" + Fake(stuck), Deadline::After(milliseconds(300)));
    request.goals_at = {{0, 0}};
    const auto soon_after = core::Clock::now() + milliseconds(300) + seconds(5);
    const auto result = Check(std::move(request));
    EXPECT_LT(core::Clock::now(), soon_after) << stuck;
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, ErrorCode::kTimeout);
    Await(*io, worker->CancelAndDrain());
    EXPECT_LT(core::Clock::now(), soon_after) << stuck;
    EXPECT_TRUE(!worker->alive() || Check("next\n")) << stuck << ": killed or free";
  }
}

TEST_F(WorkerTest, ADeadlineWhileWritingIsATimeout) {
  // SIGSTOP: it reads nothing, like a Lean that is still loading.
  ASSERT_EQ(::kill(worker->pid(), SIGSTOP), 0);
  const auto result = Check(std::string(1'000'000, 'x'), Short());
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kTimeout);
  EXPECT_FALSE(worker->alive()) << "half a message was written";
}

TEST_F(WorkerTest, ASlowAnswerWithinTheDeadlineCounts) {
  EXPECT_EQ(Messages(Fake("slow 300") + Fake("error 0 slow")), std::vector<std::string>{"slow"});
}

TEST_F(WorkerTest, ALeanThatHangsIsKilledLongBeforeTheDeadline) {
  for (const char* const where : {"hang", "goal-hang"}) {
    Restart({.standstill = milliseconds(300)});
    CheckRequest request = Request(Fake(where), Generous());
    request.goals_at = {Position()};
    const auto result = Check(std::move(request));
    ASSERT_FALSE(result) << where;
    EXPECT_EQ(result.error().code, ErrorCode::kCrashed) << where;
    EXPECT_NE(result.error().message.find("it hung"), std::string::npos) << where;
    EXPECT_FALSE(worker->alive()) << where;
  }
}

TEST_F(WorkerTest, ALeanThatIsWorkingIsNotKilled) {
  Restart({.standstill = milliseconds(300)});
  EXPECT_EQ(Messages(Fake("spin 1000") + Fake("error 0 done")), std::vector<std::string>{"done"});
}

TEST_F(WorkerTest, ALateAnswerIsNotMistakenForTheNext) {
  Restart({.cancel_grace = seconds(30)});
  EXPECT_FALSE(Check("def a := 1\n" + Fake("slow 1500") + Fake("error 0 late"), Short()));
  EXPECT_TRUE(worker->alive());
  EXPECT_EQ(Messages(Fake("slow 100") + Fake("error 0 next")), std::vector<std::string>{"next"});
}

TEST_F(WorkerTest, MissingGoalsAreATimeout) {
  Restart({.cancel_grace = seconds(30)});
  CheckRequest request = Request(Fake("goal-hang"), Short());
  request.goals_at = {{0, 0}};
  const auto result = Check(std::move(request));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kTimeout);
  EXPECT_TRUE(worker->alive());
}

// ---- parts with their own limits

TEST_F(WorkerTest, APartThatStallsIsNamedWithTheDiagnosticsSoFar) {
  CheckRequest request =
      Request(Fake("stall 5") + Fake("error 2 before") + "3\n4\n5\n6\n7\n", Generous());
  request.extent = InParts{.first_lines = {2, 4, 6}, .limit = milliseconds(200)};
  const auto result = Check(std::move(request));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->stalled_part, 1u);
  ASSERT_EQ(result->diagnostics.size(), 1u);
  EXPECT_EQ(result->diagnostics[0].message, "before");
  EXPECT_EQ(Messages(Fake("error 0 next")), std::vector<std::string>{"next"});
}

TEST_F(WorkerTest, StallingBeforeTheFirstPartIsLeftToTheDeadline) {
  CheckRequest request = Request(Fake("stall 1") + "2\n3\n4\n", Short());
  request.extent = InParts{.first_lines = {2}, .limit = milliseconds(50)};
  const auto result = Check(std::move(request));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kTimeout);
}

TEST_F(WorkerTest, PartsThatFinishAreNotStalled) {
  CheckRequest request = Request(Fake("slow 300") + "1\n2\n3\n", Generous());
  request.extent = InParts{.first_lines = {1, 2}, .limit = milliseconds(50)};
  const auto result = Check(std::move(request));
  ASSERT_TRUE(result);
  EXPECT_FALSE(result->stalled_part);
}

TEST_F(WorkerTest, PartialResultsAtTheDeadlineAreReturnedOnRequest) {
  EXPECT_TRUE(Check("def a := 1\n")) << "it is up";
  const std::string text =
      "def a := 1\n" + Fake("stall 6") + Fake("error 3 before") + "4\n5\n6\n7\n8\n";
  CheckRequest request = Request(text, Deadline::After(milliseconds(500)));
  request.extent = UntilDeadline{.first_lines = {3, 5, 7}};
  const auto result = Check(std::move(request));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->status, CheckStatus::kStalled);
  EXPECT_EQ(result->stalled_part, 1u);
  ASSERT_EQ(result->diagnostics.size(), 1u);
  EXPECT_EQ(result->diagnostics[0].message, "before");
  EXPECT_EQ(Messages(Fake("error 0 next")), std::vector<std::string>{"next"});
}

// ---- stopping at the first error

TEST_F(WorkerTest, PastTheFirstErrorPartialResultsAreReturned) {
  CheckRequest request = Request(
      Fake("unfinished 1-2 5-7") + "1\n2\n" + Fake("error 3 bad") + "4\n5\n6\n7\n", Generous());
  request.extent = UpToFirstError{LineRange{1, 100}};
  request.goals_at = {{2, 0}};
  const auto result = Check(std::move(request));
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_TRUE(result->stopped_at_error);
  EXPECT_EQ(result->status, CheckStatus::kRejected);
  ASSERT_EQ(result->diagnostics.size(), 1u);
  EXPECT_EQ(result->diagnostics[0].message, "bad");
  EXPECT_TRUE(result->goals.empty());
  EXPECT_EQ(Messages(Fake("error 0 next")), std::vector<std::string>{"next"});
}

TEST_F(WorkerTest, AnErrorThatLeanRetractsStillStopsTheCheck) {
  CheckRequest request = Request("def a := 1\n1\n" + Fake("error 3 bad") + "3\n" +
                                     Fake("unfinished 1-2 5-7") + Fake("takes-back") + "6\n7\n",
                                 Generous());
  request.extent = UpToFirstError{LineRange{1, 7}};
  const auto result = Check(std::move(request));
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_TRUE(result->stopped_at_error);
  EXPECT_EQ(result->status, CheckStatus::kRejected);
}

TEST_F(WorkerTest, TheErrorMayComeAfterTheProgress) {
  CheckRequest request =
      Request(Fake("unfinished-first 1-2 5-7") + "1\n2\n" + Fake("error 3 bad") + "4\n5\n6\n7\n",
              Generous());
  request.extent = UpToFirstError{LineRange{1, 7}};
  const auto result = Check(std::move(request));
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_TRUE(result->stopped_at_error);
}

// ---- work that Lean still does after its check has been answered

TEST_F(WorkerTest, TheNextTextMakesLeanDropTheRest) {
  ASSERT_TRUE(Check(WithAbandonedWork(false)));
  EXPECT_TRUE(worker->has_abandoned_work());
  EXPECT_FALSE(worker->cancelling());
  EXPECT_EQ(Messages(Fake("error 0 next")), std::vector<std::string>{"next"});
  EXPECT_FALSE(worker->has_abandoned_work());
}

TEST_F(WorkerTest, DrainingKeepsTheTextUpToTheError) {
  ASSERT_TRUE(Check(WithAbandonedWork(false)));
  Await(*io, worker->CancelAndDrain());
  EXPECT_FALSE(worker->has_abandoned_work());
  EXPECT_TRUE(worker->alive());
  EXPECT_EQ(std::ranges::count(worker->text(), '\n'), 3);
}

TEST_F(WorkerTest, AbandonedWorkThatIsNotDroppedDoesNotDelayTheNextAnswer) {
  ASSERT_TRUE(Check(WithAbandonedWork(true)));
  EXPECT_EQ(Messages(Fake("error 0 next")), std::vector<std::string>{"next"});
  EXPECT_TRUE(worker->has_abandoned_work());
}

TEST_F(WorkerTest, AbandonedWorkThatIsNotDroppedInTimeKillsLean) {
  Restart({.abandoned_grace = milliseconds(200)});
  ASSERT_TRUE(Check(WithAbandonedWork(true)));
  const auto result = Check(Fake("slow 2000") + Fake("error 0 next"));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kCrashed);
  Restart({.abandoned_grace = milliseconds(200)});
  ASSERT_TRUE(Check(WithAbandonedWork(true)));
  Await(*io, worker->CancelAndDrain());
  EXPECT_FALSE(worker->alive());
}

TEST_F(WorkerTest, AnErrorThatMayNotBeTheFirstDoesNotStopTheCheck) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"1-2 3-7", "Lean is still working on the error"},
      {"1-2 2-3 5-7", "Lean is still working on something before the error"},
      {"1-2 2-7", "a syntax error is reported before anything is elaborated"},
      {"1-2", "nothing comes after the error"},
      {"0-1", "what is unfinished is not of interest"},
  };
  for (const auto& [unfinished, why] : cases) {
    CheckRequest request = Request("def a := 1\n" + Fake("unfinished " + unfinished) + "2\n" +
                                       Fake("error 3 bad") + "4\n5\n6\n7\n",
                                   Short());
    request.extent = UpToFirstError{LineRange{1, 100}};
    const auto result = Check(std::move(request));
    ASSERT_FALSE(result) << why;
    EXPECT_EQ(result.error().code, ErrorCode::kTimeout);
  }
}

TEST_F(WorkerTest, ErrorsOutsideTheRequestedLinesDoNotStopTheCheck) {
  const std::string text = "def a := 1\n" + Fake("unfinished 4-7") + Fake("error 0 elsewhere") +
                           Fake("error 2 bad") + "4\n5\n6\n7\n";
  EXPECT_FALSE(Check(Request(text, Short())));
  CheckRequest request = Request(text, Short());
  request.extent = UpToFirstError{LineRange{1, 1}};
  EXPECT_FALSE(Check(request));
  request.deadline = Short();
  request.extent = UpToFirstError{LineRange{3, 100}};
  EXPECT_FALSE(Check(std::move(request)));
}

}  // namespace
}  // namespace zermelo::lean
