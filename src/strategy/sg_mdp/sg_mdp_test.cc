#include "strategy/sg_mdp/sg_mdp.h"

#include <algorithm>
#include <cmath>

#include "strategy/sg_mdp/conjecture.h"
#include "strategy/step_states.h"
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
  EXPECT_THAT(conjecture->names, ElementsAre("h"));
  EXPECT_EQ(conjecture->head, "have h : a + b = b");
  EXPECT_TRUE(conjecture->has_proof);
  EXPECT_EQ(conjecture->Push(), "have h : a + b = b := ?_");
  EXPECT_THAT(ReadConjecture("have : p")->names, ElementsAre("this"));
  EXPECT_FALSE(ReadConjecture("have : p")->has_proof);
  EXPECT_EQ(ReadConjecture("have h (n : Nat) : p n := f n")->head, "have h (n : Nat) : p n");
  EXPECT_EQ(ReadConjecture("have h : a = #[1, 2] := f")->head, "have h : a = #[1, 2]");
}

TEST(ReadConjecture, ReadsASuffices) {
  for (const char* tactic : {"suffices h : a ∣ b from f h", "suffices h : a ∣ b by\n  exact f h",
                             "suffices h : a ∣ b"}) {
    const auto conjecture = ReadConjecture(tactic);
    ASSERT_TRUE(conjecture) << tactic;
    EXPECT_THAT(conjecture->names, ElementsAre("h"));
    EXPECT_EQ(conjecture->Push(), "have h : a ∣ b := ?_");
  }
  EXPECT_TRUE(ReadConjecture("suffices h : p from f")->has_proof);
  EXPECT_FALSE(ReadConjecture("suffices h : p")->has_proof);
}

TEST(ReadConjecture, ReadsATypedObtain) {
  const auto conjecture = ReadConjecture("obtain ⟨x, hx | hy⟩ : ∃ x, p x := f");
  ASSERT_TRUE(conjecture);
  EXPECT_THAT(conjecture->names, ElementsAre("x", "hx", "hy"));
  EXPECT_EQ(conjecture->Push(), "obtain ⟨x, hx | hy⟩ : ∃ x, p x");
  EXPECT_TRUE(conjecture->has_proof);
  EXPECT_FALSE(ReadConjecture("obtain ⟨x, hx⟩ : ∃ x, p x")->has_proof);
}

TEST(ReadConjecture, RejectsOtherTactics) {
  for (const char* tactic :
       {"", "simp", "have h := f x", "have ⟨x, hx⟩ := h",
        "have h :", "have ⟨x, hx⟩ : ∃ x, p x := h", "have h : p := f; simp", "haveI : p := f",
        "obtain ⟨x, hx⟩ := h", "obtain h | h := f", "suffices", "suffices h : p from f; simp",
        "obtain ⟨x, hx⟩ : p := f\nsimp", "suffices h : p from f\nsimp"}) {
    const auto conjecture = ReadConjecture(tactic);
    EXPECT_TRUE(!conjecture || std::string(tactic).find(';') != std::string::npos) << tactic;
  }
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
  EXPECT_TRUE(Mentions({{"rw [h]", 1}}, 0, {"h"}));
  EXPECT_TRUE(Mentions({{"exact h.1", 1}}, 0, {"g", "h"}));
  EXPECT_FALSE(Mentions({{"rw [h₁]", 1}}, 0, {"h"}));
}

// ---- the search

class SgMdpTest : public testing::GameTest {
 protected:
  SgMdpTest() {
    parameters.workers = 1;
    parameters.iterations = 30;
    limits.journal = &journal;
  }
  SearchResult Prove(int number, ScriptedTactics& policy,
                     policy::CompletionPolicy* proofs = nullptr) {
    const Problem problem = ProblemOf(number);
    Services services = ServicesWith(&policy, proofs);
    auto result = Await(io, SgMdp(services, problem, parameters, limits));
    EXPECT_TRUE(result) << result.error().message;
    return result.value_or(SearchResult());
  }
  SgMdpParameters parameters;
  MemoryJournal journal;
};

TEST_F(SgMdpTest, ProvesTacticByTactic) {
  ScriptedTactics policy([](const StepContext&, size_t) {
    return std::vector<std::string>{"foo", "zero", "dec"};
  });
  const auto result = Prove(3, policy);
  EXPECT_EQ(result.proof, "dec\ndec\ndec\nzero");
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
  const auto result = Prove(5, policy);
  EXPECT_EQ(result.samples, 3U) << "tactics tried";
  EXPECT_EQ(journal.Of(event::kSelected).size(), 1U);
  EXPECT_EQ(result.reason, "exhausted");
  ASSERT_EQ(journal.Of(event::kNodeClosed).size(), 1U);
  EXPECT_EQ(journal.Of(event::kNodeClosed)[0]["node"], 0);
}

TEST_F(SgMdpTest, ModelIsAskedAgainWhenItOnlyRepeatsItself) {  // N trials, not one call
  parameters.trials = 3;
  ScriptedTactics policy([](const StepContext&, size_t call) {
    return std::vector<std::string>{call < 2 ? "foo" : "close 5"};
  });
  policy.is_model = true;
  EXPECT_EQ(Prove(5, policy).proof, "close 5");
  EXPECT_EQ(policy.asked.size(), 3U);
}

TEST_F(SgMdpTest, TrialIsATacticThatWasNotTried) {  // "a maximum of N trials"
  parameters.trials = 4;
  ScriptedTactics policy([](const StepContext&, size_t call) {
    return std::vector<std::string>{"foo", "foo", "foo", "sub 9" + std::to_string(call)};
  });
  policy.is_model = true;
  const auto outcome = Prove(5, policy);
  EXPECT_EQ(policy.asked.size(), 3U) << "of four samples each";
  EXPECT_EQ(outcome.samples, 4U) << "`foo` once, `sub 90`, `sub 91`, `sub 92`";
  EXPECT_EQ(outcome.reason, "exhausted");
}

TEST_F(SgMdpTest, SamplesAreTrialsIfNoneIsNew) {  // or it would ask for ever
  parameters.trials = 9;
  ScriptedTactics policy([](const StepContext&, size_t) {
    return std::vector<std::string>{"foo", "foo", "foo", "foo"};
  });
  policy.is_model = true;
  const auto outcome = Prove(5, policy);
  EXPECT_EQ(policy.asked.size(), 3U) << "one trial, then four for each repetition";
  EXPECT_EQ(outcome.samples, 1U);
  EXPECT_EQ(outcome.reason, "exhausted");
}

TEST_F(SgMdpTest, LeftOverSamplesAreTrialsWhenTheyAreTried) {
  parameters.trials = 6;
  parameters.iterations = 3;
  parameters.max_depth = 2;
  ScriptedTactics policy([](const StepContext& context, size_t call) {
    std::vector<std::string> tactics{"sub 2", "sub 91", "sub 92", "sub 93"};
    for (std::string& tactic : tactics) tactic += context.depth == 0 && call > 0 ? "7" : "";
    return tactics;
  });
  policy.is_model = true;
  Prove(5, policy);
  EXPECT_EQ(std::ranges::count(policy.asked, 0, &StepContext::depth), 2)
      << "three left over, then three of four new ones";
}

TEST_F(SgMdpTest, BuiltinPolicyIsNotAskedAgainForWhatItHasSaid) {
  ScriptedTactics policy(
      [](const StepContext&, size_t) { return std::vector<std::string>{"foo"}; });
  Prove(5, policy);
  EXPECT_EQ(policy.asked.size(), 2U);
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
  std::map<int, size_t> selected, closed;
  for (const auto& event : journal.Of(event::kSelected)) ++selected[event["node"]];
  for (const auto& event : journal.Of(event::kNodeClosed)) ++closed[event["node"]];
  EXPECT_EQ(selected[0], 2U);
  EXPECT_EQ(closed, (std::map<int, size_t>{{0, 1}, {1, 1}, {2, 1}})) << "each once";
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
  const auto result = Prove(7, policy);
  EXPECT_EQ(result.proof, "have h : 1 := by\n  dec\n  zero\nuse h");
  const auto solved = journal.Of(event::kLemmaProved);
  ASSERT_EQ(solved.size(), 1U);
  EXPECT_EQ(solved[0]["statement"], "have h : 1");
  const auto added = journal.Of(event::kNodeAdded);
  EXPECT_EQ(added.back()["solved"], 1);
  EXPECT_DOUBLE_EQ(added.back()["value"].get<double>(), 0.1 * 3 + 1) << "depth and lambda";
}

TEST_F(SgMdpTest, StatementOfASufficesIsAConjecture) {
  ScriptedTactics policy([](const StepContext& context, size_t) -> std::vector<std::string> {
    if (context.depth == 0) return {"suffices h : 1 from use h"};  // not a tactic of the game
    if (context.printed.ends_with("⊢ 7")) return {"use h"};
    return {"zero", "dec"};
  });
  EXPECT_EQ(Prove(7, policy).proof, "have h : 1 := by\n  dec\n  zero\nuse h");
  EXPECT_EQ(journal.Of(event::kLemmaProved).size(), 1U);
}

// The rewards of eq. 1: the sum of gamma^t (R(s_t, g_0) + lambda R(s_t, g_t)).

TEST_F(SgMdpTest, NestedConjecturesArePoppedInOrder) {
  parameters.prune = false;
  ScriptedTactics policy([](const StepContext& context, size_t) -> std::vector<std::string> {
    switch (context.depth) {
      case 0:
        return {"have h : 6"};
      case 1:
        return {"have g : 0"};
      case 2:
        return {"zero"};  // g
      case 3:
        return {"split"};  // h is two goals
      case 4:
        return {"sub 3"};
      case 5:
        return {"zero"};  // the first of them
      case 6:
        return {"sub 3"};
      case 7:
        return {"zero"};  // h
      default:
        return {"use h"};
    }
  });
  EXPECT_TRUE(Prove(7, policy).proof);
  const auto solved = journal.Of(event::kLemmaProved);
  ASSERT_EQ(solved.size(), 2U);
  EXPECT_EQ(solved[0]["statement"], "have g : 0");
  EXPECT_EQ(solved[0]["node"], 3);
  EXPECT_EQ(solved[1]["statement"], "have h : 6");
  EXPECT_EQ(solved[1]["node"], 8) << "all goals of h are solved";
}

TEST_F(SgMdpTest, RewardOfASolvedConjectureIsDiscounted) {
  parameters.gamma = 0.5;
  parameters.lambda = 3;
  parameters.depth_weight = 0;
  ScriptedTactics policy([](const StepContext& context, size_t) -> std::vector<std::string> {
    if (context.depth == 0) return {"have h : 1"};
    if (context.printed.ends_with("⊢ 7")) return {"dec"};
    return {"zero", "dec"};
  });
  parameters.iterations = 12;
  Prove(7, policy);
  size_t solved = 0;
  for (const auto& event : journal.Of(event::kNodeAdded)) {
    // Solved after three tactics, and not discounted again below.
    EXPECT_EQ(event["value"], event["solved"] == 1 ? 3 * 0.125 : 0) << event;
    solved += event["solved"] == 1 ? 1 : 0;
  }
  EXPECT_GE(solved, 2U);
}

/// W and N of every node from the events alone, in the order of the events.
std::map<int, std::pair<double, int>> Totals(const std::vector<MemoryJournal::Event>& events) {
  std::map<int, int> parents;
  std::map<int, std::pair<double, int>> totals;
  for (const auto& event : events) {
    if (event.kind == event::kNodeAdded) parents[event.fields["node"]] = event.fields["parent"];
    if (event.kind != event::kBackedUp) continue;
    for (int node = event.fields["node"];; node = parents.at(node)) {
      totals[node].first += event.fields["reward"].get<double>();
      ++totals[node].second;
      if (node == 0) break;
    }
  }
  return totals;
}

TEST_F(SgMdpTest, RewardIsBackedUpFromTheNewNodeToTheRoot) {  // section 3.2, "Back-propagation"
  ScriptedTactics policy([](const StepContext&, size_t) {
    return std::vector<std::string>{"sub 3", "sub 1", "sub 2"};
  });
  Prove(60, policy);
  const auto added = journal.Of(event::kNodeAdded), backed_up = journal.Of(event::kBackedUp);
  ASSERT_EQ(added.size(), backed_up.size());
  for (size_t i = 0; i < added.size(); ++i) {
    EXPECT_EQ(backed_up[i]["node"], added[i]["node"]);
    EXPECT_EQ(backed_up[i]["reward"], added[i]["value"]);
  }
  // The last selection saw all rewards but that of its own expansion.
  auto before = journal.events;
  while (before.back().kind != event::kSelected) before.pop_back();
  const auto totals = Totals(before);
  size_t compared = 0;
  for (const auto& arm : before.back().fields["arms"]) {
    const auto& [reward, visits] = totals.at(arm["arm"]);
    EXPECT_NEAR(arm["w"].get<double>(), reward, 1e-9) << arm["arm"];
    EXPECT_EQ(arm["n"], visits) << arm["arm"];
    ++compared;
  }
  EXPECT_GT(compared, 10U);
}

TEST_F(SgMdpTest, FinishedProofsEarnTheRewardOfTheTheorem) {  // R(s, g_0)
  all = true;
  parameters.trials = 2;
  parameters.gamma = 0.5;
  ScriptedTactics policy([](const StepContext& context, size_t) -> std::vector<std::string> {
    if (context.depth == 0) return {"dec", "close 3"};
    return {"sub 2", "close 2"};
  });
  parameters.max_depth = 2;
  const auto result = Prove(3, policy);
  EXPECT_EQ(result.proofs.size(), 2U);
  std::vector<double> finished;
  for (const auto& event : journal.Of(event::kNodeAdded)) {
    if (event["goals"].empty()) finished.push_back(event["value"]);
  }
  EXPECT_THAT(finished, ::testing::UnorderedElementsAre(0.1 * 1 + 0.5, 0.1 * 2 + 0.25));
  const auto totals = Totals(journal.events);
  EXPECT_EQ(totals.at(0).second, static_cast<int>(journal.Of(event::kNodeAdded).size()));
}

TEST_F(SgMdpTest, FinishedProofsAreChildren) {
  all = true;
  parameters.trials = 2;
  ScriptedTactics policy([](const StepContext&, size_t call) {
    return std::vector<std::string>{"close 3", "sub 1\nclose 2", "sub 2\nclose 1",
                                    "sub " + std::to_string(call % 3)};
  });
  EXPECT_EQ(Prove(3, policy).proofs.size(), 2U) << "N children close the node";
}

TEST_F(SgMdpTest, ProofThatPruningMakesAKnownOneIsRewarded) {
  all = true;
  parameters.trials = 2;
  ScriptedTactics policy([](const StepContext& context, size_t) -> std::vector<std::string> {
    if (context.printed.ends_with("⊢ 1")) return {"close 1"};
    return {"close 2", "have h : 1"};
  });
  parameters.max_depth = 3;
  EXPECT_THAT(Prove(2, policy).proofs, ElementsAre("close 2")) << "delivered once";
  size_t finished = 0;
  for (const auto& event : journal.Of(event::kNodeAdded))
    finished += event["goals"].empty() ? 1 : 0;
  EXPECT_EQ(finished, 2U);
}

TEST_F(SgMdpTest, StatesWithTheSameGoalsAreOneStateOrTwo) {
  parameters.max_depth = 2;
  ScriptedTactics policy([](const StepContext& context, size_t) -> std::vector<std::string> {
    if (context.depth == 0) return {"sub 2", "dec\ndec", "sub 2\nsub 0"};
    return {"foo"};
  });
  Prove(9, policy);
  EXPECT_EQ(journal.Of(event::kNodeAdded).size(), 1U) << "by their goals";
  journal.events.clear();
  parameters.states = StateIdentity::kTactics;
  Prove(9, policy);
  EXPECT_EQ(journal.Of(event::kNodeAdded).size(), 3U) << "by their tactics, as in section 3.1";
}

TEST_F(SgMdpTest, TacticOnGoalsWithMetavariablesMayCloseTheOthers) {
  ScriptedTactics policy([](const StepContext& context, size_t) -> std::vector<std::string> {
    if (context.depth == 0) return {"guess"};
    return {"is 3", "is 4", "zero"};
  });
  EXPECT_FALSE(Prove(4, policy).proof) << "such states are dropped";
  parameters.metavariables = true;
  journal.events.clear();
  EXPECT_EQ(Prove(4, policy).proof, "guess\nis 4");
}

TEST_F(SgMdpTest, ConjectureIsOpenAfterATacticOnItThatClosesALaterGoal) {
  all = true;
  parameters.metavariables = true;
  parameters.prune = false;
  parameters.max_depth = 4;
  ScriptedTactics policy([](const StepContext& context, size_t) -> std::vector<std::string> {
    switch (context.depth) {
      case 0:
        return {"have h : 6"};
      case 1:
        return {"guess"};  // goals: ?m and 6, both of h, then 4
      case 2:
        return {"is 4"};  // closes ?m and 4: 6 is left
      default:
        return {"close 6"};
    }
  });
  EXPECT_TRUE(Prove(4, policy).proof);
  const auto added = journal.Of(event::kNodeAdded);
  ASSERT_EQ(added.size(), 4U);
  EXPECT_THAT(added[2]["goals"], ElementsAre("n : Nat\n⊢ 6"));
  EXPECT_EQ(added[2]["solved"], 0);
  EXPECT_EQ(added[3]["solved"], 1);
}

TEST(LaterGoalsLeft, FindsGoalsWhoseMetavariablesBecameTerms) {
  const std::vector<std::string> before{"⊢ a", "case b\n⊢ ?x ≤ f ?y.1", "⊢ Nat", "⊢ d"};
  const auto left = [&](const std::vector<std::string>& after) {
    return LaterGoalsLeft(before, after);
  };
  EXPECT_THAT(left({"⊢ 1 + n ≤ f 2", "⊢ d"}), ElementsAre(false, true, false, true));
  EXPECT_THAT(left({"⊢ new", "⊢ Nat", "⊢ d"}), ElementsAre(false, false, true, true));
  EXPECT_THAT(left({"⊢ 1 < f 2", "⊢ Nat"}), ElementsAre(false, false, true, false));
  EXPECT_THAT(left({"⊢ ?x ≤ f ?y.1 ∧ p", "⊢ Nat"}), ElementsAre(false, true, true, false))
      << "the last one may have become anything that begins alike";
  EXPECT_THAT(left({"⊢ 1 + n ≤\n    f 2", "⊢ d"}), ElementsAre(false, true, false, true))
      << "a longer line is broken";
  EXPECT_THAT(left({}), ElementsAre(false, false, false, false));
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

TEST_F(SgMdpTest, ModelThatCompletesTheProofSeesAllGoals) {
  parameters.suggestions = Suggestions::kComplete;
  parameters.iterations = 3;
  ScriptedTactics policy([](const StepContext& context, size_t) {
    return std::vector<std::string>{context.depth == 0 ? "have h : 1" : "exact?"};
  });
  ScriptedProofs proofs([](const std::string&, size_t) { return "nothing"; });
  Prove(4, policy, &proofs);
  ASSERT_FALSE(proofs.asked.empty());
  EXPECT_TRUE(proofs.asked[0].state.starts_with("n : Nat\n⊢ 1\n\n")) << proofs.asked[0].state;
  EXPECT_TRUE(proofs.asked[0].state.ends_with("\nn : Nat\nh : 1\n⊢ 4")) << proofs.asked[0].state;
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
  wrong = SgMdpParameters();
  wrong.gamma = 0;
  EXPECT_FALSE(Check(wrong));
  EXPECT_EQ(nlohmann::json(parameters).get<SgMdpParameters>(), parameters);
}

}  // namespace
}  // namespace zermelo::strategy
