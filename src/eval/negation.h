// The negation of a problem, for `zermelo eval --or-disprove`.
#pragma once

#include "core/error.h"
#include "eval/problem.h"

namespace zermelo::eval {

/// The problem whose statement is the negation (syntax::NegationOf) of the given one, at the same
/// place in the same text. A proof of it shows that the given statement is false. Errors: as
/// syntax::NegationOf.
core::Result<Problem> NegationOf(const Problem& problem);

}  // namespace zermelo::eval
