// Recurrences among the hypotheses of a goal.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "policy/arith/arithmetic_goal.h"

namespace zermelo::policy {

/// ∀ n ≥ from, f (n + shift) = right
struct Recurrence {
  std::string proof;
  std::string function;
  std::string variable;
  int64_t from = 0;
  bool guarded = false;  // needs a proof of the bound
  int64_t shift = 0;
  TermPtr right;
};

/// Reads `∀ n, f (n + 2) = …`, `∀ n ≥ 3, f n = …`, `∀ n, 0 < n → f (n + 1) = …`.
std::optional<Recurrence> ReadRecurrence(const Fact& fact);

/// The domain of the values of a function variable such as `x : Nat → Int`; kOther for other
/// variables.
Domain RangeOf(const std::string& function, const ArithmeticGoal& arith);

/// True if the residues of the right sides follow from the residues of the values.
bool RespectResidues(const std::vector<Recurrence>& recurrences, const ArithmeticGoal& arith);

/// The values up to index `last` that follow from the recurrences and from equations like `x 1 =
/// 211`; their residues if `modulus` is not 0.
Assignment ComputeValues(const std::vector<Recurrence>& recurrences, const ArithmeticGoal& arith,
                         int64_t modulus, int64_t last);

}  // namespace zermelo::policy
