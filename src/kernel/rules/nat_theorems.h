// Operations on natural numbers whose definitions say nothing by reduction alone: theorems of an
// import say what they are.
#pragma once

#include "kernel/rules/type_checker.h"

namespace zermelo::kernel {

/// Whether a trusted import proves what determines `operation`, one of Nat.div, mod, gcd, land,
/// lor and xor (ADR 17); `builtins` has the operations before it. Its type must have been
/// compared, and the view show the import.
///
/// Nat.div and Nat.mod are the only functions with
///   y * (x / y) + x % y = x,  0 < y → x % y < y,  x / 0 = 0,  x % 0 = x;
/// Nat.gcd with gcd 0 y = y and gcd x y = gcd (y % x) x, by induction over x; and a bitwise ∘ with
///   0 ∘ x and x ∘ 0 (0 or x),  x ∘ x (0 or x),
///   (x ∘ y) / 2 = x / 2 ∘ y / 2,  (x ∘ y) % 2 ^ n = x % 2 ^ n ∘ y % 2 ^ n,
/// by induction over both arguments: the last with n = 1 gives the lowest bit, from the first
/// three.
///
/// Sources: the theorems KnownNames::nat_theorems of Lean's library. (lean4lean, Primitive.lean,
/// compares definitions of one version instead.)
bool IsDeterminedByTheorems(TypeChecker& checker, const KnownNames& known, const Builtins& builtins,
                            NatOperation operation);

}  // namespace zermelo::kernel
