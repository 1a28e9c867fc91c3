#include "search/frontier.h"

#include <gtest/gtest.h>
#include <map>

#include "core/random.h"

namespace zermelo::search {
namespace {

std::vector<NodeId> Drain(Frontier& frontier) {
  std::vector<NodeId> order;
  while (!frontier.empty()) order.push_back(frontier.Pop());
  return order;
}

TEST(FrontierTest, HighestScoreFirst) {
  Frontier frontier;
  frontier.Set(0, 0.1);
  frontier.Set(1, 0.9);
  frontier.Set(2, 0.5);
  EXPECT_EQ(frontier.BestScore(), 0.9);
  EXPECT_EQ(Drain(frontier), (std::vector<NodeId>{1, 2, 0}));
}

TEST(FrontierTest, TiesGoToTheOldestNode) {
  Frontier frontier;
  for (const NodeId node : {4U, 2U, 3U, 1U}) frontier.Set(node, 1);
  EXPECT_EQ(Drain(frontier), (std::vector<NodeId>{1, 2, 3, 4}));
}

TEST(FrontierTest, NodeMovesWhenItsScoreChanges) {
  Frontier frontier;
  for (NodeId node = 0; node < 4; ++node) frontier.Set(node, node);
  frontier.Set(0, 10);
  frontier.Set(3, -1);
  EXPECT_EQ(frontier.size(), 4U);
  EXPECT_EQ(Drain(frontier), (std::vector<NodeId>{0, 2, 1, 3}));
}

TEST(FrontierTest, RemovedNodesDoNotComeBack) {
  Frontier frontier;
  for (NodeId node = 0; node < 4; ++node) frontier.Set(node, node);
  frontier.Remove(3);
  frontier.Remove(1);
  frontier.Remove(1);
  frontier.Remove(77);
  EXPECT_FALSE(frontier.Contains(3));
  EXPECT_EQ(Drain(frontier), (std::vector<NodeId>{2, 0}));
}

TEST(FrontierTest, AgreesWithALinearSearch) {
  core::Random random(3);
  Frontier frontier;
  std::map<NodeId, double> obvious;
  for (int step = 0; step < 20'000; ++step) {
    const auto node = static_cast<NodeId>(random.Below(300));
    if (random.Below(3) == 0) {
      frontier.Remove(node);
      obvious.erase(node);
    } else {
      const auto score = static_cast<double>(random.Below(40));  // many ties
      frontier.Set(node, score);
      obvious[node] = score;
    }
    ASSERT_EQ(frontier.size(), obvious.size());
    if (obvious.empty()) continue;
    const auto best = std::max_element(obvious.begin(), obvious.end(), [](auto& a, auto& b) {
      return a.second < b.second;  // the first of the best
    });
    ASSERT_EQ(frontier.Best(), best->first);
    ASSERT_EQ(frontier.BestScore(), best->second);
  }
}

}  // namespace
}  // namespace zermelo::search
