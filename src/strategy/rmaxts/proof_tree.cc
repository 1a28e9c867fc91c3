#include "strategy/rmaxts/proof_tree.h"

#include <algorithm>

#include "core/random.h"
#include "llm/usage.h"
#include "syntax/goal/goal.h"

namespace zermelo::strategy {

using search::NodeId;

namespace {

// Generations give no probability of a state, so all children have the same prior for PUCT.
constexpr float kPriorOfStates = 0.5F;

size_t TokensOf(const std::string& tactics) {
  return static_cast<size_t>(llm::EstimateTokens(tactics));
}

}  // namespace

ProofTree::ProofTree(const ProofTreeParameters& parameters, const std::string& root_state)
    : parameters_(parameters),
      tree_(parameters.tree, Intern({.tactics = "", .state = root_state})),
      prefixes_of_(1) {
  static const std::string kNothing;
  prefixes_.push_back({.before = 0, .tactics = &kNothing, .tokens = 0});
  prefixes_of_[search::kRoot].push_back(0);
}

std::optional<ProofTree::Expansion> ProofTree::Begin(
    const std::function<void(NodeId)>& on_selected) {
  const auto node = tree_.Select();
  if (!node) return std::nullopt;
  if (on_selected) on_selected(*node);
  tree_.Pend(*node);
  const auto& prefixes = prefixes_of_[*node];
  const uint64_t draw = core::Mix(~parameters_.tree.seed, begun_++);
  return Expansion{.node = *node, .prefix = prefixes[core::Below(draw, prefixes.size())]};
}

ProofTree::AddedPath ProofTree::End(const Expansion& expansion, std::span<const Segment> segments,
                                    From from) {
  const size_t nodes_before = tree_.size();
  NodeId node = from == From::kNode ? expansion.node : search::kRoot;
  uint32_t prefix = from == From::kNode ? expansion.prefix : 0;
  bool proved = false;
  std::string tactics;
  for (const auto& segment : segments) {
    tactics += segment.tactics;
    if (prefixes_[prefix].tokens + TokensOf(tactics) > parameters_.max_prefix_tokens) break;
    const auto key = Intern(segment);
    if (key == tree_.key(node)) continue;
    node = tree_.Step(node, key, kPriorOfStates).node;
    if (node >= prefixes_of_.size()) prefixes_of_.resize(node + 1);
    prefix = AddPrefix(node, prefix, tactics);
    tactics.clear();
    proved = segment.state.empty();
    if (proved) tree_.Close(node);
  }
  const size_t added = tree_.size() - nodes_before;
  const double reward = parameters_.intrinsic_reward ? search::IntrinsicReward(added > 0)
                                                     : search::ExtrinsicReward(proved);
  tree_.Unpend(expansion.node);
  tree_.Backup(expansion.node, reward);
  return {.last = node, .nodes_added = added, .reward = reward};
}

void ProofTree::Abandon(const Expansion& expansion) { tree_.Unpend(expansion.node); }

std::string ProofTree::Tactics(uint32_t prefix) const {
  std::vector<const std::string*> parts;
  for (; prefix != 0; prefix = prefixes_[prefix].before) {
    parts.push_back(prefixes_[prefix].tactics);
  }
  std::string text;
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) text += **part;
  return text;
}

ProofTree::TextId ProofTree::InternText(const std::string& text) {
  const auto [known, added] = text_ids_.try_emplace(text, static_cast<TextId>(texts_.size()));
  if (added) texts_.push_back(&known->first);
  return known->second;
}

search::StateKey ProofTree::Intern(const Segment& segment) {
  const TextId shown = InternText(segment.state);
  const bool exact = parameters_.merging == StateMerging::kExact;
  const TextId state = exact ? shown : InternText(syntax::WithoutInaccessibleNames(segment.state));
  const uint64_t parts = (uint64_t{state} << 32U) | InternText(segment.context);
  const auto [known, added] = state_keys_.try_emplace(parts, shown_.size());
  if (added) shown_.push_back(shown);
  return known->second;
}

uint32_t ProofTree::AddPrefix(NodeId node, uint32_t before, const std::string& tactics) {
  const TextId text = InternText(tactics);
  const uint64_t parts = (uint64_t{before} << 32U) | text;
  const auto [known, added] = known_prefixes_.try_emplace(parts, prefixes_.size());
  if (added) {
    prefixes_.push_back({.before = before,
                         .tactics = texts_[text],
                         .tokens = prefixes_[before].tokens + TokensOf(tactics)});
  }
  auto& prefixes = prefixes_of_[node];
  if (std::find(prefixes.begin(), prefixes.end(), known->second) == prefixes.end()) {
    prefixes.push_back(known->second);
  }
  return known->second;
}

}  // namespace zermelo::strategy
