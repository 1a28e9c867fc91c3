#include "strategy/tactic_results.h"

#include <utility>

namespace zermelo::strategy {

using lean::ProbeResult;

namespace {

std::string Key(std::string_view prefix, std::string_view tactic) {
  std::string key(prefix);
  key += '\n';
  key += tactic;
  return key;
}

size_t BytesOf(const ProbeResult& result) {
  size_t bytes = sizeof(ProbeResult) + result.message.size() + result.suggestion.size();
  for (const std::string& goal : result.goals) bytes += sizeof(goal) + goal.size();
  return bytes;
}

bool DependsOnTheLimit(std::string_view tactic, const ProbeResult& result) {
  if (result.crashed) return false;
  return result.outcome == ProbeResult::Outcome::kSlow ||
         (result.outcome == ProbeResult::Outcome::kFailed && lean::SearchesLibrary(tactic));
}

}  // namespace

const ProbeResult* TacticResults::Find(std::string_view prefix, std::string_view tactic,
                                       core::Duration limit) const {
  const auto known = known_.find(Key(prefix, tactic));
  return known == known_.end() || known->second.limit < limit ? nullptr : &known->second.result;
}

void TacticResults::Add(std::string_view prefix, std::string_view tactic, core::Duration limit,
                        const ProbeResult& result) {
  if (result.outcome == ProbeResult::Outcome::kUnknown || bytes_ >= kMostBytes) return;
  std::string key = Key(prefix, tactic);
  bytes_ += key.size() + BytesOf(result);
  const auto valid = DependsOnTheLimit(tactic, result) ? limit : core::Duration::max();
  const auto [at, fresh] = known_.try_emplace(std::move(key), Known{result, valid});
  if (!fresh && at->second.limit <= valid) at->second = {result, valid};
}

}  // namespace zermelo::strategy
