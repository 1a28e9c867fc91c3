#include "strategy/tactic_results.h"

#include <utility>

namespace zermelo::strategy {

using lean::ProbeResult;

namespace {

// Both may have several lines.
std::string Key(std::string_view prefix, std::string_view tactic) {
  std::string key(prefix);
  key += '\0';
  key += tactic;
  return key;
}

size_t BytesOf(const ProbeResult& result) {
  size_t bytes = sizeof(ProbeResult) + result.message.size() + result.suggestion.size();
  for (const std::string& goal : result.goals) bytes += sizeof(std::string) + goal.size();
  return bytes;
}

bool DependsOnTheLimit(std::string_view tactic, const ProbeResult& result) {
  if (result.crashed || result.outcome == ProbeResult::Outcome::kClosed) return false;
  return result.outcome == ProbeResult::Outcome::kSlow || lean::SearchesLibrary(tactic);
}

// Several tactics in one check share its heartbeats, so in another check it may have enough.
bool RanOutOfHeartbeats(const ProbeResult& result) {
  return result.outcome == ProbeResult::Outcome::kFailed &&
         result.message.find("maximum number of heartbeats") != std::string::npos;
}

}  // namespace

const ProbeResult* TacticResults::Find(std::string_view prefix, std::string_view tactic,
                                       core::Duration limit) const {
  const auto known = known_.find(Key(prefix, tactic));
  return known == known_.end() || known->second.limit < limit ? nullptr : &known->second.result;
}

void TacticResults::Add(std::string_view prefix, std::string_view tactic, core::Duration limit,
                        const ProbeResult& result) {
  if (result.outcome == ProbeResult::Outcome::kUnknown || RanOutOfHeartbeats(result)) return;
  // To run one of these again would cost most, and they need no texts.
  const bool is_costly = result.crashed || result.outcome == ProbeResult::Outcome::kSlow;
  if (bytes_ >= kMostBytes && !is_costly) return;
  Known known{result, DependsOnTheLimit(tactic, result) ? limit : core::Duration::max()};
  if (is_costly) known.result.message.clear();
  const auto [at, is_new] = known_.try_emplace(Key(prefix, tactic));
  if (!is_new && at->second.limit > known.limit) return;
  bytes_ += BytesOf(known.result) + (is_new ? at->first.size() : 0);
  bytes_ -= is_new ? 0 : BytesOf(at->second.result);
  at->second = std::move(known);
}

}  // namespace zermelo::strategy
