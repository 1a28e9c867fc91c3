-- Inequalities with powers, by induction on the exponent.

theorem bernoulli (x n : Nat) : 1 + n * x ≤ (1 + x) ^ n := by sorry

theorem bernoulli_int (x : Int) (n : Nat) (h : -1 ≤ x) : 1 + (n : Int) * x ≤ (1 + x) ^ n := by sorry

theorem bernoulli_rat (x : Rat) (n : Nat) (h : -1 ≤ x) : 1 + (n : Rat) * x ≤ (1 + x) ^ n := by sorry

theorem one_le_power (a : Rat) (n : Nat) (h : 1 ≤ a) : 1 ≤ a ^ n := by sorry

theorem power_le_one (a : Rat) (n : Nat) (h : 0 ≤ a) (h1 : a ≤ 1) : a ^ n ≤ 1 := by sorry

theorem power_mono (a b : Int) (n : Nat) (h : 0 ≤ a) (hb : a ≤ b) : a ^ n ≤ b ^ n := by sorry

theorem power_strict_mono (a b : Rat) (n : Nat) (h : 0 ≤ a) (hb : a < b) (hn : 0 < n) : a ^ n < b ^ n := by sorry

theorem lt_two_power (n : Nat) : (n : Rat) < 2 ^ n := by sorry

theorem square_le_two_power (n : Nat) (h : 4 ≤ n) : (n : Rat) ^ 2 ≤ 2 ^ n := by sorry

theorem cube_lt_two_power (n : Nat) (h : 9 < n) : n ^ 3 < 2 ^ n := by sorry

theorem succ_le_power (x : Int) (n : Nat) (h : x ≥ 2) : x ^ n ≥ n + 1 := by sorry

theorem sum_of_powers (n : Nat) (h : 1 ≤ n) : 2 ^ n + 3 ^ n ≤ 5 ^ n := by sorry

theorem n_halves (n : Nat) : (n : Rat) * (1 / 2) ^ n ≤ 1 := by sorry

theorem next_power_le (x : Rat) (n : Nat) (h : 0 < x) (h1 : x < 1) : x ^ (n + 1) ≤ x := by sorry
