// What follows from a hypothesis by the rules of its inductive predicate alone.
#pragma once

#include <string>
#include <string_view>

#include "policy/heuristics/heuristics.h"

namespace zermelo::policy {

/// Whether a rule mentions a constructor more than once, as that of a loop which goes on.
bool Repeats(const syntax::FileConstant& predicate, std::string_view constructor);

/// A tactic that takes apart, as often as it can, every hypothesis `P (c x) y` where c is a
/// constructor among `names`, and every conjunction and `∃`. Leaves out constructors that
/// a rule repeats. Empty if there
/// is no such constructor.
std::string Inversion(const HeuristicInput& input, const syntax::NameSet& names);

}  // namespace zermelo::policy
