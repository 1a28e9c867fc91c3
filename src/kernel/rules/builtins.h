// Decides which shortcuts the checker may take: literals, and arithmetic on whole numbers.
#pragma once

#include "kernel/rules/type_checker.h"

namespace zermelo::kernel {

/// Fills `builtins`, which `checker` uses; its view shows everything. An operation must satisfy its
/// defining equations by reduction alone. A trusted one is assumed to be what its name says where
/// it has no such equations, or where a definition that it unfolds to is missing (ADR 17). Checks
/// nothing else: whether these declarations are well-typed is judged as for all others, and a
/// single bad one rejects them all.
///
/// Source: lean4lean, Primitive.lean; Lean itself takes the shortcuts by name.
void FindBuiltins(TypeChecker& checker, const KnownNames& known, Builtins* builtins);

}  // namespace zermelo::kernel
