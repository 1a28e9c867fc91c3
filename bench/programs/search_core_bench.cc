// Compares search::Tree with a plain tree of objects and hash maps; see search-core.py.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <malloc.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <vector>

#include "core/random.h"
#include "search/tree.h"

namespace {

using namespace zermelo::search;  // NOLINT(google-build-using-namespace)
using Clock = std::chrono::steady_clock;

constexpr size_t kRounds = 9;  // reports the median
constexpr size_t kIterationsPerRound = 20'000;
constexpr size_t kWorkers = 32;

double Nanoseconds(Clock::duration time) {
  return std::chrono::duration<double, std::nano>(time).count();
}

double Median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<long>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

TreeParameters Parameters(Bandit bandit) {
  TreeParameters parameters;
  parameters.bandit.bandit = bandit;
  return parameters;
}

/// The plain implementation: a node is an object, its children are in a hash map, and every score
/// is computed as printed. Implements DUCB with the reference code's floors.
class PlainTree {
 public:
  struct Arm {
    double reward = 0;
    double visits = 0;
    int pending = 0;
  };
  struct Node {
    StateKey key = 0;
    Node* parent = nullptr;
    std::unordered_map<StateKey, std::unique_ptr<Node>> children;
    Arm expand;
    Arm through;
  };
  using Handle = Node*;

  explicit PlainTree(const TreeParameters& parameters) : gamma_(parameters.bandit.gamma) {
    root_.key = 1;
  }

  Handle Select() {
    Node* node = &root_;
    while (Node* child = Best(*node)) node = child;
    return node;
  }
  Handle Root() { return &root_; }
  Handle Parent(Handle node) const { return node->parent; }
  StateKey Key(Handle node) const { return node->key; }
  size_t Arms(Handle node) const { return node->children.size() + 1; }
  size_t size() const { return size_; }

  std::pair<Handle, bool> Step(Handle from, StateKey key) {
    auto& child = from->children[key];
    const bool added = child == nullptr;
    if (added) {
      child = std::make_unique<Node>();
      child->key = key;
      child->parent = from;
      ++size_;
    }
    return {child.get(), added};
  }
  void Pend(Handle node, int change) {
    node->expand.pending += change;
    for (; node != nullptr; node = node->parent) node->through.pending += change;
  }
  void Backup(Handle node, double reward) {
    Record(node->expand, reward);
    for (; node != nullptr; node = node->parent) Record(node->through, reward);
  }

 private:
  void Record(Arm& arm, double reward) const {
    arm.reward = gamma_ * arm.reward + reward;
    arm.visits = gamma_ * arm.visits + 1;
  }
  double Visits(const Arm& arm) const {
    const double kept = std::pow(gamma_, arm.pending);
    return arm.visits * kept + (1 - kept) / (1 - gamma_);
  }
  Node* Best(const Node& node) const {
    double total = Visits(node.expand);
    for (const auto& [key, child] : node.children) total += Visits(child->through);
    const auto score = [&](const Arm& arm) {
      const double visits = std::max(Visits(arm), 0.01);
      return arm.reward * std::pow(gamma_, arm.pending) / visits +
             std::sqrt(2 * std::log(std::max(total, 2.0)) / visits);
    };
    Node* best = nullptr;
    double best_score = score(node.expand);
    for (const auto& [key, child] : node.children) {
      const double child_score = score(child->through);
      if (child_score <= best_score) continue;
      best = child.get();
      best_score = child_score;
    }
    return best;
  }

  const double gamma_;
  Node root_;
  size_t size_ = 1;
};

/// search::Tree with the same calls.
class ArenaTree {
 public:
  using Handle = NodeId;

  explicit ArenaTree(const TreeParameters& parameters) : tree_(parameters, 1) {}
  Handle Select() { return *tree_.Select(); }
  Handle Root() { return kRoot; }
  Handle Parent(Handle node) const { return tree_.parent(node); }
  StateKey Key(Handle node) const { return tree_.key(node); }
  size_t Arms(Handle node) const { return tree_.Arms(node).size(); }
  size_t size() const { return tree_.size(); }
  std::pair<Handle, bool> Step(Handle from, StateKey key) {
    const auto step = tree_.Step(from, key);
    return {step.node, step.added};
  }
  void Pend(Handle node, int change) { change > 0 ? tree_.Pend(node) : tree_.Unpend(node); }
  void Backup(Handle node, double reward) { tree_.Backup(node, reward); }
  size_t Bytes() const { return tree_.Bytes(); }

 private:
  Tree tree_;
};

/// Stands in for a model and Lean: one to eight steps, three on average, each to one of 64 states,
/// of which the first ones are much more likely.
template <class T>
double Expand(T& tree, typename T::Handle at, zermelo::core::Random& random) {
  bool any = false;
  for (int steps = 1; steps <= 8; ++steps) {
    const double u = random.Unit();
    const auto choice = static_cast<uint64_t>(64 * u * u * u);
    const auto [to, added] = tree.Step(at, zermelo::core::Mix(tree.Key(at), choice));
    any = any || added;
    at = to;
    if (random.Below(3) == 0) break;
  }
  return IntrinsicReward(any);
}

/// Keeps 32 expansions in flight, the oldest of which ends before the next begins.
template <class T>
class Iterations {
 public:
  explicit Iterations(T& tree) : tree_(tree) {}
  ~Iterations() {
    while (!in_flight_.empty()) Finish();
  }
  void Next() {
    if (in_flight_.size() == kWorkers) Finish();
    in_flight_.push_back(tree_.Select());
    tree_.Pend(in_flight_.back(), 1);
  }

 private:
  void Finish() {
    const auto node = in_flight_.front();
    in_flight_.pop_front();
    const double reward = Expand(tree_, node, random_);
    tree_.Pend(node, -1);
    tree_.Backup(node, reward);
  }

  T& tree_;
  zermelo::core::Random random_{2};
  std::deque<typename T::Handle> in_flight_;
};

template <class T>
void Grow(T& tree, size_t nodes) {
  Iterations<T> iterations(tree);
  while (tree.size() < nodes) iterations.Next();
}

struct Cost {
  double select = 0;  // nanoseconds
  double select_and_backup = 0;
  double levels = 0;  // nodes at which an arm was chosen
  double arms = 0;    // examined in one select
  double per_level() const { return select / levels; }
};

/// Select and backup with a random reward; the tree does not grow.
template <class T>
Cost Measure(T& tree) {
  zermelo::core::Random random(3);
  std::vector<double> selects;
  std::vector<double> pairs;
  size_t levels = 0;
  size_t arms = 0;
  for (size_t round = 0; round < kRounds; ++round) {
    Clock::duration selecting{};
    Clock::duration both{};
    for (size_t i = 0; i < kIterationsPerRound; ++i) {
      const auto begin = Clock::now();
      const auto node = tree.Select();
      const auto selected = Clock::now();
      tree.Backup(node, static_cast<double>(random.Below(2)));
      const auto end = Clock::now();
      selecting += selected - begin;
      both += end - begin;
      for (auto at = node;; at = tree.Parent(at)) {
        ++levels;
        arms += tree.Arms(at);
        if (at == tree.Root()) break;
      }
    }
    selects.push_back(Nanoseconds(selecting) / kIterationsPerRound);
    pairs.push_back(Nanoseconds(both) / kIterationsPerRound);
  }
  constexpr double kAll = kRounds * kIterationsPerRound;
  return {Median(selects), Median(pairs), static_cast<double>(levels) / kAll,
          static_cast<double>(arms) / kAll};
}

template <class T>
double IterationsPerSecond(T& tree) {
  Iterations<T> iterations(tree);
  std::vector<double> rates;
  for (size_t round = 0; round < kRounds; ++round) {
    const auto begin = Clock::now();
    for (size_t i = 0; i < kIterationsPerRound; ++i) iterations.Next();
    rates.push_back(1e9 * kIterationsPerRound / Nanoseconds(Clock::now() - begin));
  }
  return Median(rates);
}

/// Times a backup over five levels whose arms already have the given number of rewards.
double BackupAfter(Bandit bandit, size_t rewards) {
  TreeParameters parameters = Parameters(bandit);
  parameters.bandit.window = 128;
  Tree tree(parameters, 1);
  NodeId node = kRoot;
  for (StateKey key = 2; key < 6; ++key) node = tree.Step(node, key).node;
  for (size_t i = 0; i < rewards; ++i) tree.Backup(node, static_cast<double>(i % 2));
  std::vector<double> times;
  for (size_t round = 0; round < kRounds; ++round) {
    const auto begin = Clock::now();
    for (size_t i = 0; i < kIterationsPerRound; ++i) tree.Backup(node, static_cast<double>(i % 2));
    times.push_back(Nanoseconds(Clock::now() - begin) / kIterationsPerRound);
  }
  return Median(times);
}

std::string Power(size_t n) { return "1e" + std::to_string(std::lround(std::log10(n))); }

template <class T>
double BytesPerNode(const T& tree) {
  return static_cast<double>(tree.Bytes()) / static_cast<double>(tree.size());
}

void AddCost(nlohmann::json& metrics, const Cost& cost, const std::string& suffix) {
  metrics["select_ns_per_level" + suffix] = cost.per_level();
  metrics["select_backup_ns" + suffix] = cost.select_and_backup;
  metrics["levels" + suffix] = cost.levels;
  metrics["arms" + suffix] = cost.arms;
}

void AddGrowth(nlohmann::json& metrics, size_t max_nodes) {
  for (size_t nodes = 1000; nodes <= max_nodes; nodes *= 10) {
    ArenaTree tree(Parameters(Bandit::kDucb));
    Grow(tree, nodes);
    metrics["bytes_per_node_" + Power(nodes)] = BytesPerNode(tree);
    AddCost(metrics, Measure(tree), "_" + Power(nodes));
  }
}

void AddBandits(nlohmann::json& metrics, size_t nodes) {
  for (const auto& [bandit, name] :
       {std::pair{Bandit::kUcb1, "ucb1"}, {Bandit::kDucb, "ducb"}, {Bandit::kSwucb, "swucb"}}) {
    const std::string suffix = std::string("_") + name;
    ArenaTree tree(Parameters(bandit));
    Grow(tree, nodes);
    metrics["bytes_per_node" + suffix] = BytesPerNode(tree);
    AddCost(metrics, Measure(tree), suffix);
    metrics["iterations_per_s" + suffix] = IterationsPerSecond(tree);
    for (const size_t rewards : {100, 10'000, 1'000'000}) {
      metrics["backup_ns_after_" + Power(rewards) + suffix] = BackupAfter(bandit, rewards);
    }
  }
}

void AddBaseline(nlohmann::json& metrics, size_t nodes) {
  const size_t before = mallinfo2().uordblks;
  PlainTree tree(Parameters(Bandit::kDucb));
  Grow(tree, nodes);
  metrics["bytes_per_node_baseline"] =
      static_cast<double>(mallinfo2().uordblks - before) / static_cast<double>(tree.size());
  AddCost(metrics, Measure(tree), "_baseline");
  metrics["iterations_per_s_baseline"] = IterationsPerSecond(tree);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: search_core_bench NODES MAX_NODES\n");
    return 2;
  }
  const size_t nodes = std::strtoull(argv[1], nullptr, 10);
  nlohmann::json metrics;
  AddBaseline(metrics, nodes);
  AddBandits(metrics, nodes);
  AddGrowth(metrics, std::strtoull(argv[2], nullptr, 10));
  std::puts(metrics.dump().c_str());
}
