// Whether a statement elaborates on the Lean at hand.
#pragma once

#include <string>

#include "core/async.h"
#include "core/error.h"
#include "eval/problem.h"
#include "lean/pool.h"

namespace zermelo::eval {

struct StatementCheck {
  bool elaborates = false;
  std::string why;  // not: the first error, with its line in the problem's text, and what to do
  double seconds = 0;
};

/// Elaborates the problem with `sorry` for its proof. It must have no error, and Lean must say that
/// the theorem uses `sorry`. Errors: kEnvironment (no Lean that starts), kCancelled. A statement on
/// which Lean crashes or takes longer than `limit` does not elaborate.
core::Task<core::Result<StatementCheck>> CheckStatement(lean::Pool& pool, const Problem& problem,
                                                        core::Duration limit);

}  // namespace zermelo::eval
