// Facts that make nonlinear arithmetic linear: products of nonnegative terms.
#pragma once

#include <string>
#include <vector>

#include "policy/arith/arithmetic_goal.h"
#include "policy/arith/interval.h"

namespace zermelo::policy {

/// Lines `try have := …` for the products and powers in `props`, from the bounds in `box`. At most
/// `limit` lines; a line whose bounds omega cannot prove has no effect.
std::vector<std::string> ProductHints(const std::vector<TermPtr>& props, const Box& box,
                                      const ArithmeticGoal& arith, size_t limit);

/// One bound on a variable, `variable ≤ value` or `value ≤ variable`.
struct Bound {
  std::string variable;
  bool upper = true;
  int64_t value = 0;

  std::string Text() const;
};

/// Bounds on the Nat and Int variables that Lean can be expected to prove from `props`, in this
/// order: first those that omega finds, then those whose negation is refuted by products of lower
/// bounds.
std::vector<Bound> ProvableBounds(const std::vector<TermPtr>& props, const ArithmeticGoal& arith);

/// The box that the bounds describe.
Box BoxOf(const std::vector<Bound>& bounds);

/// Lines that prove `name : bound` by omega, by grind, or by contradiction: omega and grind are
/// given products of the bounds that follow linearly from the negated bound, `props` and `proven`.
std::string ProveBound(const std::string& name, const Bound& bound,
                       const std::vector<TermPtr>& props, const std::vector<Bound>& proven,
                       const ArithmeticGoal& arith);

}  // namespace zermelo::policy
