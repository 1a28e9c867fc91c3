// The metavariables `?x` of goals as Lean prints them.
#pragma once

#include <string>

namespace zermelo::syntax {

/// Whether a goal contains a metavariable.
bool HasMetavariable(const std::string& goal);

/// Whether `after` is `before` with some term for each metavariable. Both with single blanks.
bool MayHaveBecome(const std::string& before, const std::string& after);

}  // namespace zermelo::syntax
