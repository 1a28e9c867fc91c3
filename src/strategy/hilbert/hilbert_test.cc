// Hilbert on fake_lean.py's game: theorems are numbers, `sub K` subtracts K, `zero` closes 0.
#include "strategy/hilbert/hilbert.h"

#include "strategy/testing/hilbert_fixture.h"

namespace zermelo::strategy {
namespace {

using testing::AssemblyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::HilbertTest;
using ::testing::IsEmpty;
using testing::Lean;
using ::testing::Not;
using testing::SketchReply;
using testing::Theorems;

TEST_F(HilbertTest, ProofByTheProverNeedsNoReasoner) {
  prover.proofs["game"] = "sub 5\nzero";
  const auto result = Run(5);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->proof, "sub 5\nzero");
  EXPECT_EQ(result->auxiliary, "");
  EXPECT_EQ(result->progress, "") << "there were no subgoals";
  EXPECT_THAT(roles.asked, IsEmpty());
  EXPECT_THAT(StatesOf("game"), ElementsAre("proved: the prover"));
}

TEST_F(HilbertTest, SketchIsFilledByItsSubgoals) {
  ScriptOneSketch();
  prover.proofs["game_h1"] = "sub 2\nzero";
  prover.proofs["game_h2"] = "sub 3\nzero";
  const auto result = Run(5);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->proof,
            "have h1 : 2 := by\n  exact game_h1\nhave h2 : 3 := by\n  exact game_h2\nuse h2");
  EXPECT_EQ(result->auxiliary,
            "theorem game_h1 : 2 := by\n  sub 2\n  zero\n\n"
            "theorem game_h2 : 3 := by\n  sub 3\n  zero\n");
  EXPECT_THAT(roles.Steps(),
              ElementsAre("informal_proof", "sketch", "extract_subgoals", "assemble"));
  EXPECT_THAT(roles.asked[1].prompt, HasSubstr("It is so."));
  EXPECT_EQ(roles.asked[0].role, "informal");
  EXPECT_EQ(roles.asked[1].role, "sketcher");
  EXPECT_EQ(watched.Summary(), "3 prover, 2 reasoner, 2 sketcher")
      << "the prover also for the whole";
  EXPECT_EQ(result->depth, 1U);
  EXPECT_EQ(result->progress, "depth 1, 2 of 2 subgoals proved");
}

TEST_F(HilbertTest, WhatASubgoalUsedDoesNotCountForTheOneAbove) {
  ScriptOneSketch();
  prover.proofs["game_h1"] = "sub 2\nzero";
  prover.proofs["game_h2"] = "sub 3\nzero";
  size_t searches = 0;
  builtin = [&](const Problem&, Limits own) -> core::Task<core::Result<SearchResult>> {
    ++searches;
    ++own.use->checks;
    own.use->lean_seconds += 0.25;
    co_return SearchResult();
  };
  parameters.disprove_seconds = 0;
  const auto result = Run(5);
  ASSERT_TRUE(result && result->proof);
  std::map<size_t, nlohmann::json> used;  // the last word on each node
  for (const auto& event : journal.Of(event::kSubgoalUsed)) used[event["node"]] = event;
  ASSERT_EQ(used.size(), 3U);
  EXPECT_EQ(used[0]["calls"], roles.asked.size()) << "its sketch and the statements of its parts";
  EXPECT_EQ(used[0]["samples"], result->spending.samples);
  EXPECT_EQ(used[0]["tokens"], result->spending.tokens());
  EXPECT_EQ(used[1]["calls"], 0);
  EXPECT_EQ(used[1]["checks"], 2) << "the built-in policy's and the prover's";
  EXPECT_GE(used[1]["lean_seconds"], 0.25);
  EXPECT_EQ(searches, 3U);
  size_t checks = 0;
  for (const auto& [node, use] : used) checks += use["checks"].get<size_t>();
  EXPECT_EQ(checks, watched.seen.size() + searches);
}

TEST_F(HilbertTest, WhatAnUnprovedTheoremUsedIsRecordedAtTheEnd) {
  parameters.depth = 0;
  const auto result = Run(5);
  ASSERT_TRUE(result && !result->proof);
  ASSERT_EQ(journal.Of(event::kSubgoalUsed).size(), 1U);
  EXPECT_EQ(journal.Of(event::kSubgoalUsed)[0]["checks"], 1);
  EXPECT_EQ(journal.events.back().kind, event::kGaveUp);
}

TEST_F(HilbertTest, SketchThatLeanRejectsIsCorrectedWithItsErrors) {
  ScriptOneSketch();
  roles.script["sketch|theorem game :"] = {SketchReply("game", 5, {2, 3}, "use h7")};
  roles.script["correct_sketch"] = {"no code here", SketchReply("game", 5, {2, 3})};
  roles.script["missing_tag"] = {SketchReply("game", 5, {2, 3})};
  prover.proofs["game_h1"] = "sub 2\nzero";
  prover.proofs["game_h2"] = "sub 3\nzero";
  const auto result = Run(5);
  ASSERT_TRUE(result && result->proof);
  EXPECT_THAT(roles.Steps(), ElementsAre("informal_proof", "sketch", "correct_sketch",
                                         "missing_tag", "extract_subgoals", "assemble"));
  EXPECT_THAT(roles.asked[2].prompt, HasSubstr("unknown identifier 'h7'"));
}

TEST_F(HilbertTest, AttemptEndsAfterTheMaximumOfCorrections) {
  parameters.sketch_corrections = 2;
  parameters.sketch_attempts = 3;
  roles.script["sketch"] = {SketchReply("game", 5, {2}, "use h7")};
  roles.script["correct_sketch"] = {SketchReply("game", 5, {2}, "use h8")};
  const auto result = Run(5);
  ASSERT_TRUE(result);
  EXPECT_FALSE(result->proof);
  EXPECT_EQ(result->reason, "exhausted");
  EXPECT_EQ(roles.Count("sketch"), 3U);
  EXPECT_EQ(roles.Count("correct_sketch"), 6U);
  EXPECT_EQ(journal.Of(event::kSketchRefused).size(), 3U);
}

TEST_F(HilbertTest, MissingSubgoalsAreRequestedAgain) {
  ScriptOneSketch();
  roles.script["extract_subgoals|theorem game :"] = {Theorems({2})};
  roles.script["missing_subgoals"] = {Theorems({3}, 2)};
  prover.proofs["game_h1"] = "sub 2\nzero";
  prover.proofs["game_h2"] = "sub 3\nzero";
  const auto result = Run(5);
  ASSERT_TRUE(result && result->proof);
  EXPECT_EQ(roles.Count("missing_subgoals"), 1U);
  EXPECT_THAT(roles.asked[3].prompt, HasSubstr("are missing: h2."));
}

TEST_F(HilbertTest, CorrectionsOfAStatementAreOneConversation) {
  ScriptOneSketch();
  const auto nowhere = [](const std::string& name) {
    return Lean("theorem " + name + " : nowhere := by\n  sorry\n");
  };
  roles.script["extract_subgoals|theorem game :"] = {
      Lean("theorem h1 : nowhere := by\n  sorry\n\ntheorem h2 : 3 := by\n  sorry\n")};
  roles.script["correct_statement"] = {nowhere("h1")};
  roles.script["correct_statement_again"] = {nowhere("h1"),
                                             Lean("theorem h1 : 2 := by\n  sorry\n")};
  prover.proofs["game_h1"] = "sub 2\nzero";
  prover.proofs["game_h2"] = "sub 3\nzero";
  const auto outcome = Run(5);
  ASSERT_TRUE(outcome && outcome->proof);
  std::vector<size_t> messages;
  for (const auto& asked : roles.asked) {
    if (asked.step.starts_with("correct_statement")) messages.push_back(asked.messages);
  }
  EXPECT_THAT(messages, ElementsAre(2, 4, 6));
  const auto again =
      std::ranges::find(roles.asked, "correct_statement_again", &testing::Asked::step);
  EXPECT_THAT(again->prompt, HasSubstr("unknown identifier 'nowhere'"));
}

TEST_F(HilbertTest, AssemblyIsCorrectedBeforeAnySubgoalIsTried) {
  ScriptOneSketch();
  roles.script["assemble|theorem game :"] = {
      AssemblyOf("game", 5, {2, 3}, {"game_h1", "game_h1"}, "use h2"),
  };
  roles.script["correct_assembly"] = {
      AssemblyOf("game", 5, {2, 3}, {"game_h1", "game_h2"}, "use h2")};
  prover.proofs["game_h1"] = "sub 2\nzero";
  prover.proofs["game_h2"] = "sub 3\nzero";
  const auto result = Run(5);
  ASSERT_TRUE(result && result->proof);
  EXPECT_EQ(roles.asked.back().step, "correct_assembly");
  EXPECT_THAT(roles.asked.back().prompt, HasSubstr("type mismatch"));
  EXPECT_THAT(prover.asked, ElementsAre("game", "game_h1", "game_h2"));
}

TEST_F(HilbertTest, SketchWithAFalseSubgoalIsRefinedAndProvedSubgoalsAreKept) {
  ScriptOneSketch();
  roles.script["judge_mathematics|theorem game_h2 : 3"] = {
      "<reason>take 0</reason><verdict>NO</verdict>"};
  roles.script["refine_sketch"] = {SketchReply("game", 5, {2, 4})};
  roles.script["extract_subgoals|have h2 : 4"] = {Theorems({2, 4})};
  roles.script["assemble|have h2 : 4"] = {
      AssemblyOf("game", 5, {2, 4}, {"game_h1", "game_h2_2"}, "use h2")};
  prover.proofs["game_h1"] = "sub 2\nzero";
  prover.proofs["game_h2_2"] = "sub 4\nzero";
  const auto result = Run(5);
  ASSERT_TRUE(result && result->proof);
  EXPECT_EQ(prover.Count("game_h1"), 1U) << "it is remembered";
  EXPECT_THAT(result->auxiliary, Not(HasSubstr(": 3")));
  EXPECT_EQ(roles.Count("refine_sketch"), 1U);
  const auto refine = std::ranges::find(roles.asked, "refine_sketch", &testing::Asked::step);
  EXPECT_THAT(refine->prompt, HasSubstr("take 0"));
  EXPECT_THAT(refine->prompt, HasSubstr("theorem game_h1 : 2"));
  EXPECT_THAT(refine->prompt, HasSubstr("It is so.")) << "a new proof in words";
  EXPECT_THAT((refine - 1)->prompt, HasSubstr("take 0")) << "that knows the problem";
  EXPECT_THAT(StatesOf("game_h1"), ElementsAre("proved: the prover", "proved: memory"));
  EXPECT_THAT(StatesOf("game_h2"), ElementsAre("false: take 0"));
}

TEST_F(HilbertTest, RefinementsAndRestartsRetrieveAndProveInWordsAgain) {
  testing::ScriptedRetriever retriever;
  premises = &retriever;
  retriever.answers["two"] = {"Two.even"};
  ScriptOneSketch();
  parameters.sketch_attempts = 2;
  parameters.sketch_refinements = 1;
  roles.script["search_queries"] = {"<query>two</query>"};
  roles.script["select_premises"] = {"<theorem>Two.even</theorem>"};
  roles.script["judge_mathematics"] = {"<reason>take 0</reason><verdict>NO</verdict>"};
  roles.script["assemble|theorem game :"].push_back(
      AssemblyOf("game", 5, {2, 3}, {"game_h1_2", "game_h2_2"}, "use h2"));
  roles.script["refine_sketch"] = {"no code"};
  const auto result = Run(5);
  ASSERT_TRUE(result);
  EXPECT_FALSE(result->proof);
  EXPECT_EQ(roles.Count("sketch"), 2U);
  EXPECT_EQ(roles.Count("refine_sketch"), 2U);
  EXPECT_EQ(roles.Count("search_queries"), 4U);
  EXPECT_EQ(roles.Count("informal_proof"), 4U);
  const auto refine = std::ranges::find(roles.asked, "refine_sketch", &testing::Asked::step);
  EXPECT_THAT(refine->prompt, HasSubstr("- Two.even : Two.even says"));
}

TEST_F(HilbertTest, MissingProofInWordsEndsOnlyItsAttempt) {
  ScriptOneSketch();
  parameters.tag_retries = 0;
  roles.script["informal_proof"] = {"", "<informal_proof>It is so.</informal_proof>"};
  prover.proofs["game_h1"] = "sub 2\nzero";
  prover.proofs["game_h2"] = "sub 3\nzero";
  const auto result = Run(5);
  ASSERT_TRUE(result && result->proof);
  EXPECT_EQ(roles.Count("informal_proof"), 2U);
  EXPECT_EQ(roles.Count("sketch"), 1U);
}

TEST_F(HilbertTest, ConversationIsKept) {
  parameters.sketch_corrections = 2;
  parameters.sketch_attempts = 1;
  roles.script["sketch"] = {SketchReply("game", 5, {2}, "use h7")};
  roles.script["correct_sketch"] = {SketchReply("game", 5, {2}, "use h8")};
  ASSERT_TRUE(Run(5));
  ASSERT_EQ(roles.asked.size(), 4U);
  EXPECT_EQ(roles.asked[1].messages, 2U);
  EXPECT_EQ(roles.asked[2].messages, 4U);
  EXPECT_EQ(roles.asked[3].messages, 6U);
}

TEST_F(HilbertTest, OnlyAYesOfTheJudgePasses) {
  ScriptOneSketch();
  parameters.sketch_attempts = 1;
  parameters.sketch_refinements = 0;
  parameters.tag_retries = 1;
  prover.proofs["game_h1"] = "sub 2\nzero";
  roles.script["missing_tag"] = {"still none"};
  const auto states = [&](const std::string& reply) {
    roles.script["judge_mathematics"] = {reply};
    journal.events.clear();
    EXPECT_TRUE(Run(5));
    return StatesOf("game_h2");
  };
  EXPECT_THAT(states("I cannot say."), ElementsAre("false: the judge gave no verdict"));
  EXPECT_THAT(states("<verdict>**NO**</verdict>"), ElementsAre("false: <verdict>**NO**</verdict>"));
  EXPECT_THAT(states("<reason>?</reason><verdict>perhaps</verdict>"), ElementsAre("false: ?"));
  EXPECT_THAT(states("<verdict>NO</verdict> or rather <verdict>**Yes.**</verdict>"),
              ElementsAre("divided: ", "unproved: "));
}

TEST_F(HilbertTest, BudgetThatEndsAtTheJudgeIsNotAVerdict) {
  ScriptOneSketch();
  prover.proofs["game_h1"] = "sub 2\nzero";
  roles.most = 4;
  ASSERT_TRUE(Run(5));
  EXPECT_EQ(roles.asked.back().step, "judge_mathematics");
  EXPECT_THAT(StatesOf("game_h2"), IsEmpty());
}

// ---- repair of sketches

TEST_F(HilbertTest, SketchWithoutSorryIsAProof) {
  roles.script["sketch"] = {Lean("theorem game : 5 := by\n  sub 5\n  zero")};
  const auto result = Run(5);
  ASSERT_TRUE(result && result->proof);
  EXPECT_EQ(result->proof, "sub 5\nzero");
  EXPECT_THAT(roles.Steps(), ElementsAre("informal_proof", "sketch"));
  EXPECT_THAT(StatesOf("game"), ElementsAre("divided: ", "proved: its sketch, a whole proof"));
}

TEST_F(HilbertTest, ProvedStepsOfASketchAreKept) {
  roles.script["sketch"] = {
      Lean("theorem game : 5 := by\n  have h1 : 2 := by\n    sorry\n  have h2 : 3 := by\n"
           "    sub 3\n    zero\n  use h2")};
  roles.script["extract_subgoals"] = {Theorems({2})};
  roles.script["assemble"] = {
      Lean("theorem game : 5 := by\n  have h1 : 2 := by\n    exact game_h1\n"
           "  have h2 : 3 := by\n    sub 3\n    zero\n  use h2")};
  prover.proofs["game_h1"] = "sub 2\nzero";
  const auto result = Run(5);
  ASSERT_TRUE(result && result->proof);
  EXPECT_THAT(*result->proof, HasSubstr("sub 3"));
  EXPECT_THAT(prover.asked, ElementsAre("game", "game_h1"));
}

TEST_F(HilbertTest, WrongProofsOfStepsBecomeSorries) {
  ScriptOneSketch();
  roles.script["sketch|theorem game :"] = {
      Lean("theorem game : 5 := by\n  have h1 : 2 := by\n    zero\n  have h2 : 3 := by\n"
           "    sub 3\n    zero\n  use h2")};
  prover.proofs["game_h1"] = "sub 2\nzero";
  prover.proofs["game_h2"] = "sub 3\nzero";
  const auto result = Run(5);
  ASSERT_TRUE(result && result->proof);
  EXPECT_EQ(roles.Count("correct_sketch"), 0U);
  EXPECT_THAT(prover.asked, ElementsAre("game", "game_h1", "game_h2"));
}

TEST_F(HilbertTest, SubgoalThatRestatesTheTheoremIsNotTried) {
  roles.script["sketch"] = {SketchReply("game", 5, {5})};
  roles.script["extract_subgoals"] = {Theorems({5})};
  roles.script["assemble"] = {AssemblyOf("game", 5, {5}, {"game_h1"}, "use h1"),
                              AssemblyOf("game", 5, {5}, {"game_h1_2"}, "use h1"),
                              AssemblyOf("game", 5, {5}, {"game_h1_3"}, "use h1")};
  roles.script["refine_sketch"] = {SketchReply("game", 5, {5})};
  parameters.sketch_refinements = 2;
  parameters.sketch_attempts = 1;
  const auto result = Run(5);
  ASSERT_TRUE(result);
  EXPECT_FALSE(result->proof);
  EXPECT_EQ(roles.Count("refine_sketch"), 2U);
  EXPECT_THAT(prover.asked, ElementsAre("game"));
}

TEST_F(HilbertTest, EqualSubgoalsAreProvedOnce) {
  roles.script["sketch"] = {SketchReply("game", 5, {2, 2})};
  roles.script["extract_subgoals"] = {Theorems({2, 2})};
  roles.script["assemble"] = {AssemblyOf("game", 5, {2, 2}, {"game_h1", "game_h2"}, "use h2")};
  prover.proofs["game_h1"] = "sub 2\nzero";
  const auto result = Run(5);
  ASSERT_TRUE(result && result->proof);
  EXPECT_THAT(prover.asked, ElementsAre("game", "game_h1"));
  EXPECT_THAT(StatesOf("game_h2"), ElementsAre("proved: memory"));
  EXPECT_EQ(result->auxiliary,
            "theorem game_h1 : 2 := by\n  sub 2\n  zero\n\n"
            "theorem game_h2 : 2 := by\n  sub 2\n  zero\n");
}

/// Adds an error to documents that contain `with` but not `without`, in the line of `with`.
class RefusingChecker : public lean::Checker {
 public:
  RefusingChecker(lean::Checker& inner, std::string with, std::string without)
      : inner_(inner), with_(std::move(with)), without_(std::move(without)) {}
  core::Task<core::Result<lean::CheckResult>> Check(lean::CheckRequest request) override {
    const size_t at = request.text.find(with_);
    const bool refuse = at != std::string::npos && request.text.find(without_) == std::string::npos;
    const auto line = std::count(request.text.begin(),
                                 request.text.begin() + static_cast<long>(refuse ? at : 0), '\n');
    auto result = co_await inner_.Check(std::move(request));
    if (!refuse || !result) co_return result;
    ++refused;
    result->status = lean::CheckStatus::kRejected;
    lean::Diagnostic error;
    error.message = "(deterministic) timeout";
    error.begin.line = error.end.line = static_cast<uint32_t>(line);
    result->diagnostics.push_back(error);
    co_return result;
  }
  size_t size() const override { return inner_.size(); }
  uint64_t checks() const override { return inner_.checks(); }
  size_t refused = 0;

 private:
  lean::Checker& inner_;
  const std::string with_, without_;
};

TEST_F(HilbertTest, ProvedSubgoalsAreNotAProofUntilTheWholeCompiles) {
  ScriptOneSketch();
  prover.proofs["game_h1"] = "sub 2\nzero";
  prover.proofs["game_h2"] = "sub 3\nzero";
  parameters.sketch_attempts = 1;
  auto refusing = std::make_unique<RefusingChecker>(*pool, "exact game_h2", "sorry");
  const RefusingChecker& seen = *refusing;
  checker = std::move(refusing);
  const auto result = Run(5);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_FALSE(result->proof);
  EXPECT_GE(seen.refused, 1U);
  EXPECT_THAT(StatesOf("game_h1"), ElementsAre("proved: the prover"));
  EXPECT_THAT(StatesOf("game_h2"), ElementsAre("proved: the prover"));
  const auto refused = journal.Of(event::kSketchRefused);
  ASSERT_EQ(refused.size(), 1U);
  EXPECT_EQ(refused.front()["step"], "whole");
}

/// Section A.3 with concurrent attempts, subgoals and judges.
class HilbertSideBySideTest : public HilbertTest {
 protected:
  HilbertSideBySideTest() {
    ScriptOneSketch();
    parameters.calls = 4;
    parameters.parallel = 4;
    parameters.subgoal_proofs = 4;
    parameters.shallow_attempts = 0;
    parameters.sketch_attempts = 1;
    prover.proofs["game_h1"] = "sub 2\nzero";
    prover.proofs["game_h2"] = "sub 3\nzero";
  }
};

TEST_F(HilbertSideBySideTest, FirstAttemptThatLeanAcceptsWins) {
  prover.first_fail = {{"game_h1", 3}, {"game_h2", 1}};
  const auto result = Run(5);
  ASSERT_TRUE(result && result->proof);
  EXPECT_EQ(prover.Count("game_h1"), 4U);
  EXPECT_EQ(result->auxiliary,
            "theorem game_h1 : 2 := by\n  sub 2\n  zero\n\n"
            "theorem game_h2 : 3 := by\n  sub 3\n  zero\n");
}

TEST_F(HilbertSideBySideTest, OneFailedSubgoalMeansNoProof) {
  prover.proofs.erase("game_h2");
  const auto result = Run(5);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_FALSE(result->proof);
  EXPECT_EQ(prover.Count("game_h2"), 4U) << "all its attempts are waited for";
  EXPECT_THAT(StatesOf("game_h1"), ElementsAre("proved: the prover"));
  EXPECT_THAT(StatesOf("game_h2"), ElementsAre("divided: ", "unproved: "));
}

TEST_F(HilbertSideBySideTest, OneRejectingJudgeIsEnough) {
  prover.proofs.clear();
  roles.script["judge_formalization|theorem game_h1 : 2"] = {
      "<reason>odd</reason><verdict>NO</verdict>"};
  parameters.sketch_refinements = 0;
  const auto result = Run(5);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_FALSE(result->proof);
  EXPECT_THAT(StatesOf("game_h1"), ElementsAre("false: odd"));
  EXPECT_THAT(StatesOf("game_h2"), IsEmpty());
  EXPECT_EQ(roles.Count("prove"), 0U);
}

TEST_F(HilbertTest, BuiltInPolicyTriesEveryGoalFirst) {
  ScriptOneSketch();
  std::vector<std::string> tried;
  builtin = [&](const Problem& problem, Limits) -> core::Task<core::Result<SearchResult>> {
    tried.push_back(problem.context.theorem.name + " " + problem.goals.front());
    SearchResult result;
    if (problem.context.theorem.name == "game_h1") result.proof = "close 2";
    co_return result;
  };
  parameters.disprove_seconds = 0;
  prover.proofs["game_h2"] = "sub 3\nzero";
  const auto result = Run(5);
  ASSERT_TRUE(result && result->proof);
  EXPECT_THAT(tried,
              ElementsAre("game n : Nat\n⊢ 5", "game_h1 n : Nat\n⊢ 2", "game_h2 n : Nat\n⊢ 3"));
  EXPECT_THAT(prover.asked, ElementsAre("game", "game_h2"));
  EXPECT_THAT(StatesOf("game_h1"), ElementsAre("proved: the built-in policy"));
}

TEST_F(HilbertTest, ModelErrorIsReturned) {
  llm::testing::FakeModel broken(io.get_executor(), "broken", [](const auto&, size_t) {
    return core::Result<llm::Reply>(core::Fail(core::ErrorCode::kUsage, "wrong key"));
  });
  testing::OneModel broken_roles(broken);
  Problem problem = ProblemOf(5);
  problem.context.theorem = syntax::TheoremOf("theorem game : 5");
  Services services = ServicesWith(nullptr, nullptr);
  services.roles = &broken_roles;
  const auto result =
      core::testing::Await(io, Hilbert(services, prompts, nullptr, problem, parameters, limits));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, "wrong key");
  EXPECT_EQ(broken.requests.size(), 1U);
}

TEST_F(HilbertTest, ProofThatOnlyTheKernelRejectsIsNotAccepted) {
  ScriptOneSketch();
  prover.proofs["game_h1"] = "cheat";
  prover.proofs["game_h2"] = "sub 3\nzero";
  parameters.sketch_attempts = 1;
  parameters.depth = 1;
  const auto result = Run(5);
  ASSERT_TRUE(result);
  EXPECT_FALSE(result->proof);
  ASSERT_EQ(result->lemmas.size(), 1U);
  EXPECT_EQ(result->lemmas[0].Text(), "theorem game_h2 : 3 := by\n  sub 3\n  zero\n");
}

TEST_F(HilbertTest, ParametersHaveThePapersDefaultsAndAreChecked) {
  const nlohmann::json p = HilbertParameters();
  const nlohmann::json defaults = {{"initial_proofs", 4},
                                   {"subgoal_proofs", 4},
                                   {"depth", 5},
                                   {"sketch_attempts", 4},
                                   {"sketch_corrections", 6},
                                   {"sketch_refinements", 8},
                                   {"missing_retries", 3},
                                   {"tag_retries", 3},
                                   {"queries", 5},
                                   {"premises", 5},
                                   {"error_queries", 2},
                                   {"shallow_attempts", 6},
                                   {"shallow_corrections", 6},
                                   {"shallow_lines", 30},
                                   {"calls", 8},
                                   {"parallel", 8},
                                   {"builtin_seconds", 10.0},
                                   {"disprove_seconds", 5.0},
                                   {"sketch_seconds", 30.0},
                                   {"proof_seconds", 60.0},
                                   {"extraction", "reasoner"}};
  EXPECT_EQ(p, defaults);
  EXPECT_TRUE(Check(HilbertParameters()));
  HilbertParameters bad;
  bad.calls = 0;
  EXPECT_FALSE(Check(bad));
}

}  // namespace
}  // namespace zermelo::strategy
