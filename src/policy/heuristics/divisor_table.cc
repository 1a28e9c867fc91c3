#include "policy/heuristics/divisor_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace zermelo::policy {

Divisors DivisorsOf(int64_t number) {
  Divisors divisors;
  divisors.number = number;
  while ((divisors.root + 1) * (divisors.root + 1) <= number) ++divisors.root;
  for (int64_t d = 1; d <= number; ++d) {
    if (number % d != 0) continue;
    divisors.all.push_back(std::to_string(d));
    if (d <= divisors.root) divisors.small.push_back(std::to_string(d));
  }
  return divisors;
}

std::string Repeated(const std::string& pattern, size_t count) {
  return fmt::format("{}", fmt::join(std::vector<std::string>(count, pattern), " | "));
}

std::string AllDivisors(const Divisors& divisors) {
  return fmt::format(
      "have hsmall : ∀ d ≤ {1}, d ∣ {0} → d ∈ [{3}] := by decide\n"
      "have hdiv : ∀ d w : Nat, d * w = {0} → d ∈ [{4}] := by\n"
      "  intro d w hp\n"
      "  have hroot : d ≤ {1} ∨ w ≤ {1} := by\n"
      "    refine Decidable.byContradiction fun hn => ?_\n"
      "    have := Nat.mul_le_mul (show {2} ≤ d by omega) (show {2} ≤ w by omega)\n"
      "    omega\n"
      "  simp only [List.mem_cons, List.not_mem_nil, or_false] at hsmall ⊢\n"
      "  rcases hroot with hroot | hroot\n"
      "  · have := hsmall d hroot ⟨w, hp.symm⟩\n"
      "    omega\n"
      "  · rcases hsmall w hroot ⟨d, by grind⟩ with {5} <;> omega\n"
      "clear hsmall\n",
      divisors.number, divisors.root, divisors.root + 1, fmt::join(divisors.small, ", "),
      fmt::join(divisors.all, ", "), Repeated("rfl", divisors.small.size()));
}

}  // namespace zermelo::policy
