/-! Divisibility and remainders, as in a first course on numbers. -/

theorem thirty_dvd (n : Int) : 30 ∣ n ^ 5 - n := by
  sorry

theorem forty_two_dvd (n : Int) : 42 ∣ n ^ 7 - n := by
  sorry

theorem five_consecutive (n : Int) : 120 ∣ n ^ 5 - 5 * n ^ 3 + 4 * n := by
  sorry

theorem legs_of_a_triangle (a b : Int) : 12 ∣ a * b * (a ^ 2 - b ^ 2) * 2 := by
  sorry

theorem common_divisor (d n : Nat) (h : d ∣ 2 * n + 1) (k : d ∣ n + 1) : d = 1 := by
  sorry

theorem common_divisor_of_two (d n : Nat) (h : d ∣ 3 * n + 5) (k : d ∣ n + 1) : d = 1 ∨ d = 2 := by
  sorry

theorem gcd_lcm (a b : Nat) (h : Nat.gcd a b = 6) (h2 : Nat.lcm a b = 60) (ha : a = 12) : b = 30 := by
  sorry

theorem last_digit_of_a_power : 3 ^ 1000001 % 10 = 3 := by
  sorry

theorem rounding_up (a b : Nat) (h : 0 < b) : a ≤ b * ((a + b - 1) / b) := by
  sorry

theorem three_factors (a b c : Nat) (h : a * b * c = 36) (hab : a < b) (hbc : b < c) (hs : a + b + c = 13) : c ≤ 9 := by
  sorry
