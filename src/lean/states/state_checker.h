// A checker that refuses proofs by their states, and asks workers about all others.
#pragma once

#include "lean/checker.h"
#include "lean/states/tactic_runner.h"

namespace zermelo::lean {

/// Proofs whose tactics the request names (CheckRequest::tactics) are run from the state of their
/// hole, so that tactics they have in common are elaborated once. Only refusals come from there:
/// an error that Lean reports while it runs the tactics, or goals that are left. Workers decide
/// about proofs without such an error, and about all that the states do not settle (syntax errors,
/// a tactic that gives up after an error it has reported, a place without a state).
class StateChecker : public Checker {
 public:
  /// Both must outlive it.
  StateChecker(Checker& workers, StateRunner& states) : workers_(workers), states_(states) {}

  core::Task<core::Result<CheckResult>> Check(CheckRequest request) override;
  size_t size() const override { return workers_.size(); }
  uint64_t checks() const override { return workers_.checks() + refused_; }
  /// Of the checks, those that no worker was asked about.
  uint64_t refused() const { return refused_; }

 private:
  Checker& workers_;
  StateRunner& states_;
  uint64_t refused_ = 0;
};

}  // namespace zermelo::lean
