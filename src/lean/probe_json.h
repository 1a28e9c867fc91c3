// The JSON of what became of a candidate in a probe.
#pragma once

#include <algorithm>
#include <array>

#include "core/fields.h"
#include "lean/probe.h"

namespace zermelo::lean {

inline constexpr std::array kOutcomeNames{"closed", "open", "failed", "slow", "unknown"};

inline const char* Name(ProbeResult::Outcome outcome) {
  return kOutcomeNames.at(static_cast<size_t>(outcome));
}

inline void to_json(nlohmann::json& to, const ProbeResult::Outcome& outcome) { to = Name(outcome); }

inline void from_json(const nlohmann::json& from, ProbeResult::Outcome& outcome) {
  const auto found = std::ranges::find(kOutcomeNames, from.get_ref<const std::string&>());
  if (found == kOutcomeNames.end()) throw nlohmann::json::other_error::create(0, "outcome", &from);
  outcome = static_cast<ProbeResult::Outcome>(found - kOutcomeNames.begin());
}

void Fields(auto& field, ProbeResult& result) {
  field("outcome", result.outcome);
  field.OrElse("goals", result.goals);
  field.OrElse("message", result.message);
  field.OrElse("suggestion", result.suggestion);
}

}  // namespace zermelo::lean
