// The divisors of a number, and proofs that there are no others.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace zermelo::policy {

struct Divisors {
  int64_t number = 1;
  int64_t root = 0;                     // of the number, rounded down
  std::vector<std::string> small, all;  // the divisors up to the root, and all divisors
};

/// Of a positive number; takes as many steps as the number is great.
Divisors DivisorsOf(int64_t number);

/// Lines of a proof: "have hdiv : ∀ d w : Nat, d * w = 2001 → d ∈ [1, 3, …]". d or w is at most the
/// root, so that few numbers have to be tried.
std::string AllDivisors(const Divisors& divisors);

/// "rfl | rfl | rfl".
std::string Repeated(const std::string& pattern, size_t count);

}  // namespace zermelo::policy
