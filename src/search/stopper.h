// When a search ends.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace zermelo::search {

/// What a search has spent and found so far, counted by its caller.
struct Progress {
  uint64_t samples = 0;  // model generations
  uint64_t tokens = 0;
  double money = 0;  // in the currency of the prices
  double seconds = 0;
  uint64_t nodes = 0;
  uint64_t proofs = 0;
};

/// Answers why to stop ("samples", "tokens and money"), or nothing. It remembers nothing, so it may
/// be shared, and asked again.
using Stopper = std::function<std::optional<std::string>(const Progress&)>;

// Each stops when its limit is reached; a limit of 0 is reached at once.
Stopper AtSamples(uint64_t limit);
Stopper AtTokens(uint64_t limit);
Stopper AtMoney(double limit);
Stopper AtSeconds(double limit);
Stopper AtNodes(uint64_t limit);
Stopper AtProofs(uint64_t limit = 1);

/// Stops when one of them does, for its reason (the first one's). Of none: never.
Stopper AnyOf(std::vector<Stopper> stoppers);
/// Stops when all of them do. Of none: never.
Stopper AllOf(std::vector<Stopper> stoppers);

}  // namespace zermelo::search
