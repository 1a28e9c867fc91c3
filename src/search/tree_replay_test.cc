// Random searches, compared step by step with a naive implementation and replayed from logs.
#include <algorithm>
#include <gtest/gtest.h>
#include <unordered_map>

#include "core/random.h"
#include "search/testing/naive_tree.h"
#include "search/tree.h"

namespace zermelo::search {
namespace {

constexpr size_t kWorkers = 32;

struct Case {
  const char* name;
  TreeParameters parameters;
};

void PrintTo(const Case& test, std::ostream* out) { *out << test.name; }

TreeParameters Parameters(Bandit bandit, Convention convention, Merge merge = Merge::kSiblings,
                          double exploration = 1) {
  TreeParameters parameters;
  parameters.bandit = {.bandit = bandit, .convention = convention, .exploration = exploration};
  parameters.bandit.window = 5;  // soon full, and not a power of two
  parameters.merge = merge;
  parameters.seed = 11;
  return parameters;
}

/// One call on a tree, as the engine would log it.
struct Call {
  enum Kind { kPend, kUnpend, kStep, kBackup, kClose } kind;
  NodeId node = 0;
  StateKey key = 0;
  float prior = 0;
  double reward = 0;
};

/// A search with 32 workers over random states. It drives both trees with the same random events
/// and fails as soon as they differ.
class Pair {
 public:
  Pair(const TreeParameters& parameters, uint64_t seed)
      : tree(parameters, 1), naive_(parameters, 1), random_(seed), nodes_{naive_.root()} {}

  /// Starts an expansion, or ends one in progress.
  void Advance() {
    if (in_flight_.size() < kWorkers && random_.Below(3) > 0) {
      Start();
    } else if (!in_flight_.empty()) {
      Finish(random_.Below(in_flight_.size()));
    }
  }
  void CompareEveryNode() {
    ASSERT_EQ(tree.size(), nodes_.size());
    for (NodeId id = 0; id < tree.size(); ++id) {
      const NaiveNode& node = *nodes_[id];
      ExpectNear(tree.Through(id), naive_.Of(node.through));
      const auto arms = tree.Arms(id);
      ASSERT_EQ(arms.size(), node.children.size() + 1);
      ExpectNear(arms[0].statistic, naive_.Of(node.expand));
      for (size_t i = 0; i < node.children.size(); ++i) {
        ASSERT_EQ(nodes_[arms[i + 1].child], node.children[i].get());
        ASSERT_EQ(tree.parent(arms[i + 1].child), id);
      }
    }
  }

  Tree tree;
  std::vector<Call> calls;
  size_t merged = 0;

 private:
  static void ExpectNear(const Statistic& a, const Statistic& b) {
    ASSERT_NEAR(a.reward, b.reward, 1e-9);
    ASSERT_NEAR(a.visits, b.visits, 1e-9);
  }

  void Start() {
    const auto node = tree.Select();
    const NaiveNode* expected = naive_.Select();
    ASSERT_EQ(node.has_value(), expected != nullptr);
    if (!node) return;
    ASSERT_EQ(nodes_[*node], expected);
    tree.Pend(*node);
    naive_.Pend(nodes_[*node], 1);
    calls.push_back({.kind = Call::kPend, .node = *node});
    in_flight_.push_back(*node);
  }

  void Finish(size_t which) {
    const NodeId node = in_flight_[which];
    in_flight_.erase(in_flight_.begin() + static_cast<long>(which));
    const bool added = Expand(node);
    tree.Unpend(node);
    naive_.Pend(nodes_[node], -1);
    calls.push_back({.kind = Call::kUnpend, .node = node});
    if (random_.Below(20) == 0) return;  // the worker was cancelled: no reward
    const double reward =
        random_.Below(4) > 0 ? IntrinsicReward(added) : static_cast<float>(random_.Unit());
    tree.Backup(node, reward);
    naive_.Backup(nodes_[node], reward);
    calls.push_back({.kind = Call::kBackup, .node = node, .reward = reward});
    if (random_.Below(30) > 0) return;
    tree.Close(node);
    nodes_[node]->closed = true;
    calls.push_back({.kind = Call::kClose, .node = node});
  }

  /// Up to four steps to states from a small set.
  bool Expand(NodeId from) {
    bool any = false;
    for (uint64_t length = random_.Below(5); length > 0; --length) {
      const StateKey key = 1 + core::Mix(tree.key(from), random_.Below(6)) % 3000;
      const auto prior = static_cast<float>(random_.Unit());
      const auto [to, added] = tree.Step(from, key, prior);
      const auto [expected, expected_added] = naive_.Step(nodes_[from], key, prior);
      EXPECT_EQ(added, expected_added);
      calls.push_back({.kind = Call::kStep, .node = from, .key = key, .prior = prior});
      if (added) nodes_.push_back(expected);
      EXPECT_EQ(nodes_.at(to), expected);
      any = any || added;
      merged += added ? 0 : 1;
      from = to;
    }
    return any;
  }

  NaiveTree naive_;
  core::Random random_;
  std::vector<NaiveNode*> nodes_;  // by id
  std::vector<NodeId> in_flight_;
};

void Apply(const Call& call, Tree& tree) {
  switch (call.kind) {
    case Call::kPend:
      static_cast<void>(tree.Select());
      return tree.Pend(call.node);
    case Call::kUnpend:
      return tree.Unpend(call.node);
    case Call::kStep:
      static_cast<void>(tree.Step(call.node, call.key, call.prior));
      return;
    case Call::kBackup:
      return tree.Backup(call.node, call.reward);
    case Call::kClose:
      return tree.Close(call.node);
  }
}

class ReplayTest : public ::testing::TestWithParam<Case> {};

TEST_P(ReplayTest, EverySelectionMatchesTheNaiveImplementation) {
  for (uint64_t seed = 0; seed < 3; ++seed) {
    Pair pair(GetParam().parameters, seed);
    for (int step = 0; step < 3000; ++step) {
      pair.Advance();
      if (step % 500 == 0) pair.CompareEveryNode();
      if (HasFatalFailure()) return;
    }
    pair.CompareEveryNode();
    EXPECT_GT(pair.tree.size(), 500U);
    EXPECT_GT(pair.merged, 100U);
  }
}

void ExpectSameArms(const ArmView& a, const ArmView& b) {
  EXPECT_EQ(a.child, b.child);
  EXPECT_EQ(a.statistic, b.statistic);
  EXPECT_EQ(a.pending, b.pending);
  EXPECT_EQ(a.score, b.score);
  EXPECT_EQ(a.closed, b.closed);
}

void ExpectSameTrees(const Tree& a, const Tree& b) {
  ASSERT_EQ(a.size(), b.size());
  for (NodeId node = 0; node < a.size(); ++node) {
    ASSERT_EQ(a.key(node), b.key(node));
    ASSERT_EQ(a.parent(node), b.parent(node));
    const auto arms = a.Arms(node), others = b.Arms(node);
    ASSERT_EQ(arms.size(), others.size());
    for (size_t i = 0; i < arms.size(); ++i) ExpectSameArms(arms[i], others[i]);
  }
}

TEST_P(ReplayTest, ReplayingALogOfCallsGivesTheSameTreeAndTheSameDraws) {
  Pair pair(GetParam().parameters, 6);
  for (int step = 0; step < 2000; ++step) pair.Advance();
  Tree replayed(GetParam().parameters, 1);
  for (const Call& call : pair.calls) Apply(call, replayed);
  ExpectSameTrees(replayed, pair.tree);
  for (int i = 0; i < 500; ++i) {
    const auto node = pair.tree.Select();
    ASSERT_EQ(replayed.Select(), node);
    if (!node) break;
    for (Tree* tree : {&pair.tree, &replayed}) {
      static_cast<void>(tree->Step(*node, 1 + core::Mix(i) % 3000, 0.5F));
      tree->Backup(*node, core::Unit(core::Mix(i)));
    }
  }
  ExpectSameTrees(replayed, pair.tree);
}

INSTANTIATE_TEST_SUITE_P(
    Policies, ReplayTest,
    ::testing::Values(
        Case{"Ucb1", Parameters(Bandit::kUcb1, Convention::kPaper)},
        Case{"Ucb1OfReferenceCode", Parameters(Bandit::kUcb1, Convention::kReferenceCode)},
        Case{"Ducb", Parameters(Bandit::kDucb, Convention::kPaper)},
        Case{"DucbOfReferenceCode", Parameters(Bandit::kDucb, Convention::kReferenceCode)},
        Case{"DucbMergingTheWholeTree",
             Parameters(Bandit::kDucb, Convention::kPaper, Merge::kWholeTree)},
        Case{"Swucb", Parameters(Bandit::kSwucb, Convention::kPaper)},
        Case{"SwucbOfReferenceCode", Parameters(Bandit::kSwucb, Convention::kReferenceCode)},
        Case{"PuctOfReferenceCode", Parameters(Bandit::kPuct, Convention::kReferenceCode)},
        Case{"OwnVisits",
             Parameters(Bandit::kOwnVisits, Convention::kPaper, Merge::kSiblings, 0.5)},
        Case{"Puct", Parameters(Bandit::kPuct, Convention::kPaper, Merge::kSiblings, 1.25)},
        Case{"Greedy", Parameters(Bandit::kUcb1, Convention::kPaper, Merge::kSiblings, 0)}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace zermelo::search
