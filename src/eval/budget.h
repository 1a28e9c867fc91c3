// The budget of an attempt at a problem, in the notation of the papers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/error.h"

namespace zermelo::eval {

/// A number of attempts at a problem, each with all of these limits (DeepSeek-Prover-V1.5's K × W:
/// K trees of W generations). Unset: no such limit.
struct AttemptBudget {
  size_t attempts = 1;
  std::optional<int64_t> samples;  // generations; without a model, candidates that Lean tries
  std::optional<double> seconds;   // of search
  std::optional<int64_t> tokens;   // of prompts and answers
  std::optional<double> dollars;
  bool operator==(const AttemptBudget&) const = default;
};

/// Parses comma-separated limits: "16x6400" (attempts times samples), "6400", "4x60s", "10m",
/// "2Mtok", "500ktok", "$0.50". kUsage with examples for anything else.
core::Result<AttemptBudget> ParseBudget(const std::string& text);

/// Half of each limit of an attempt, at least one sample or token; the number of attempts stays.
AttemptBudget HalfOf(AttemptBudget budget);

/// The notation that ParseBudget reads: "16x6400,600s,2000000tok,$0.5".
std::string ToText(const AttemptBudget& budget);

}  // namespace zermelo::eval
