// Bounds on the variables of a goal, by propagating intervals through its hypotheses. They only
// guide the search: Lean must prove each bound that is used.
#pragma once

#include <limits>
#include <map>
#include <string>
#include <vector>

#include "policy/arith/arithmetic_goal.h"

namespace zermelo::policy {

struct Interval {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();

  bool IsBounded() const { return low > -1e15 && high < 1e15; }
  double Size() const { return high - low + 1; }
  bool operator==(const Interval&) const = default;
};

using Box = std::map<std::string, Interval, std::less<>>;

/// The bounds on the Nat and Int variables that follow from `props` and ℕ ≥ 0. Bounded work.
Box FindBounds(const std::vector<TermPtr>& props, const ArithmeticGoal& arith);

/// The range of the values of a term in the box; the term is read in `domain`.
Interval Evaluate(const Term& term, const Box& box, const ArithmeticGoal& arith, Domain domain);

/// True if interval evaluation shows that one of `props` fails everywhere in the box.
bool IsImpossible(const std::vector<TermPtr>& props, const Box& box, const ArithmeticGoal& arith);

}  // namespace zermelo::policy
