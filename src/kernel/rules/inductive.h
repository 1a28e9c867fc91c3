// Inductive types: the rules for declaring them, and the recursors that Lean generates for them.
#pragma once

#include <span>

#include "kernel/declaration.h"
#include "kernel/rules/type_checker.h"

namespace zermelo::kernel {

/// Checks a block of mutually inductive types. `members`: the types, and all constructors and
/// recursors that claim to belong to one of them. Throws Refusal unless each is what Lean would
/// have declared: types, counts, flags, rules. The view must show what precedes the block.
///
/// Sources: lean4lean, Inductive/Add.lean; for nested types lean4#14577, #14582, #14607, #14616 and
/// #14621; for recursors #14608, #14613 and #14808.
void CheckInductive(TypeChecker& checker, std::span<const Declaration* const> members);

/// The types of the quotient's constants. Source: lean4lean, Quot.lean.
void CheckQuotient(TypeChecker& checker, const Declaration& declaration, bool eq_is_usual);

}  // namespace zermelo::kernel
