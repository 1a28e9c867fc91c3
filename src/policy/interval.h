// Bounds on the variables of a goal, by propagation of intervals through its hypotheses. They
// guide the search only: Lean must prove each that is used.
#pragma once

#include <limits>
#include <map>
#include <string>
#include <vector>

#include "policy/view.h"

namespace zermelo::policy {

struct Interval {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();

  bool IsBounded() const { return low > -1e15 && high < 1e15; }
  double Size() const { return high - low + 1; }
  bool operator==(const Interval&) const = default;
};

using Box = std::map<std::string, Interval, std::less<>>;

/// The box of the Nat and Int variables that `props` (and ℕ ≥ 0) allow. Bounded work.
Box FindBounds(const std::vector<TermPtr>& props, const View& view);

/// What a term can be in the box, read in `domain`.
Interval Evaluate(const Term& term, const Box& box, const View& view, Domain domain);

/// True if one of `props` fails everywhere in the box, as plain interval evaluation sees it.
bool IsImpossible(const std::vector<TermPtr>& props, const Box& box, const View& view);

}  // namespace zermelo::policy
