// Hilbert's limits: attempts, corrections, queries, depth, budget and what is spent.
#include "strategy/testing/hilbert_fixture.h"

namespace zermelo::strategy {
namespace {

using testing::AssemblyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::HilbertTest;
using testing::Lean;
using ::testing::Not;
using testing::SketchReply;
using testing::Theorems;

class HilbertShallowTest : public HilbertTest {
 protected:
  HilbertShallowTest() {
    roles.script["sketch|theorem game :"] = {SketchReply("game", 5, {2})};
    roles.script["extract_subgoals|theorem game :"] = {Theorems({2})};
    roles.script["assemble|theorem game :"] = {AssemblyOf("game", 5, {2}, {"game_h1"}, "use h1")};
  }
  static std::string Proof(const std::string& tactics) {
    return Lean("theorem game_h1 : 2 := by\n  " + tactics);
  }
};

TEST_F(HilbertShallowTest, UnknownNameIsSearchedInTheLibrary) {
  testing::ScriptedRetriever retriever;
  retriever.answers["two is even"] = {"Two.even", "Two.odd"};
  retriever.answers["the missing one"] = {"Found.it"};
  premises = &retriever;
  roles.script["search_queries"] = {"<query>two is even</query> <query>two is even</query>"};
  roles.script["select_premises"] = {"<theorem>Two.even</theorem>"};
  roles.script["error_queries"] = {"<query>the missing one</query>"};
  roles.script["prove"] = {Proof("exact missing")};
  roles.script["correct_proof"] = {Proof("sub 2\n  zero")};
  const auto result = Run(5);
  ASSERT_TRUE(result && result->proof);
  EXPECT_THAT(StatesOf("game_h1"), ElementsAre("proved: the reasoner"));
  const auto prompt = [&](const char* step) {
    return std::ranges::find(roles.asked, step, &testing::Asked::step)->prompt;
  };
  EXPECT_THAT(prompt("select_premises"), HasSubstr("- Two.odd : Two.odd says"));
  EXPECT_THAT(prompt("prove"), HasSubstr("- Two.even : Two.even says"));
  EXPECT_THAT(prompt("prove"), Not(HasSubstr("Two.odd")));
  EXPECT_THAT(prompt("error_queries"), HasSubstr("- missing"));
  EXPECT_THAT(prompt("correct_proof"), HasSubstr("- Found.it : Found.it says"));
  EXPECT_TRUE(retriever.queries[0].formal);
  EXPECT_EQ(retriever.queries[1].text, "two is even");
  EXPECT_EQ(retriever.queries[0].limit, 5U);
  EXPECT_EQ(retriever.queries[0].imports, std::vector<std::string>{"Init"});
}

TEST_F(HilbertShallowTest, WithoutAnIndexNoQueriesAreGenerated) {
  testing::ScriptedRetriever retriever;
  retriever.error = core::Error{core::ErrorCode::kEnvironment, "there is no index"};
  premises = &retriever;
  roles.script["prove"] = {Proof("exact missing")};
  roles.script["correct_proof"] = {Proof("sub 2\n  zero")};
  const auto result = Run(5);
  ASSERT_TRUE(result && result->proof);
  EXPECT_EQ(roles.Count("search_queries"), 0U);
  EXPECT_EQ(roles.Count("error_queries"), 0U);
  EXPECT_EQ(roles.asked[0].step, "informal_proof");
}

TEST_F(HilbertShallowTest, LongWrongProofEndsItsAttempt) {
  std::string lines = "skip";
  for (int i = 0; i < 30; ++i) lines += "\n  skip";
  roles.script["prove"] = {Proof(lines)};
  roles.script["correct_proof"] = {Proof("sub 2\n  zero")};
  roles.script["sketch|theorem game_h1 :"] = {SketchReply("game_h1", 2, {1})};
  parameters.sketch_attempts = 1;
  auto result = Run(5);
  ASSERT_TRUE(result);
  EXPECT_FALSE(result->proof);
  EXPECT_EQ(roles.Count("correct_proof"), 0U);
  parameters.depth = 1;  // no further decomposition is possible: long proofs are corrected, too
  result = Run(5);
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->proof);
  EXPECT_EQ(roles.Count("correct_proof"), 1U);
}

TEST_F(HilbertShallowTest, WrongProofOfThirtyLinesIsStillCorrected) {  // "exceeds"
  std::string lines = "skip";
  for (int i = 0; i < 29; ++i) lines += "\n  skip";
  roles.script["prove"] = {Proof(lines)};
  roles.script["correct_proof"] = {Proof("sub 2\n  zero")};
  const auto outcome = Run(5);
  ASSERT_TRUE(outcome);
  EXPECT_TRUE(outcome->proof);
  EXPECT_EQ(roles.Count("correct_proof"), 1U);
}

TEST_F(HilbertShallowTest, EachAttemptRetrievesAnew) {  // "this entire shallow solve process"
  testing::ScriptedRetriever retriever;
  premises = &retriever;
  parameters.shallow_attempts = 3;
  parameters.shallow_corrections = 0;
  parameters.sketch_attempts = 1;
  parameters.depth = 1;
  roles.script["search_queries"] = {"<query>two is even</query>"};
  roles.script["prove"] = {Proof("zero")};
  ASSERT_TRUE(Run(5));
  EXPECT_EQ(roles.Count("prove"), 3U);
  EXPECT_EQ(roles.Count("search_queries"), 1U + 3U) << "once for the sketch";
}

TEST_F(HilbertTest, AttemptsAtTheTheoremAndAtItsSubgoalsAreCountedApart) {
  ScriptOneSketch();
  parameters.initial_proofs = 3;
  parameters.subgoal_proofs = 2;
  parameters.sketch_attempts = 1;
  parameters.shallow_attempts = 0;
  parameters.depth = 1;
  ASSERT_TRUE(Run(5));
  EXPECT_EQ(prover.Count("game"), 3U);
  EXPECT_EQ(prover.Count("game_h1"), 2U);
}

TEST_F(HilbertShallowTest, AttemptsAndCorrectionsAreCounted) {
  parameters.shallow_attempts = 3;
  parameters.shallow_corrections = 2;
  parameters.sketch_attempts = 1;
  parameters.depth = 1;
  roles.script["prove"] = {Proof("zero")};
  roles.script["correct_proof"] = {Proof("dec")};
  const auto result = Run(5);
  ASSERT_TRUE(result);
  EXPECT_FALSE(result->proof);
  EXPECT_EQ(roles.Count("prove"), 3U);
  EXPECT_EQ(roles.Count("correct_proof"), 6U);
}

TEST_F(HilbertShallowTest, QueriesAreCapped) {
  testing::ScriptedRetriever retriever;
  premises = &retriever;
  const auto queries = [](size_t n) {
    std::string reply;
    for (size_t i = 0; i < n; ++i) reply += "<query>q" + std::to_string(i) + "</query>";
    return reply;
  };
  roles.script["search_queries"] = {queries(9)};
  roles.script["error_queries"] = {queries(9)};
  roles.script["prove"] = {Proof("exact missing")};
  roles.script["correct_proof"] = {Proof("sub 2\n  zero")};
  const auto result = Run(5);
  ASSERT_TRUE(result && result->proof);
  // For the theorem and for its subgoal: its symbols and five queries; two for the error.
  EXPECT_EQ(retriever.queries.size(), 2U * (1 + 5) + 2);
}

TEST_F(HilbertShallowTest, RequestsForMissingPartsAreCounted) {
  parameters.sketch_attempts = 1;
  parameters.tag_retries = 2;
  parameters.missing_retries = 3;
  roles.script["extract_subgoals|theorem game :"] = {Theorems({2}, 7)};
  roles.script["missing_subgoals"] = {Theorems({2}, 8)};
  ASSERT_TRUE(Run(5));
  EXPECT_EQ(roles.Count("missing_subgoals"), 3U);
  roles.asked.clear();
  roles.script["sketch|theorem game :"] = {"no code"};
  roles.script["missing_tag"] = {"no code"};
  ASSERT_TRUE(Run(5));
  EXPECT_EQ(roles.Count("missing_tag"), 2U);
}

TEST_F(HilbertShallowTest, OpenSubgoalsAreDecomposedUpToTheDepth) {
  parameters.shallow_attempts = 0;
  roles.script["sketch|theorem game_h1 :"] = {SketchReply("game_h1", 2, {1})};
  roles.script["extract_subgoals|theorem game_h1 :"] = {Theorems({1})};
  roles.script["assemble|theorem game_h1 :"] = {
      AssemblyOf("game_h1", 2, {1}, {"game_h1_h1"}, "use h1")};
  prover.proofs["game_h1_h1"] = "dec\nzero";
  parameters.depth = 1;
  auto result = Run(5);
  ASSERT_TRUE(result);
  EXPECT_FALSE(result->proof);
  EXPECT_EQ(result->depth, 1U);
  EXPECT_EQ(prover.Count("game_h1_h1"), 0U);
  parameters.depth = 2;
  result = Run(5);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->depth, 2U);
  EXPECT_EQ(result->auxiliary,
            "theorem game_h1_h1 : 1 := by\n  dec\n  zero\n\n"
            "theorem game_h1 : 2 := by\n  have h1 : 1 := by\n    exact game_h1_h1\n  use h1\n");
}

TEST_F(HilbertTest, UsedUpBudgetLeavesTheProvedSubgoals) {
  ScriptOneSketch();
  prover.proofs["game_h1"] = "sub 2\nzero";
  roles.most = 4;
  const auto result = Run(5);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_FALSE(result->proof);
  EXPECT_EQ(result->reason, "budget");
  EXPECT_EQ(result->progress, "depth 1, 1 of 2 subgoals proved");
  ASSERT_EQ(result->lemmas.size(), 1U);
  EXPECT_EQ(result->lemmas[0].Text(), "theorem game_h1 : 2 := by\n  sub 2\n  zero\n");
}

/// Replies once with an estimated usage; the next call is cut off after tokens were paid for.
class LossyModel : public llm::Model {
 public:
  const std::string& name() const override { return name_; }
  core::Task<core::Result<llm::Reply>> Generate(llm::Request, llm::CallContext context) override {
    llm::Reply reply = llm::testing::Answer({"<informal_proof>It is so.</informal_proof>"});
    reply.usage.estimated = true;
    if (calls++ == 0) co_return reply;
    llm::Usage lost;
    lost.prompt_tokens = 30;
    lost.completion_tokens = 7;
    if (context.on_lost_usage) context.on_lost_usage(lost);
    co_return core::Fail(core::ErrorCode::kTimeout, "cut off");
  }
  int calls = 0;

 private:
  const std::string name_ = "lossy";
};

/// A prover whose only call fails after tokens were paid for.
class LossyProver : public policy::CompletionPolicy {
 public:
  core::Task<core::Result<policy::Samples>> Complete(policy::CompletionInput, size_t,
                                                     llm::CallContext call) override {
    llm::Usage lost;
    lost.prompt_tokens = 3;
    lost.estimated = true;
    if (call.on_lost_usage) call.on_lost_usage(lost);
    co_return core::Fail(core::ErrorCode::kCancelled, "the budget is used up");
  }
};

TEST_F(HilbertTest, SpendingIncludesLostAndEstimatedTokens) {
  LossyModel model;
  testing::OneModel one_model(model);
  const auto result = RunWith(one_model, 5);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(model.calls, 2);
  EXPECT_EQ(result->reason, "budget");
  EXPECT_EQ(result->spending.calls, 1);
  EXPECT_EQ(result->spending.samples, 1);
  EXPECT_EQ(result->spending.prompt_tokens, 10 + 30);
  EXPECT_EQ(result->spending.completion_tokens, 5 + 7);
  EXPECT_TRUE(result->spending.estimated);
}

TEST_F(HilbertTest, SpendingIncludesTokensLostByTheProver) {
  LossyProver lossy;
  testing::ScriptedRoles lossy_roles(io.get_executor(), &lossy);
  const auto result = RunWith(lossy_roles, 5);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->reason, "budget");
  EXPECT_EQ(result->spending.prompt_tokens, 3);
  EXPECT_TRUE(result->spending.estimated);
}

}  // namespace
}  // namespace zermelo::strategy
