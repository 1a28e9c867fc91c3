#include "strategy/sg_mdp/sg_mdp.h"

#include <cmath>

#include "strategy/sg_mdp/conjecture.h"
#include "strategy/testing/game_fixture.h"

namespace zermelo::strategy {
namespace {

using core::testing::Await;
using policy::StepContext;
using ::testing::ElementsAre;
using testing::MemoryJournal;
using testing::ScriptedProofs;
using testing::ScriptedTactics;

// ---- conjectures

TEST(ReadConjecture, ReadsAHave) {
  const auto conjecture = ReadConjecture("have h : a + b = b := by\n  omega");
  ASSERT_TRUE(conjecture);
  EXPECT_EQ(conjecture->name, "h");
  EXPECT_EQ(conjecture->head, "have h : a + b = b");
  EXPECT_TRUE(conjecture->has_proof);
  EXPECT_EQ(conjecture->Push(), "have h : a + b = b := ?_");
  EXPECT_EQ(ReadConjecture("have : p")->name, "this");
  EXPECT_FALSE(ReadConjecture("have : p")->has_proof);
  EXPECT_EQ(ReadConjecture("have h (n : Nat) : p n := f n")->head, "have h (n : Nat) : p n");
}

TEST(ReadConjecture, RejectsOtherTactics) {
  for (const char* tactic :
       {"", "simp", "have h := f x", "have ⟨x, hx⟩ := h",
        "have h :", "have ⟨x, hx⟩ : ∃ x, p x := h", "have h : p := f; simp", "haveI : p := f"}) {
    const auto conjecture = ReadConjecture(tactic);
    EXPECT_TRUE(!conjecture || std::string(tactic).find(';') != std::string::npos) << tactic;
  }
}

TEST(IsHeuristic, RecognisesTacticsThatSuggest) {
  EXPECT_TRUE(IsHeuristic("exact?"));
  EXPECT_TRUE(IsHeuristic("simp? [foo]"));
  EXPECT_FALSE(IsHeuristic("exact foo ?_"));
  EXPECT_FALSE(IsHeuristic(""));
}

TEST(Without, RemovesAConjectureWithItsProof) {
  const std::vector<ProofStep> steps{
      {"intro x", 1}, {"have h : p := ?_", 2}, {"constructor", 2}, {"a", 0}, {"b", 0}, {"c", 0}};
  const auto rest = Without(steps, 1);
  ASSERT_EQ(rest.size(), 2U);
  EXPECT_EQ(rest[1].tactic, "c");
  EXPECT_EQ(Without({{"have h : p := f", 1}, {"c", 0}}, 0).size(), 1U);
}

TEST(Mentions, FindsTheName) {
  EXPECT_TRUE(Mentions({{"rw [h]", 1}}, 0, "h"));
  EXPECT_TRUE(Mentions({{"exact h.1", 1}}, 0, "h"));
  EXPECT_FALSE(Mentions({{"rw [h₁]", 1}}, 0, "h"));
}

// ---- the search

class SgMdpTest : public testing::GameTest {
 protected:
  SgMdpTest() {
    parameters.workers = 1;
    parameters.iterations = 30;
    limits.journal = &journal;
  }
  Outcome Prove(int number, ScriptedTactics& policy, policy::CompletionPolicy* proofs = nullptr) {
    const Problem problem = ProblemOf(number);
    auto outcome = Await(io, SgMdp(EnvironmentWith(&policy, proofs), problem, parameters, limits));
    EXPECT_TRUE(outcome) << outcome.error().message;
    return outcome.value_or(Outcome());
  }
  SgMdpParameters parameters;
  MemoryJournal journal;
};

TEST_F(SgMdpTest, ProvesTacticByTactic) {
  ScriptedTactics policy([](const StepContext&, size_t) {
    return std::vector<std::string>{"foo", "zero", "dec"};
  });
  const auto outcome = Prove(3, policy);
  EXPECT_EQ(outcome.proof, "dec\ndec\ndec\nzero");
  EXPECT_EQ(policy.succeeded.size(), 4U);
}

TEST_F(SgMdpTest, FirstValidTacticBecomesTheChild) {  // section 3.2, "Expansion"
  parameters.iterations = 1;
  ScriptedTactics policy([](const StepContext&, size_t) {
    return std::vector<std::string>{"foo", "sub 9", "sub 2", "dec"};
  });
  Prove(5, policy);
  const auto added = journal.Of(event::kNodeAdded);
  ASSERT_EQ(added.size(), 1U);
  EXPECT_EQ(added[0]["tactic"], "sub 2");
}

TEST_F(SgMdpTest,
       NodeIsNotSelectedAgainAfterNFailedTrials) {  // "we prevent this node from being selected"
  parameters.trials = 3;
  ScriptedTactics policy([](const StepContext&, size_t call) {
    std::vector<std::string> tactics;
    for (int i = 0; i < 4; ++i) tactics.push_back("sub " + std::to_string(100 * call + 50 + i));
    return tactics;
  });
  const auto outcome = Prove(5, policy);
  EXPECT_EQ(outcome.samples, 3U) << "tactics tried";
  EXPECT_EQ(journal.Of(event::kSelected).size(), 1U);
  EXPECT_EQ(outcome.reason, "exhausted");
}

TEST_F(SgMdpTest, NodeIsNotSelectedAgainAfterNChildren) {
  parameters.trials = 2;
  parameters.iterations = 20;
  parameters.max_depth = 2;
  ScriptedTactics policy([](const StepContext&, size_t) {
    return std::vector<std::string>{"sub 1", "sub 2", "sub 3", "sub 4"};
  });
  Prove(50, policy);
  EXPECT_EQ(journal.Of(event::kNodeAdded).size(), 2U);
}

TEST_F(SgMdpTest, NodeWithTheHighestUcbOfAllIsSelected) {  // as printed: N is the node's own
  parameters.exploration = 0.7;
  ScriptedTactics policy([](const StepContext&, size_t) {
    return std::vector<std::string>{"sub 3", "sub 1", "sub 2"};
  });
  Prove(60, policy);
  size_t compared = 0;
  for (const auto& event : journal.Of(event::kSelected)) {
    double best = -1, taken = -1;
    for (const auto& arm : event["arms"]) {
      const double n = arm["n"], w = arm["w"];
      const double score = n == 0 ? INFINITY : w / n + 0.7 * std::sqrt(std::log(n) / n);
      best = std::max(best, score);
      if (arm["arm"] == event["node"]) taken = score;
      compared += n > 0 ? 1 : 0;
    }
    EXPECT_GE(taken, best - 1e-12);
  }
  EXPECT_GT(compared, 20U);
}

TEST_F(SgMdpTest, ConjectureIsPushedSolvedAndPopped) {
  ScriptedTactics policy([](const StepContext& context, size_t) -> std::vector<std::string> {
    if (context.depth == 0) return {"have h : 1"};
    if (context.printed.ends_with("⊢ 7")) return {"use h"};
    return {"zero", "dec"};
  });
  const auto outcome = Prove(7, policy);
  EXPECT_EQ(outcome.proof, "have h : 1 := by\n  dec\n  zero\nuse h");
  const auto solved = journal.Of(event::kLemmaProved);
  ASSERT_EQ(solved.size(), 1U);
  EXPECT_EQ(solved[0]["statement"], "have h : 1");
  const auto added = journal.Of(event::kNodeAdded);
  EXPECT_EQ(added.back()["solved"], 1);
  EXPECT_DOUBLE_EQ(added.back()["value"].get<double>(), 0.1 * 3 + 1) << "depth and lambda";
}

TEST_F(SgMdpTest, PolicySeesOnlyTheCurrentGoal) {
  ScriptedTactics policy([](const StepContext& context, size_t) {
    return context.depth == 0 ? std::vector<std::string>{"have h : 1"}
                              : std::vector<std::string>{"dec"};
  });
  parameters.iterations = 4;
  Prove(7, policy);
  const auto asked = std::ranges::find(policy.asked, 1, &StepContext::depth);
  ASSERT_NE(asked, policy.asked.end());
  EXPECT_EQ(asked->printed, "n : Nat\n⊢ 1");
  EXPECT_EQ(asked->prefix, "  have h : 1 := ?_\n");
}

TEST_F(SgMdpTest, UnusedConjecturesAreRemoved) {
  ScriptedTactics policy([](const StepContext& context, size_t) -> std::vector<std::string> {
    if (context.depth == 0) return {"have h : 1"};
    return {"zero", "dec"};
  });
  EXPECT_EQ(Prove(2, policy).proof, "dec\ndec\nzero");
  parameters.prune = false;
  EXPECT_EQ(Prove(2, policy).proof, "have h : 1 := by\n  dec\n  zero\ndec\ndec\nzero");
}

TEST_F(SgMdpTest, SuggestionReplacesItsTactic) {
  ScriptedTactics policy(
      [](const StepContext&, size_t) { return std::vector<std::string>{"exact?"}; });
  EXPECT_EQ(Prove(4, policy).proof, "close 4");
}

TEST_F(SgMdpTest, ModelCompletesTheProofInsteadOfASuggestion) {
  parameters.suggestions = Suggestions::kComplete;
  ScriptedTactics policy([](const StepContext& context, size_t) {
    return context.depth == 0 ? std::vector<std::string>{"dec"}
                              : std::vector<std::string>{"exact?"};
  });
  ScriptedProofs proofs([](const std::string&, size_t) { return "sub 3\nzero"; });
  EXPECT_EQ(Prove(4, policy, &proofs).proof, "dec\nsub 3\nzero");
  ASSERT_EQ(proofs.asked.size(), 1U);
  EXPECT_EQ(proofs.asked[0].prefix, "  dec\n");
}

TEST_F(SgMdpTest, SameAnswersGiveTheSameTree) {
  const auto run = [&] {
    journal.events.clear();
    ScriptedTactics policy([](const StepContext&, size_t call) {
      return call % 2 == 0 ? std::vector<std::string>{"sub 3", "dec"}
                           : std::vector<std::string>{"foo", "split", "sub 2"};
    });
    Prove(30, policy);
    return journal.Dump();
  };
  parameters.workers = 3;
  const std::string first = run();
  EXPECT_EQ(run(), first);
}

TEST_F(SgMdpTest, KIsTheNumberOfSelections) {
  parameters.iterations = 5;
  ScriptedTactics policy(
      [](const StepContext&, size_t) { return std::vector<std::string>{"dec"}; });
  Prove(50, policy);
  EXPECT_EQ(journal.Of(event::kSelected).size(), 5U);
}

TEST(SgMdpParameters, HaveThePapersDefaultsAndAreChecked) {
  const SgMdpParameters parameters;
  EXPECT_EQ(parameters.iterations, 512U);  // K
  EXPECT_EQ(parameters.trials, 10U);       // N
  EXPECT_TRUE(Check(parameters));
  SgMdpParameters wrong;
  wrong.lambda = -1;
  EXPECT_FALSE(Check(wrong));
  EXPECT_EQ(nlohmann::json(parameters).get<SgMdpParameters>(), parameters);
}

}  // namespace
}  // namespace zermelo::strategy
