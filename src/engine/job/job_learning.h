// What a job learns from its own searches (docs/learning.md).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/prove_file.h"
#include "learn/example.h"
#include "learn/outcome.h"
#include "strategy/strategy.h"

namespace zermelo::engine {

/// Does nothing if the job does not learn.
class JobLearning {
 public:
  explicit JobLearning(const ProveRequest& request) : request_(request) {}

  /// Makes a proof that was just found part of what is known. It is kept if the theorem, which must
  /// outlive this object, is accepted.
  void Learn(const TheoremResult& theorem, const learn::Source& source,
             const std::vector<strategy::ProofMove>& moves);
  /// The same of the goals of a search, whether it found a proof or not. Of many goals, a sample
  /// that depends on nothing but their text.
  void LearnOutcomes(const learn::Source& source, std::vector<strategy::TriedGoal> goals);
  /// Writes what was learned to its file. Returns a sentence if that fails, else "".
  std::string Keep();

 private:
  bool Learns() const { return request_.learned != nullptr && request_.learns; }

  const ProveRequest& request_;
  std::vector<std::pair<const TheoremResult*, learn::Example>> learned_;
  std::vector<learn::GoalOutcome> outcomes_;
};

}  // namespace zermelo::engine
