// Facts that turn nonlinear arithmetic into linear: products of things that are not negative.
#pragma once

#include <string>
#include <vector>

#include "policy/interval.h"
#include "policy/view.h"

namespace zermelo::policy {

/// Lines `try have := …` for the products and powers in `props`, from the bounds in `box`. At most
/// `limit` lines; one whose bounds omega cannot prove does nothing.
std::vector<std::string> ProductHints(const std::vector<TermPtr>& props, const Box& box,
                                      const View& view, size_t limit);

/// One bound on a variable, `variable ≤ value` or `value ≤ variable`.
struct Bound {
  std::string variable;
  bool upper = true;
  int64_t value = 0;

  std::string Text() const;
};

/// Bounds on the Nat and Int variables that Lean can be expected to prove from `props`, in this
/// order: what omega sees, then what follows when the bound's negation is refuted by products of
/// lower bounds.
std::vector<Bound> ProvableBounds(const std::vector<TermPtr>& props, const View& view);

/// The box of some bounds.
Box BoxOf(const std::vector<Bound>& bounds);

/// Lines that prove `name : bound` by omega, by grind, or by contradiction: products of the bounds
/// that follow linearly from the negated bound, from `props` and from `proven` are given to omega
/// and grind.
std::string ProveBound(const std::string& name, const Bound& bound,
                       const std::vector<TermPtr>& props, const std::vector<Bound>& proven,
                       const View& view);

}  // namespace zermelo::policy
