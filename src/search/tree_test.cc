#include "search/tree.h"

#include <cmath>
#include <gtest/gtest.h>
#include <set>

namespace zermelo::search {
namespace {

constexpr double kTenDigits = 1e-9;  // the expected values are rounded to ten digits

TreeParameters With(Bandit bandit, Convention convention = Convention::kReferenceCode) {
  TreeParameters parameters;
  parameters.bandit = {.bandit = bandit, .convention = convention, .gamma = 0.9, .window = 3};
  return parameters;
}

/// A chain of the states 10, 20 and 30 below the root's state 1.
Tree Chain(const TreeParameters& parameters) {
  Tree tree(parameters, 1);
  NodeId at = kRoot;
  for (const StateKey key : {10U, 20U, 30U}) at = tree.Step(at, key).node;
  return tree;
}

std::vector<NodeId> ChildrenOf(const Tree& tree, NodeId node) {
  std::vector<NodeId> children;
  for (const ArmView& arm : tree.Arms(node)) {
    if (arm.child != kNoNode) children.push_back(arm.child);
  }
  return children;
}

TEST(TreeTest, ExpansionAddsAPathOfNodes) {
  const Tree tree = Chain(With(Bandit::kDucb));
  EXPECT_EQ(tree.size(), 4U);
  EXPECT_EQ(ChildrenOf(tree, kRoot), std::vector<NodeId>{1});
  EXPECT_EQ(ChildrenOf(tree, 1), std::vector<NodeId>{2});
  EXPECT_EQ(tree.parent(3), 2U);
  EXPECT_EQ(tree.parent(kRoot), kNoNode);
  EXPECT_EQ(tree.key(3), 30U);
}

TEST(TreeTest, KnownChildIsReused) {
  Tree tree = Chain(With(Bandit::kDucb));
  const auto step = tree.Step(kRoot, 10);
  EXPECT_FALSE(step.added);
  EXPECT_EQ(step.node, 1U);
}

TEST(TreeTest, StepThatChangesNothingStaysAtItsNode) {
  Tree tree = Chain(With(Bandit::kDucb));
  EXPECT_EQ(tree.Step(2, 20).node, 2U);
  EXPECT_FALSE(tree.Step(2, 20).added);
}

TEST(TreeTest, SiblingsMergeOnlyBelowTheSameParent) {
  Tree tree = Chain(With(Bandit::kDucb));
  const auto step = tree.Step(kRoot, 30);
  EXPECT_TRUE(step.added);
  EXPECT_EQ(tree.parent(step.node), kRoot);
}

TEST(TreeTest, WholeTreeMergesAnywhere) {
  TreeParameters parameters = With(Bandit::kDucb);
  parameters.merge = Merge::kWholeTree;
  Tree tree = Chain(parameters);
  EXPECT_FALSE(tree.Step(kRoot, 30).added);
  EXPECT_EQ(tree.Step(kRoot, 30).node, 3U);
  EXPECT_EQ(tree.Step(3, 1).node, kRoot);
}

TEST(TreeTest, BackupChangesExpandOfTheNodeAndTheArmsOnThePath) {
  Tree tree = Chain(With(Bandit::kUcb1));
  tree.Backup(2, 1);
  EXPECT_EQ(tree.Arms(2)[0].statistic, (Statistic{1, 1}));      // ∅ of the node
  EXPECT_EQ(tree.Arms(1)[1].statistic, (Statistic{1, 1}));      // the arm to it
  EXPECT_EQ(tree.Arms(kRoot)[1].statistic, (Statistic{1, 1}));  // the arm to its parent
  EXPECT_EQ(tree.Through(kRoot), (Statistic{1, 1}));
  EXPECT_EQ(tree.Arms(1)[0].statistic, (Statistic{0, 0}));
  EXPECT_EQ(tree.Arms(2)[1].statistic, (Statistic{0, 0}));
}

TEST(TreeTest, DucbDiscountsAnArmOnlyByItsOwnRewards) {
  // gamma = 0.9. The root's ∅ gets 1, then 0: W = 0.9, N = 1.9. The child's arm gets 1 in between
  // and is not discounted.
  Tree tree = Chain(With(Bandit::kDucb));
  tree.Backup(kRoot, 1);
  tree.Backup(1, 1);
  tree.Backup(kRoot, 0);
  const auto arms = tree.Arms(kRoot);
  EXPECT_NEAR(arms[0].statistic.reward, 0.9, 1e-15);
  EXPECT_NEAR(arms[0].statistic.visits, 1.9, 1e-15);
  EXPECT_EQ(arms[1].statistic, (Statistic{1, 1}));
  // Sum of N = 2.9, ln 2.9 = 1.064710737
  // ∅: 0.9/1.9 + sqrt(2 * 1.064710737 / 1.9) = 0.4736842105 + sqrt(1.120748144)
  EXPECT_NEAR(arms[0].score, 1.532338141, kTenDigits);
  // The child: 1 + sqrt(2 * 1.064710737 / 1) = 1 + sqrt(2.129421474)
  EXPECT_NEAR(arms[1].score, 2.459253739, kTenDigits);
  EXPECT_EQ(tree.Select(), 2U);  // at the child, ∅ was visited and the arm to node 2 was not
}

TEST(TreeTest, SwucbForgetsRewardsOutsideItsWindow) {
  // Window 3, rewards 1, 1, 0, 0: the last three are 1, 0, 0
  Tree tree = Chain(With(Bandit::kSwucb));
  for (const double reward : {1, 1, 0, 0}) tree.Backup(1, reward);
  EXPECT_EQ(tree.Arms(1)[0].statistic, (Statistic{1, 3}));
  EXPECT_EQ(tree.Arms(kRoot)[1].statistic, (Statistic{1, 3}));
}

TEST(TreeTest, PendingWorkCountsAsZeroRewards) {
  // ∅ has W = N = 1; two pending zeros: UCB1 1, 3; DUCB 0.9^2 = 0.81 and 0.81 + 0.9 + 1 = 2.71
  for (const auto& [bandit, expected] :
       {std::pair{Bandit::kUcb1, Statistic{1, 3}}, std::pair{Bandit::kSwucb, Statistic{1, 3}},
        std::pair{Bandit::kDucb, Statistic{0.81, 2.71}}}) {
    Tree tree(With(bandit), 1);
    tree.Backup(kRoot, 1);
    tree.Pend(kRoot);
    tree.Pend(kRoot);
    EXPECT_NEAR(tree.Arms(kRoot)[0].statistic.reward, expected.reward, 1e-15);
    EXPECT_NEAR(tree.Arms(kRoot)[0].statistic.visits, expected.visits, 1e-15);
    EXPECT_EQ(tree.Arms(kRoot)[0].pending, 2U);
    tree.Unpend(kRoot);
    tree.Unpend(kRoot);
    EXPECT_EQ(tree.Arms(kRoot)[0].statistic, (Statistic{1, 1}));
  }
}

TEST(TreeTest, PendingZeroPushesARewardOutOfTheWindow) {
  Tree tree(With(Bandit::kSwucb), 1);
  for (const double reward : {1, 1, 1}) tree.Backup(kRoot, reward);
  tree.Pend(kRoot);
  EXPECT_EQ(tree.Arms(kRoot)[0].statistic, (Statistic{2, 3}));
  tree.Unpend(kRoot);
  EXPECT_EQ(tree.Arms(kRoot)[0].statistic, (Statistic{3, 3}));
}

TEST(TreeTest, VirtualLossKeepsWorkersApart) {
  // Three children with equal statistics: three workers select three different ones.
  Tree tree(With(Bandit::kDucb), 1);
  for (const StateKey key : {10U, 20U, 30U}) {
    const NodeId child = tree.Step(kRoot, key).node;
    tree.Backup(child, 1);
  }
  for (int i = 0; i < 9; ++i) tree.Backup(kRoot, 0);
  std::set<NodeId> selected;
  for (int worker = 0; worker < 3; ++worker) {
    const auto node = tree.Select();
    tree.Pend(*node);
    selected.insert(*node);
  }
  EXPECT_EQ(selected, (std::set<NodeId>{1, 2, 3}));
}

TEST(TreeTest, WithoutVirtualLossWorkersSelectTheSameNode) {
  Tree tree = Chain(With(Bandit::kDucb));
  EXPECT_EQ(tree.Select(), tree.Select());
}

TEST(TreeTest, SingleNodeIsExpanded) {
  for (const auto convention : {Convention::kPaper, Convention::kReferenceCode}) {
    Tree tree(With(Bandit::kDucb, convention), 1);
    EXPECT_EQ(tree.Select(), kRoot);
  }
}

TEST(TreeTest, TiesGoToTheFirstByTheReferenceCode) {
  Tree tree = Chain(With(Bandit::kDucb));
  EXPECT_EQ(tree.Select(), kRoot);  // ∅ and the child are both unvisited; ∅ comes first
  tree.Backup(kRoot, 1);
  EXPECT_EQ(tree.Select(), 1U);  // the child is unvisited; at the child ∅ comes first again
}

TEST(TreeTest, TiesAreBrokenAtRandomByThePaper) {
  TreeParameters parameters = With(Bandit::kDucb, Convention::kPaper);
  parameters.seed = 42;
  Tree tree(parameters, 1);
  for (StateKey key = 10; key < 13; ++key) {
    static_cast<void>(tree.Step(kRoot, key));
  }
  std::vector<int> taken(4);
  for (int i = 0; i < 4000; ++i) ++taken[*tree.Select()];
  for (const int count : taken) EXPECT_NEAR(count, 1000, 120);  // 4 sigma: sqrt(750)
}

TEST(TreeTest, SameSeedGivesTheSameDraws) {
  const auto draws = [](uint64_t seed) {
    TreeParameters parameters = With(Bandit::kDucb, Convention::kPaper);
    parameters.seed = seed;
    Tree tree = Chain(parameters);
    std::vector<NodeId> selected;
    for (int i = 0; i < 64; ++i) selected.push_back(*tree.Select());
    return selected;
  };
  EXPECT_EQ(draws(1), draws(1));
  EXPECT_NE(draws(1), draws(2));
}

TEST(TreeTest, PuctFollowsThePrior) {
  Tree tree(With(Bandit::kPuct), 1);
  tree.Backup(kRoot, 0);
  static_cast<void>(tree.Step(kRoot, 10, 0.1F));
  static_cast<void>(tree.Step(kRoot, 20, 0.7F));
  // 0.7 * sqrt(1) / (1 + 0), against 0.1 for the other child and 0.5 / (1 + 1) for ∅
  EXPECT_EQ(tree.Select(), 2U);
  EXPECT_NEAR(tree.Arms(kRoot)[2].score, 0.7, 1e-7);
  EXPECT_EQ(tree.Arms(kRoot)[0].score, 0.25);
}

TEST(TreeTest, ClosedNodeIsNotSelected) {
  Tree tree = Chain(With(Bandit::kDucb));
  tree.Close(kRoot);
  tree.Close(1);
  EXPECT_EQ(tree.Select(), 2U);
}

TEST(TreeTest, BranchWithoutAnOpenNodeIsSkipped) {
  Tree tree = Chain(With(Bandit::kDucb));
  for (const NodeId node : {3U, 2U, 1U}) tree.Close(node);
  for (int i = 0; i < 10; ++i) tree.Backup(kRoot, 0);
  EXPECT_EQ(tree.Select(), kRoot);
  tree.Close(kRoot);
  EXPECT_EQ(tree.Select(), std::nullopt);
}

TEST(TreeTest, NewNodeReopensAClosedBranch) {
  Tree tree = Chain(With(Bandit::kDucb));
  for (NodeId node = 0; node < 4; ++node) tree.Close(node);
  const NodeId late = tree.Step(3, 40).node;
  EXPECT_EQ(tree.Select(), late);
}

TEST(TreeTest, NodeMayHaveManyChildren) {
  Tree tree(With(Bandit::kUcb1), 1);
  constexpr size_t kChildren = 10'000;  // more than one chunk of the arena
  for (StateKey key = 0; key < kChildren; ++key) {
    ASSERT_TRUE(tree.Step(kRoot, 100 + key).added);
  }
  EXPECT_EQ(ChildrenOf(tree, kRoot).size(), kChildren);
  for (StateKey key = 0; key < kChildren; ++key) {
    ASSERT_EQ(tree.Step(kRoot, 100 + key).node, key + 1);
  }
}

TEST(TreeTest, MemoryPerNodeStaysSmall) {
  Tree tree(With(Bandit::kDucb), 1);
  NodeId at = kRoot;
  for (StateKey key = 2; key < 200'000; ++key) {
    at = tree.Step(key % 7 == 0 ? kRoot : at, key).node;
  }
  EXPECT_LE(static_cast<double>(tree.Bytes()) / static_cast<double>(tree.size()), 160);
}

TEST(TreeTest, ParametersOutOfRangeAreRejected) {
  EXPECT_TRUE(Check(TreeParameters()));
  TreeParameters parameters;
  parameters.bandit.window = 0;
  EXPECT_FALSE(Check(parameters));
  parameters = TreeParameters();
  parameters.expand_prior = std::nan("");
  EXPECT_FALSE(Check(parameters));
  parameters = TreeParameters();
  parameters.merge = nlohmann::json("unknown").get<Merge>();
  const auto checked = Check(parameters);
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().code, core::ErrorCode::kUsage);
}

}  // namespace
}  // namespace zermelo::search
