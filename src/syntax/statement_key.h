// Recognizes a statement under other names: the test for decontamination (DeepSeek-Prover-V1.5,
// A.1) and for duplicates.
//
// Pure functions; any bytes are accepted.
#pragma once

#include <string>
#include <string_view>

#include "syntax/goal/goal.h"

namespace zermelo::syntax {

/// A text that is equal for signatures ("(x : A) : p", Theorem::signature) that differ only
/// in the names of bound variables and hypotheses, in how these are bound (`(x y : A) : p`,
/// `∀ x y : A, p`; `(h : p) : q`, `p → q`), in notation for the number types (`ℕ`, `Nat`), or in
/// blanks and comments. Different statements have different keys, except that instances and
/// implicit arguments count as ordinary ones.
std::string StatementKey(std::string_view signature);

/// The same of a theorem's first goal, which also has the variables of its section and is written
/// in one way, however the theorem was. Equal also for goals that differ in universe levels or in
/// how much of a constant's namespace is printed, which depends on what is open.
std::string GoalKey(const Goal& goal);

}  // namespace zermelo::syntax
