#include "strategy/rmaxts/proof_tree.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <set>

#include "core/random.h"
#include "search/testing/proof_space.h"

namespace zermelo::strategy {
namespace {

using search::kRoot;
using search::NodeId;

ProofTreeParameters ReferenceCode() {
  ProofTreeParameters parameters;
  parameters.tree.bandit.convention = search::Convention::kReferenceCode;
  return parameters;
}

std::vector<std::string> Texts(const ProofTree& tree, NodeId node) {
  std::vector<std::string> texts;
  for (const uint32_t prefix : tree.Prefixes(node)) texts.push_back(tree.Tactics(prefix));
  return texts;
}

/// Adds generations that all start at the root; only valid while it is the only node.
class ProofTreeTest : public ::testing::Test {
 protected:
  void Open(const ProofTreeParameters& parameters) { tree_.emplace(parameters, "⊢ A"); }
  std::vector<ProofTree::AddedPath> Add(const std::vector<std::vector<Segment>>& generations) {
    std::vector<ProofTree::Expansion> begun;
    for (size_t i = 0; i < generations.size(); ++i) begun.push_back(*tree_->Begin());
    std::vector<ProofTree::AddedPath> paths;
    for (size_t i = 0; i < generations.size(); ++i) {
      EXPECT_EQ(begun[i], ProofTree::Expansion());
      paths.push_back(tree_->End(begun[i], generations[i]));
    }
    return paths;
  }
  void SetUp() override { Open(ReferenceCode()); }
  std::optional<ProofTree> tree_;
};

TEST_F(ProofTreeTest, GenerationBecomesAPath) {
  const auto path = Add({{{"  intro x\n", "⊢ B"}, {"  simp\n", "⊢ C"}}})[0];
  EXPECT_EQ(path.nodes_added, 2U);
  EXPECT_EQ(path.reward, 1);
  EXPECT_EQ(tree_->State(path.last), "⊢ C");
  EXPECT_EQ(Texts(*tree_, path.last), std::vector<std::string>{"  intro x\n  simp\n"});
  const NodeId parent = tree_->tree().parent(path.last);
  EXPECT_EQ(tree_->State(parent), "⊢ B");
  EXPECT_EQ(Texts(*tree_, parent), std::vector<std::string>{"  intro x\n"});
}

TEST_F(ProofTreeTest, TacticsThatReachTheSameStateShareANode) {
  const auto paths = Add({{{"  simp\n", "⊢ B"}}, {{"  norm_num\n", "⊢ B"}}});
  EXPECT_EQ(paths[0].reward, 1);
  EXPECT_EQ(paths[1].reward, 0);  // no new node
  EXPECT_EQ(paths[0].last, paths[1].last);
  EXPECT_EQ(Texts(*tree_, paths[0].last), (std::vector<std::string>{"  simp\n", "  norm_num\n"}));
}

TEST_F(ProofTreeTest, SamePrefixIsKeptOnce) {
  const auto paths = Add({{{"  simp\n", "⊢ B"}}, {{"  simp\n", "⊢ B"}}});
  EXPECT_EQ(Texts(*tree_, paths[0].last), std::vector<std::string>{"  simp\n"});
}

TEST_F(ProofTreeTest, PathThatBranchesOffLaterIsNew) {
  const auto paths = Add(
      {{{"  simp\n", "⊢ B"}, {"  ring\n", "⊢ C"}}, {{"  simp\n", "⊢ B"}, {"  omega\n", "⊢ D"}}});
  EXPECT_EQ(paths[1].nodes_added, 1U);
  EXPECT_EQ(paths[1].reward, 1);
  EXPECT_EQ(tree_->tree().size(), 4U);
}

TEST_F(ProofTreeTest, TacticThatChangesNothingJoinsTheNext) {
  const auto path = Add({{{"  skip\n", "⊢ A"}, {"  simp\n", "⊢ B"}}})[0];
  EXPECT_EQ(path.nodes_added, 1U);
  EXPECT_EQ(Texts(*tree_, path.last), std::vector<std::string>{"  skip\n  simp\n"});
}

TEST_F(ProofTreeTest, GenerationThatFailsAtOnceEarnsNothing) {
  const auto path = Add({{}})[0];
  EXPECT_EQ(path.reward, 0);
  EXPECT_EQ(path.last, kRoot);
  EXPECT_EQ(tree_->tree().Arms(kRoot)[0].statistic, (search::Statistic{0, 1}));
}

TEST_F(ProofTreeTest, ResumedProofContinuesItsPrefix) {
  const NodeId first = Add({{{"  intro x\n", "⊢ B"}}})[0].last;
  const auto expansion = tree_->Begin();
  ASSERT_EQ(expansion->node, first);  // unvisited
  EXPECT_EQ(tree_->Tactics(expansion->prefix), "  intro x\n");
  const auto path = tree_->End(*expansion, std::vector<Segment>{{"  simp\n", "⊢ C"}});
  EXPECT_EQ(tree_->tree().parent(path.last), first);
  EXPECT_EQ(Texts(*tree_, path.last), std::vector<std::string>{"  intro x\n  simp\n"});
}

TEST_F(ProofTreeTest, EveryPrefixIsDrawn) {
  Add({{{"  simp\n", "⊢ B"}}, {{"  norm_num\n", "⊢ B"}}, {{"  ring_nf\n", "⊢ B"}}});
  std::map<std::string, int> drawn;
  for (int i = 0; i < 3000; ++i) {
    const auto expansion = tree_->Begin();
    ++drawn[tree_->Tactics(expansion->prefix)];
    tree_->Abandon(*expansion);
  }
  ASSERT_EQ(drawn.size(), 3U);
  for (const auto& [text, times] : drawn) EXPECT_NEAR(times, 1000, 110) << text;  // 4 sigma
}

TEST_F(ProofTreeTest, CompleteProofIsNotExpanded) {
  const auto path = Add({{{"  rfl\n", ""}}})[0];
  EXPECT_EQ(path.reward, 1);
  for (int i = 0; i < 100; ++i) {
    const auto expansion = tree_->Begin();
    EXPECT_EQ(expansion->node, kRoot);
    tree_->End(*expansion, {});
  }
}

TEST_F(ProofTreeTest, LongPrefixesAreNotKept) {
  ProofTreeParameters parameters = ReferenceCode();
  parameters.max_prefix_tokens = 4;  // of three characters
  Open(parameters);
  const auto path = Add({{{"  simp\n", "⊢ B"}, {"  ring\n", "⊢ C"}}})[0];
  EXPECT_EQ(path.nodes_added, 1U);
  EXPECT_EQ(tree_->State(path.last), "⊢ B");
}

TEST_F(ProofTreeTest, WithoutIntrinsicRewardOnlyProofsAreRewarded) {
  ProofTreeParameters parameters = ReferenceCode();
  parameters.intrinsic_reward = false;
  Open(parameters);
  const auto paths = Add({{{"  simp\n", "⊢ B"}}, {{"  rfl\n", ""}}});
  EXPECT_EQ(paths[0].reward, 0);
  EXPECT_EQ(paths[1].reward, 1);
}

TEST_F(ProofTreeTest, AbandonedWorkLeavesNoTrace) {
  const auto expansion = tree_->Begin();
  EXPECT_EQ(tree_->tree().Arms(kRoot)[0].pending, 1U);
  tree_->Abandon(*expansion);
  EXPECT_EQ(tree_->tree().Arms(kRoot)[0].pending, 0U);
  EXPECT_EQ(tree_->tree().Arms(kRoot)[0].statistic, search::Statistic());
}

/// Searches a synthetic theorem with 32 concurrent generations; tactics name the state that they
/// lead to, in one of three spellings.
std::optional<std::string> Prove(const search::ProofSpace& space, ProofTree& tree, uint64_t seed) {
  core::Random random(seed);
  std::vector<ProofTree::Expansion> in_flight;
  for (int samples = 0; samples < 20'000; ++samples) {
    while (in_flight.size() < 32) in_flight.push_back(*tree.Begin());
    std::swap(in_flight[random.Below(32)], in_flight.back());
    const auto expansion = in_flight.back();
    in_flight.pop_back();
    std::vector<Segment> segments;
    for (const auto key : space.Generate(std::stoull(tree.State(expansion.node)), random)) {
      const std::string state = std::to_string(key);
      segments.push_back({.tactics = "  to" + std::string(1 + random.Below(3), ' ') + state + "\n",
                          .state = key == space.goal() ? "" : state});
    }
    const NodeId last = tree.End(expansion, segments).last;
    if (tree.State(last).empty()) return tree.Tactics(tree.Prefixes(last).front());
  }
  return std::nullopt;
}

TEST(ProofTreeSearchTest, FindsTheProofOfASyntheticTheorem) {
  const search::ProofSpace space({.min_depth = 5, .max_depth = 5, .width = 50}, 3);
  ProofTree tree({}, std::to_string(space.root()));
  const auto proof = Prove(space, tree, 1);
  ASSERT_TRUE(proof);
  EXPECT_EQ(std::count(proof->begin(), proof->end(), '\n'), 5);
  EXPECT_TRUE(proof->ends_with(" " + std::to_string(space.goal()) + "\n"));
  ProofTree again({}, std::to_string(space.root()));
  EXPECT_EQ(Prove(space, again, 1), proof);
}

TEST(ProofTreeSearchTest, EveryPrefixLeadsToItsNode) {
  const search::ProofSpace space({.min_depth = 12, .max_depth = 12}, 4);
  ProofTree tree({}, std::to_string(space.root()));
  Prove(space, tree, 2);
  size_t prefixes = 0;
  for (NodeId node = 1; node < tree.tree().size(); ++node) {
    std::set<std::string> texts;
    for (const auto& text : Texts(tree, node)) {
      texts.insert(text);
      const std::string& state = tree.State(node);
      EXPECT_TRUE(state.empty() || text.ends_with(" " + state + "\n")) << text;
    }
    EXPECT_EQ(texts.size(), tree.Prefixes(node).size());
    EXPECT_FALSE(texts.empty());
    prefixes += texts.size();
  }
  EXPECT_GT(prefixes, tree.tree().size());
}

}  // namespace
}  // namespace zermelo::strategy
