// Checks whether a statement elaborates on a given Lean.
#pragma once

#include <string>

#include "core/async.h"
#include "core/error.h"
#include "eval/problem.h"
#include "lean/pool.h"

namespace zermelo::eval {

struct StatementCheck {
  bool elaborates = false;
  bool crashed = false;  // Lean did, so that nothing is known about the statement
  std::string why;       // if not: the first error with its line in the problem's text, and a hint
  double seconds = 0;
};

/// Elaborates the problem with `sorry` as its proof. It must have no errors, and Lean must report
/// that the theorem uses `sorry`. If Lean takes longer than `limit`, the statement does not
/// elaborate. Errors: kEnvironment (Lean does not start), kCancelled.
core::Task<core::Result<StatementCheck>> CheckStatement(lean::Pool& pool, const Problem& problem,
                                                        core::Duration limit);

}  // namespace zermelo::eval
