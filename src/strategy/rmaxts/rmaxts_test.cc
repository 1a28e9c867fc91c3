#include "strategy/rmaxts/rmaxts.h"

#include <cmath>
#include <numeric>

#include "policy/ensemble_policy.h"
#include "strategy/testing/game_fixture.h"

namespace zermelo::strategy {
namespace {

using core::Result;
using core::testing::Await;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::MemoryJournal;
using testing::ScriptedProofs;

class RmaxtsTest : public testing::GameTest {
 protected:
  RmaxtsTest() {
    parameters.workers = 1;
    parameters.generations = 40;
    limits.journal = &journal;
  }
  SearchResult Prove(int number, policy::CompletionPolicy& policy) {
    const Problem problem = ProblemOf(number);
    auto result = Await(io, Rmaxts(ServicesWith(nullptr, &policy), problem, parameters, limits));
    EXPECT_TRUE(result) << result.error().message;
    return result.value_or(SearchResult());
  }
  RmaxtsParameters parameters;
  MemoryJournal journal;
};

/// One right tactic, then an error: progress is possible only by truncate-and-resume.
std::string OneStep(const std::string&, size_t) { return "dec\nfoo\nzero"; }

TEST_F(RmaxtsTest, TruncatesAndResumesUntilTheProof) {
  ScriptedProofs policy([](const std::string& prefix, size_t) -> std::string {
    return prefix == "dec\ndec\ndec\n" ? "zero" : "dec\nfoo";
  });
  const auto result = Prove(3, policy);
  EXPECT_EQ(result.proof, "dec\ndec\ndec\nzero");
  EXPECT_EQ(result.spending.samples, static_cast<int64_t>(policy.asked.size()));
  EXPECT_THAT(policy.succeeded, ElementsAre("scripted"));
}

TEST_F(RmaxtsTest, PrefixThatIsTooLongForTheModelIsOneFailedExpansion) {
  ScriptedProofs policy([](const std::string& prefix, size_t call) -> std::string {
    if (!prefix.empty()) return "too long";
    return call < 20 ? "dec\nfoo" : "dec\ndec\nzero";
  });
  const auto outcome = Prove(2, policy);
  EXPECT_EQ(outcome.proof, "dec\ndec\nzero");
  EXPECT_GT(outcome.refusals.at("the prompt does not fit into the model's context"), 0U);
}

TEST_F(RmaxtsTest, PromptThatNeverFitsEndsTheSearch) {
  parameters.generations = 1'000'000;
  ScriptedProofs policy([](const std::string&, size_t) -> std::string { return "too long"; });
  EXPECT_FALSE(Prove(2, policy).proof);
  EXPECT_EQ(policy.asked.size(), 100U);
}

TEST_F(RmaxtsTest, PromptHasThePrefixAndItsState) {
  parameters.generations = 6;
  ScriptedProofs policy(OneStep);
  Prove(5, policy);
  const auto resumed = std::ranges::find_if(
      policy.asked, [](const auto& input) { return input.prefix == "  dec\n  dec\n"; });
  ASSERT_NE(resumed, policy.asked.end());
  EXPECT_EQ(resumed->state, "n : Nat\n⊢ 3");
}

TEST_F(RmaxtsTest, TacticStateIsOptionalInThePrompt) {
  parameters.tactic_state = false;
  parameters.generations = 6;
  ScriptedProofs policy(OneStep);
  Prove(5, policy);
  for (const auto& input : policy.asked) EXPECT_EQ(input.state, "");
}

TEST_F(RmaxtsTest, RewardIsOneIffANodeWasAdded) {  // eq. 3; Algorithm 1, line 5
  parameters.generations = 12;
  ScriptedProofs policy(OneStep);
  Prove(3, policy);
  std::vector<double> rewards;
  size_t added = 0;
  for (const auto& event : journal.events) {
    if (event.kind == event::kNodeAdded) ++added;
    if (event.kind != event::kBackedUp) continue;
    rewards.push_back(event.fields["reward"]);
    EXPECT_EQ(rewards.back(), added > 0 ? 1 : 0);
    added = 0;
  }
  EXPECT_EQ(rewards.size(), 12U);
  EXPECT_EQ(std::accumulate(rewards.begin(), rewards.end(), 0.0), 3) << "states 2, 1 and 0";
}

/// W and N of every arm, recomputed from what was selected and what it earned: Algorithm 1, lines
/// 5-6 and 37-46.
class Backups {
 public:
  void Add(const MemoryJournal::Event& event) {
    if (event.kind == event::kNodeAdded) parents_[event.fields["node"]] = event.fields["parent"];
    if (event.kind == event::kSelected) selected_ = event.fields["node"];
    if (event.kind != event::kBackedUp) return;
    const double reward = event.fields["reward"];
    Count({selected_, nlohmann::json()}, reward);
    for (int node = selected_; node != 0; node = parents_.at(node)) {
      Count({parents_.at(node), node}, reward);
    }
  }
  /// W and N of an arm of a node.
  std::pair<double, double> Of(const nlohmann::json& node, const nlohmann::json& arm) const {
    const auto found = arms_.find({node, arm});
    return found == arms_.end() ? std::pair(0.0, 0.0) : found->second;
  }

 private:
  using Arm = std::pair<nlohmann::json, nlohmann::json>;
  void Count(const Arm& arm, double reward) {
    arms_[arm].first += reward;
    ++arms_[arm].second;
  }
  int selected_ = 0;
  std::map<int, int> parents_;
  std::map<Arm, std::pair<double, double>> arms_;
};

TEST_F(RmaxtsTest, RewardIsBackedUpFromTheSelectedNode) {
  parameters.bandit = TreePolicy::kUcb1;  // counts every reward once
  parameters.generations = 40;
  ScriptedProofs policy([](const std::string&, size_t call) -> std::string {
    return call % 3 == 0 ? "sub 2\ndec\nfoo" : "dec\nfoo";
  });
  Prove(12, policy);
  Backups backups;
  size_t compared = 0, deep = 0;
  for (const auto& event : journal.events) {
    if (event.kind == event::kSelected) {
      for (const auto& step : event.fields["path"]) {
        for (const auto& arm : step["arms"]) {
          const auto [reward, visits] = backups.Of(step["node"], arm["arm"]);
          EXPECT_EQ(arm["w"], reward) << step["node"] << " " << arm["arm"];
          EXPECT_EQ(arm["n"], visits) << step["node"] << " " << arm["arm"];
          compared += visits > 0 ? 1 : 0;
        }
      }
      deep += event.fields["path"].size() > 2 ? 1 : 0;
    }
    backups.Add(event);
  }
  EXPECT_GT(compared, 50U);
  EXPECT_GT(deep, 5U) << "selections below the root's children";
}

TEST_F(RmaxtsTest, WithoutIntrinsicRewardOnlyProofsAreRewarded) {
  parameters.bandit = TreePolicy::kUct;
  parameters.generations = 6;
  ScriptedProofs policy(OneStep);
  Prove(9, policy);
  for (const auto& event : journal.Of(event::kBackedUp)) EXPECT_EQ(event["reward"], 0);
}

/// Recomputes the scores of every traced selection from W and N: eq. 7.
TEST_F(RmaxtsTest, TracedSelectionTakesTheArmWithTheHighestDucb) {
  parameters.workers = 3;
  parameters.generations = 30;
  ScriptedProofs policy([](const std::string&, size_t call) -> std::string {
    return call % 3 == 0 ? "sub 2\nfoo" : "dec\nfoo";
  });
  Prove(20, policy);
  size_t compared = 0;
  for (const auto& event : journal.Of(event::kSelected)) {
    nlohmann::json at = 0;
    for (const auto& step : event["path"]) {
      EXPECT_EQ(step["node"], at);
      double total = 0;
      for (const auto& arm : step["arms"]) total += arm["n"].get<double>();
      double best = -1, taken = -1;
      for (const auto& arm : step["arms"]) {
        const double w = arm["w"], n = arm["n"];
        const double score = n == 0 ? INFINITY : w / n + std::sqrt(2 * std::log(total) / n);
        if (n > 0) {
          EXPECT_NEAR(arm["score"].get<double>(), score, 1e-12);
          ++compared;
        }
        best = std::max(best, score);
        if (arm["arm"] == step["taken"]) taken = score;
      }
      if (step["arms"].size() > 1) {
        EXPECT_GE(taken, best - 1e-12);
      }
      at = step["taken"];
    }
    EXPECT_TRUE(at.is_null()) << "the last arm is ∅";
  }
  EXPECT_GT(compared, 50U);
}

TEST_F(RmaxtsTest, WorkersGenerateConcurrentlyWithVirtualLoss) {  // A.4
  parameters.workers = 4;
  parameters.generations = 40;
  ScriptedProofs policy(OneStep);
  Prove(20, policy);
  size_t most = 0;
  for (const auto& event : journal.Of(event::kSelected)) {
    size_t pending = 0;
    for (const auto& arm : event["path"][0]["arms"]) pending += arm["pending"].get<size_t>();
    most = std::max(most, pending);
  }
  EXPECT_EQ(most, 3U) << "the other three workers";
}

TEST_F(RmaxtsTest, RootParallelTreesAreIndependent) {  // A.4
  parameters.trees = 3;
  parameters.generations = 4;
  ScriptedProofs policy(OneStep);
  const auto result = Prove(20, policy);
  EXPECT_EQ(result.samples, 12U);
  std::map<int, int> first_nodes;
  for (const auto& event : journal.Of(event::kNodeAdded)) {
    if (event["node"] == 1) ++first_nodes[event["tree"]];
  }
  EXPECT_EQ(first_nodes, (std::map<int, int>{{0, 1}, {1, 1}, {2, 1}}))
      << "each tree found it on its own";
}

TEST_F(RmaxtsTest, EachTreeHasAMemberOfTheEnsemble) {  // section 5.1: CoT and non-CoT
  parameters.trees = 2;
  parameters.generations = 4;
  std::vector<policy::Member<policy::CompletionPolicy>> members;
  std::vector<const ScriptedProofs*> policies;
  for (const char* name : {"cot", "non-cot"}) {
    auto proofs = std::make_unique<ScriptedProofs>(OneStep);
    policies.push_back(proofs.get());
    members.push_back({name, std::move(proofs), 1});
  }
  policy::CompletionEnsemble ensemble(std::move(members));
  Prove(20, ensemble);
  EXPECT_EQ(policies[0]->asked.size(), 4U);
  EXPECT_EQ(policies[1]->asked.size(), 4U);
}

/// Grows a tree with branches: its answers depend on how many were given.
std::string InTurn(const std::string&, size_t call) {
  return call % 4 == 1 ? "sub 3\nfoo" : call % 4 == 2 ? "split\nfoo" : "dec\nfoo";
}

TEST_F(RmaxtsTest, TreesWithTheSameAnswersBreakTiesDifferently) {
  const auto selected = [&](size_t trees) {
    journal.events.clear();
    parameters.trees = trees;
    std::vector<policy::Member<policy::CompletionPolicy>> members;
    for (size_t i = 0; i < trees; ++i) {
      members.push_back({"scripted", std::make_unique<ScriptedProofs>(InTurn), 1});
    }
    policy::CompletionEnsemble ensemble(std::move(members));
    Prove(9, ensemble);
    std::vector<std::vector<int>> nodes(trees);
    for (const auto& event : journal.Of(event::kSelected)) {
      nodes.at(event["tree"]).push_back(event["node"]);
    }
    return nodes;
  };
  const auto three = selected(3);
  EXPECT_NE(three[0], three[1]);
  EXPECT_NE(three[0], three[2]);
  EXPECT_NE(three[1], three[2]);
  EXPECT_EQ(three[0], selected(1)[0]) << "the first of several is the one that stands alone";
}

TEST_F(RmaxtsTest, SameAnswersGiveTheSameTree) {
  const auto run = [&] {
    journal.events.clear();
    ScriptedProofs policy(InTurn);
    Prove(9, policy);
    return journal.Dump();
  };
  parameters.seed = 7;
  const std::string first = run();
  EXPECT_EQ(run(), first);
  parameters.seed = 8;
  EXPECT_NE(run(), first) << "ties are broken by the seed";
}

TEST_F(RmaxtsTest, ReplyThatIgnoresThePrefixIsAPathFromTheRoot) {
  class FromTheStart : public ScriptedProofs {
   public:
    FromTheStart() : ScriptedProofs([](const auto&, size_t) { return ""; }) {}
    core::Task<Result<policy::Samples>> Complete(policy::CompletionInput input, size_t,
                                                 llm::CallContext) override {
      policy::Samples samples;
      samples.samples.push_back(
          testing::MakeSample(input.prefix.empty() ? "sub 2\nfoo" : "dec\nfoo"));
      co_return samples;
    }
  } policy;
  parameters.generations = 8;
  Prove(6, policy);
  for (const auto& event : journal.Of(event::kNodeAdded)) EXPECT_EQ(event["parent"], 0);
}

TEST_F(RmaxtsTest, AllDistinctProofsAreCollectedIfWanted) {
  all = true;
  parameters.generations = 12;
  ScriptedProofs policy([](const std::string&, size_t call) -> std::string {
    return call % 2 == 0 ? "close 2\n-- " + std::to_string(call) : "sub 2\nzero";
  });
  const auto result = Prove(2, policy);
  EXPECT_THAT(result.proofs, ::testing::Contains("sub 2\nzero"));
  EXPECT_EQ(result.proofs.size(), 2U) << "comments do not make proofs different";
}

TEST_F(RmaxtsTest, ProofThatTheKernelRejectsIsNotAccepted) {
  parameters.generations = 5;
  ScriptedProofs policy([](const std::string&, size_t) { return "cheat"; });
  const auto result = Prove(4, policy);
  EXPECT_FALSE(result.proof);
  EXPECT_EQ(result.reason, "exhausted");
}

TEST_F(RmaxtsTest, SamplesWithoutAProofEarnNothing) {
  parameters.generations = 3;
  ScriptedProofs policy([](const std::string&, size_t) { return "nothing"; });
  const auto result = Prove(4, policy);
  EXPECT_EQ(result.unusable, 3U);
  EXPECT_THAT(journal.Of(event::kNodeAdded), IsEmpty());
}

TEST(RmaxtsParameters, AreChecked) {
  EXPECT_TRUE(Check(RmaxtsParameters()));
  RmaxtsParameters parameters;
  parameters.gamma = 1.5;
  EXPECT_FALSE(Check(parameters));
  const RmaxtsParameters copy = nlohmann::json(parameters).get<RmaxtsParameters>();
  EXPECT_EQ(copy, parameters);
}

}  // namespace
}  // namespace zermelo::strategy
