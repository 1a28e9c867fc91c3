// Witnesses in terms of the numbers of a goal: forms that are right for all small values of these
// numbers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "policy/arith/arithmetic_goal.h"
#include "policy/arith/term.h"

namespace zermelo::policy {

/// `∃ x y z` with its body; a bound such as `> n` becomes a part of the proof.
struct Existential {
  std::vector<std::string> names;
  std::vector<std::string> types;
  const Term* body = nullptr;
  bool has_bounds = false;
};

/// The quantifiers at the beginning of a target, up to the first with a bound. `type`: of names
/// whose type is not printed. The target must outlive the result.
Existential Open(const Term& target, const std::string& type);

/// The n-th of 0, 1, -1, 2, -2, …
constexpr int64_t Alternating(int64_t n) { return n % 2 == 0 ? -(n / 2) : (n + 1) / 2; }

/// What to write for one or two witnesses if the target mentions one or two numbers, such as
/// "3 * n + 1", the simplest first; for `n = 3 * x + 5 * y`, also "(n - 5 * (2 * n % 3)) / 3, 2 * n
/// % 3". At most three; none is proved.
std::vector<std::string> FittingWitnesses(const Existential& open, const ArithmeticGoal& arith);

}  // namespace zermelo::policy
