// For tests only: a slow, obviously correct version of search::Tree. Every arm keeps all its
// rewards, and each formula is evaluated from that list as printed in the papers.
#pragma once

#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "core/random.h"
#include "search/tree.h"

namespace zermelo::search {

struct NaiveArm {
  std::vector<double> rewards;  // R(tau_1), R(tau_2), …: eq. 5, 8, 11
  int pending = 0;
};

struct NaiveNode {
  StateKey key = 0;
  NaiveNode* parent = nullptr;
  double prior = 0;
  bool closed = false;
  NaiveArm through;
  NaiveArm expand;
  std::vector<std::unique_ptr<NaiveNode>> children;
};

class NaiveTree {
 public:
  NaiveTree(const TreeParameters& parameters, StateKey root) : parameters_(parameters) {
    root_.key = root;
  }

  NaiveNode* root() { return &root_; }

  NaiveNode* Select() {
    if (!HasOpen(root_)) return nullptr;
    const uint64_t draws = core::Mix(parameters_.seed, selections_++);
    NaiveNode* node = &root_;
    for (uint64_t depth = 0;; ++depth) {
      NaiveNode* child = Best(*node, draws + depth);
      if (child == nullptr) return node;
      node = child;
    }
  }

  std::pair<NaiveNode*, bool> Step(NaiveNode* from, StateKey key, double prior) {
    if (from->key == key) return {from, false};
    NaiveNode* known = nullptr;
    if (parameters_.merge == Merge::kWholeTree) {
      known = FindBelow(root_, key);
    } else {
      for (const auto& child : from->children) {
        if (child->key == key) known = child.get();
      }
    }
    if (known != nullptr) return {known, false};
    from->children.push_back(std::make_unique<NaiveNode>());
    NaiveNode* child = from->children.back().get();
    child->key = key;
    child->parent = from;
    child->prior = prior;
    return {child, true};
  }

  void Pend(NaiveNode* node, int change) {
    node->expand.pending += change;
    for (; node != nullptr; node = node->parent) node->through.pending += change;
  }

  void Backup(NaiveNode* node, double reward) {
    node->expand.rewards.push_back(reward);
    for (; node != nullptr; node = node->parent) node->through.rewards.push_back(reward);
  }

  Statistic Of(const NaiveArm& arm) const {
    std::vector<double> rewards = arm.rewards;
    rewards.insert(rewards.end(), static_cast<size_t>(arm.pending), 0.0);
    const size_t count = rewards.size();
    const auto& bandit = parameters_.bandit;
    double reward = 0;
    double visits = 0;
    for (size_t t = 1; t <= count; ++t) {
      double weight = 1;
      if (bandit.bandit == Bandit::kDucb) {
        weight = std::pow(bandit.gamma, static_cast<double>(count - t));
      }
      if (bandit.bandit == Bandit::kSwucb && count - t >= bandit.window) weight = 0;
      reward += weight * rewards[t - 1];
      visits += weight;
    }
    return {reward, visits};
  }

 private:
  static bool HasOpen(const NaiveNode& node) {
    bool open = !node.closed;
    for (const auto& child : node.children) open = open || HasOpen(*child);
    return open;
  }

  static NaiveNode* FindBelow(NaiveNode& node, StateKey key) {
    if (node.key == key) return &node;
    for (const auto& child : node.children) {
      if (NaiveNode* found = FindBelow(*child, key)) return found;
    }
    return nullptr;
  }

  double Score(Statistic arm, double total, double prior) const {
    const auto& bandit = parameters_.bandit;
    const double c = bandit.exploration;
    if (bandit.bandit == Bandit::kPuct) {
      const double mean = arm.visits == 0 ? 0 : arm.reward / arm.visits;
      return mean + c * prior * std::sqrt(total) / (1 + arm.visits);
    }
    if (bandit.bandit == Bandit::kOwnVisits) {
      if (arm.visits == 0) return std::numeric_limits<double>::infinity();
      const double log = arm.visits < 1 ? 0 : std::log(arm.visits);
      return arm.reward / arm.visits + c * std::sqrt(log / arm.visits);
    }
    if (bandit.convention == Convention::kReferenceCode) {
      arm.visits = std::max(arm.visits, 0.01);
      total = std::max(total, 2.0);
    }
    if (arm.visits == 0) return std::numeric_limits<double>::infinity();
    return arm.reward / arm.visits + c * std::sqrt(2 * std::log(total) / arm.visits);
  }

  /// The child with the best score, or nullptr for ∅.
  NaiveNode* Best(const NaiveNode& node, uint64_t draw) const {
    double total = Of(node.expand).visits;
    for (const auto& child : node.children) total += Of(child->through).visits;
    std::vector<NaiveNode*> best;
    double best_score = -std::numeric_limits<double>::infinity();
    const auto consider = [&](NaiveNode* child, double score) {
      if (score > best_score) best.clear();
      if (score >= best_score) best.push_back(child);
      best_score = std::max(best_score, score);
    };
    if (!node.closed) {
      consider(nullptr, Score(Of(node.expand), total, parameters_.expand_prior));
    }
    for (const auto& child : node.children) {
      if (HasOpen(*child)) consider(child.get(), Score(Of(child->through), total, child->prior));
    }
    if (parameters_.bandit.convention == Convention::kReferenceCode) return best.front();
    return best[core::Below(core::Mix(draw), best.size())];
  }

  const TreeParameters parameters_;
  NaiveNode root_;
  uint64_t selections_ = 0;
};

}  // namespace zermelo::search
