-- Inequalities and squares.
theorem s1 (x y : Int) : 5 * x ^ 2 + 2 * y ^ 2 ≥ 6 * x * y := by
  sorry

theorem s2 (x y z : Rat) : x ^ 2 + y ^ 2 + z ^ 2 + 3 ≥ 2 * x + 2 * y + 2 * z := by
  sorry

theorem s3 (a b : Nat) : 2 * a * b ≤ a ^ 2 + b ^ 2 := by
  sorry

theorem s4 (a b : Nat) (h : a ^ 3 = b ^ 3) : a = b := by
  sorry

theorem s5 (x y : Int) (h : x ^ 2 + 4 * y ^ 2 ≤ 4 * x * y) : x = 2 * y := by
  sorry

theorem s6 (x : Int) (h : x ^ 2 + 2 * x + 5 ≤ 0) : False := by
  sorry

theorem s7 (a b c : Int) : (a + b + c) ^ 2 ≤ 3 * (a ^ 2 + b ^ 2 + c ^ 2) := by
  sorry
