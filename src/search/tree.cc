#include "search/tree.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "core/random.h"

namespace zermelo::search {

namespace {

constexpr size_t kFirstIndex = 16;  // slots

}  // namespace

core::Status Check(const TreeParameters& parameters) {
  if (static_cast<int>(parameters.merge) < 0) {
    return core::Fail(core::ErrorCode::kUsage, "merge must be siblings or whole_tree");
  }
  if (!std::isfinite(parameters.expand_prior)) {
    return core::Fail(core::ErrorCode::kUsage, "expand_prior must be a number");
  }
  return Check(parameters.bandit);
}

Tree::Tree(const TreeParameters& parameters, StateKey root)
    : parameters_(parameters), index_(kFirstIndex, kNoNode) {
  AddNode(kNoNode, root, 0);
}

const Tree::Arm& Tree::ArmTo(NodeId node) const {
  const Node& self = nodes_[node];
  return self.parent == kNoNode ? root_arm_ : ArmsOf(self.parent)[self.slot];
}

size_t Tree::WindowOf(NodeId node, const Arm& arm) {
  return arm.child == kNoNode ? size_t{2} * node : size_t{2} * arm.child + 1;
}

// --- Nodes

NodeId Tree::AddNode(NodeId parent, StateKey key, float prior) {
  const auto id = static_cast<NodeId>(nodes_.size());
  Node node{.key = key, .parent = parent, .arms = arms_.Allocate(1), .arm_count = 1};
  *arms_.At(node.arms) = {.prior = static_cast<float>(parameters_.expand_prior)};
  if (parent == kNoNode) {
    root_arm_ = {.child = id, .prior = prior};
  } else {
    node.slot = nodes_[parent].arm_count;
    AddArm(parent, {.child = id, .prior = prior});
  }
  nodes_.push_back(node);
  if (windowed()) {
    windows_.push_back({});
    windows_.push_back({});
  }
  if (nodes_.size() * 4 > index_.size() * 3) {
    GrowIndex();
  } else {
    index_[Find(parent, key)] = id;
  }
  for (; parent != kNoNode && ArmTo(parent).closed; parent = nodes_[parent].parent) {
    ArmTo(parent).closed = false;  // it has an open node below it again
  }
  return id;
}

void Tree::AddArm(NodeId parent, const Arm& arm) {
  Node& node = nodes_[parent];
  if (std::has_single_bit(node.arm_count)) {  // the block is full
    const auto larger = arms_.Allocate(2 * node.arm_count);
    std::copy_n(arms_.At(node.arms), node.arm_count, arms_.At(larger));
    arms_.Free(node.arms, node.arm_count);
    node.arms = larger;
  }
  arms_.At(node.arms)[node.arm_count++] = arm;
}

size_t Tree::Find(NodeId parent, StateKey key) const {
  const bool siblings = parameters_.merge == Merge::kSiblings;
  const size_t mask = index_.size() - 1;
  for (size_t at = siblings ? core::Mix(key, parent) : core::Mix(key);; ++at) {
    const NodeId id = index_[at & mask];
    if (id == kNoNode) return at & mask;
    const Node& node = nodes_[id];
    if (node.key == key && (!siblings || node.parent == parent)) return at & mask;
  }
}

void Tree::GrowIndex() {
  index_.assign(2 * index_.size(), kNoNode);
  for (NodeId id = 0; id < nodes_.size(); ++id) {
    index_[Find(nodes_[id].parent, nodes_[id].key)] = id;
  }
}

Tree::Stepped Tree::Step(NodeId from, StateKey key, float prior) {
  if (nodes_[from].key == key) return {from, false};
  const NodeId found = index_[Find(from, key)];
  if (found != kNoNode) return {found, false};
  return {AddNode(from, key, prior), true};
}

void Tree::Close(NodeId node) {
  ArmsOf(node)[0].closed = true;
  while (node != kNoNode) {
    const Arm* arms = ArmsOf(node);
    const bool closed =
        std::all_of(arms, arms + nodes_[node].arm_count, [](const Arm& arm) { return arm.closed; });
    if (!closed || std::exchange(ArmTo(node).closed, true)) return;
    node = nodes_[node].parent;
  }
}

// --- Selection

std::optional<NodeId> Tree::Select() {
  if (root_arm_.closed) return std::nullopt;
  const uint64_t draws = core::Mix(parameters_.seed, selections_++);
  NodeId node = kRoot;
  for (uint64_t depth = 0;; ++depth) {
    const uint32_t slot = BestArm(node, draws + depth);
    if (slot == 0) return node;
    node = ArmsOf(node)[slot].child;
  }
}

uint32_t Tree::BestArm(NodeId node, uint64_t draw) {
  const Arm* arms = ArmsOf(node);
  const uint32_t count = nodes_[node].arm_count;
  if (count == 1) return 0;
  const Scorer scorer(parameters_.bandit, TotalVisits(node));
  double best = -std::numeric_limits<double>::infinity();
  ties_.clear();
  for (uint32_t slot = 0; slot < count; ++slot) {
    const Arm& arm = arms[slot];
    if (arm.closed) continue;
    const Statistic statistic = arm.pending == 0 ? arm.statistic : WithPending(node, arm);
    if (scorer.IsBelow(statistic, best)) continue;
    const double score = scorer.Score(statistic, arm.prior);
    if (score < best) continue;
    if (score > best) ties_.clear();
    best = score;
    ties_.push_back(slot);
  }
  const bool first = parameters_.bandit.convention == Convention::kReferenceCode;
  return ties_[first ? 0 : core::Below(core::Mix(draw), ties_.size())];
}

/// Closed arms count too: their visits are part of the history.
double Tree::TotalVisits(NodeId node) const {
  const Arm* arms = ArmsOf(node);
  const uint32_t count = nodes_[node].arm_count;
  double total = 0;
  for (uint32_t slot = 0; slot < count; ++slot) {
    const Arm& arm = arms[slot];
    total += arm.pending == 0 ? arm.statistic.visits : WithPending(node, arm).visits;
  }
  return total;
}

Statistic Tree::WithPending(NodeId node, const Arm& arm) const {
  if (windowed()) {
    const Window& window = windows_[WindowOf(node, arm)];
    return Windowed(Older(window), Newer(window), arm.pending, parameters_.bandit.window);
  }
  Statistic statistic = arm.statistic;
  for (uint32_t i = 0; i < arm.pending; ++i) {
    statistic = parameters_.bandit.bandit == Bandit::kDucb
                    ? Discounted(statistic, 0, parameters_.bandit.gamma)
                    : Summed(statistic, 0);
  }
  return statistic;
}

// --- Rewards

/// Calls visit(owner, arm) for ∅ of the node and for every arm on the path to it.
template <class Visit>
void Tree::Ascend(NodeId node, Visit visit) {
  visit(node, ArmsOf(node)[0]);
  for (; node != kNoNode; node = nodes_[node].parent) visit(nodes_[node].parent, ArmTo(node));
}

void Tree::Pend(NodeId node) {
  Ascend(node, [](NodeId, Arm& arm) { ++arm.pending; });
}

void Tree::Unpend(NodeId node) {
  Ascend(node, [](NodeId, Arm& arm) { --arm.pending; });
}

void Tree::Backup(NodeId node, double reward) {
  Ascend(node, [&](NodeId owner, Arm& arm) { Record(owner, arm, reward); });
}

void Tree::Record(NodeId node, Arm& arm, double reward) {
  switch (parameters_.bandit.bandit) {
    case Bandit::kDucb:
      arm.statistic = Discounted(arm.statistic, reward, parameters_.bandit.gamma);
      break;
    case Bandit::kSwucb: {
      Window& window = windows_[WindowOf(node, arm)];
      Remember(window, static_cast<float>(reward));
      arm.statistic = Windowed(Older(window), Newer(window), 0, parameters_.bandit.window);
      break;
    }
    case Bandit::kUcb1:
    case Bandit::kOwnVisits:
    case Bandit::kPuct:
      arm.statistic = Summed(arm.statistic, reward);
      break;
  }
}

/// The block doubles until it holds the whole window; then the oldest reward is overwritten.
void Tree::Remember(Window& window, float reward) {
  if (window.size == parameters_.bandit.window) {
    rewards_.At(window.rewards)[window.oldest] = reward;
    window.oldest = (window.oldest + 1) % window.size;
    return;
  }
  if (window.size == 0) {
    window.rewards = rewards_.Allocate(1);
  } else if (std::has_single_bit(window.size)) {
    const auto larger = rewards_.Allocate(2 * window.size);
    std::copy_n(rewards_.At(window.rewards), window.size, rewards_.At(larger));
    rewards_.Free(window.rewards, window.size);
    window.rewards = larger;
  }
  rewards_.At(window.rewards)[window.size++] = reward;
}

std::span<const float> Tree::Older(const Window& window) const {
  if (window.size == 0) return {};
  return {rewards_.At(window.rewards) + window.oldest, window.size - window.oldest};
}

std::span<const float> Tree::Newer(const Window& window) const {
  if (window.size == 0) return {};
  return {rewards_.At(window.rewards), window.oldest};
}

// --- Views

Statistic Tree::Through(NodeId node) const { return WithPending(nodes_[node].parent, ArmTo(node)); }

std::vector<ArmView> Tree::Arms(NodeId node) const {
  const Scorer scorer(parameters_.bandit, TotalVisits(node));
  std::vector<ArmView> views;
  for (uint32_t slot = 0; slot < nodes_[node].arm_count; ++slot) {
    const Arm& arm = ArmsOf(node)[slot];
    const Statistic statistic = WithPending(node, arm);
    views.push_back({.child = arm.child,
                     .statistic = statistic,
                     .pending = arm.pending,
                     .score = scorer.Score(statistic, arm.prior),
                     .closed = arm.closed});
  }
  return views;
}

size_t Tree::Bytes() const {
  return sizeof(*this) + nodes_.Bytes() + arms_.Bytes() + index_.capacity() * sizeof(NodeId) +
         windows_.Bytes() + rewards_.Bytes() + ties_.capacity() * sizeof(ties_[0]);
}

}  // namespace zermelo::search
