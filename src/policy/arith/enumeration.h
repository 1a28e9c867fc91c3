// Look-ahead: the work that `decide` would do on bounded integers, done here first.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "policy/arith/arithmetic_goal.h"
#include "policy/arith/interval.h"

namespace zermelo::policy {

inline bool Contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// A hypothesis that `decide` can evaluate as a whole.
struct ComputableHypothesis {
  std::string name;
  std::vector<TermPtr> props;
  std::vector<std::string> variables;
};

std::vector<ComputableHypothesis> ComputableHypotheses(const ArithmeticGoal& arith);

/// Enumerates the values of variables in a box and evaluates each hypothesis as soon as its
/// variables have values. The goal, the box and the hypotheses must outlive it.
class Enumeration {
 public:
  Enumeration(const ArithmeticGoal& arith, const Box& box, std::vector<std::string> order,
              const std::vector<ComputableHypothesis>& hypotheses);

  /// The number of evaluations; nothing if the claim fails somewhere or cannot be computed, or
  /// after more than 400,000 evaluations.
  std::optional<int> Count(const Term& target);

  const std::vector<std::string>& order() const { return order_; }
  const std::vector<const ComputableHypothesis*>& HypothesesAt(size_t level) const {
    return levels_[level];
  }

 private:
  bool Descend(size_t level, const Term& target, Assignment* assignment);

  const ArithmeticGoal& goal_;
  const Box& box_;
  std::vector<std::string> order_;
  std::vector<std::vector<const ComputableHypothesis*>> levels_;
  int evaluations_ = 0;
};

}  // namespace zermelo::policy
