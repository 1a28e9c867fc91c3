// What became of a goal in a search: whether tactics closed it, and how many were tried for it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "learn/example.h"
#include "learn/features.h"

namespace zermelo::learn {

struct OutcomeHead {
  uint64_t goal = 0;  // the hash of its syntax::GoalKey
  // Of the theorem that was searched for: hashes of its name, of the last part of the name, and
  // Source::statement.
  uint64_t theorem = 0, last_name = 0, statement = 0;
  /// Tactics that Lean ran on the goal and on what they left of it: until it was closed, or until
  /// the search ended.
  uint32_t tried = 0;
  bool closed = false;
  bool operator==(const OutcomeHead&) const = default;
};

struct GoalOutcome {
  OutcomeHead head;
  std::vector<Feature> features;  // of the goal, ascending
  bool operator==(const GoalOutcome&) const = default;
};

/// `goal`: as Lean prints it; of several, the first. nullopt if there is none, or nothing was
/// tried.
std::optional<GoalOutcome> MakeOutcome(std::string_view goal, bool closed, size_t tried,
                                       const Source& source);

std::string Encode(const GoalOutcome& outcome);

/// Whether the bytes of a record say that they are an outcome; other records are examples.
bool IsOutcome(std::string_view bytes);

struct EncodedOutcome {
  OutcomeHead head;
  std::span<const Feature> features;
};
/// nullopt for other bytes. They must be aligned as numbers are, and outlive the features.
std::optional<EncodedOutcome> ReadOutcome(std::string_view bytes);

/// Tells the outcomes of the theorem that is to be proved.
class IsOwnOutcome {
 public:
  explicit IsOwnOutcome(const Source& source);
  bool operator()(const OutcomeHead& outcome) const;

 private:
  uint64_t theorem_, statement_;
  uint64_t last_name_ = 0;  // 0: namesakes are not its own
};

}  // namespace zermelo::learn
