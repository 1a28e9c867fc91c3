-- Numbers.
theorem n1 (n : Nat) : n * (n + 1) % 2 = 0 := by
  sorry

theorem n2 (n : Nat) (h : n % 4 = 3) : n ^ 2 % 8 = 1 := by
  sorry

theorem n3 (a b : Int) (h : a + b = 10) (h' : a - b = 4) : a * b = 21 := by
  sorry

theorem n4 (x : Int) (h : x * x = 49) : x = 7 ∨ x = -7 := by
  sorry

theorem n5 (a b c : Int) : a * a + b * b + c * c ≥ a * b + b * c + c * a := by
  sorry

theorem n6 (n : Nat) (h : 0 < n) : ∃ m, n = m + 1 := by
  sorry

theorem n7 (a b : Nat) (h : a ∣ b) (hb : 0 < b) : a ≤ b := by
  sorry

theorem n8 (a b c : Nat) (h : a ∣ b) (h' : a ∣ c) : a ∣ 3 * b + 5 * c := by
  sorry

theorem n9 : ∃ x y : Nat, x ^ 2 + y ^ 2 = 65 ∧ x < y := by
  sorry

theorem n10 (n : Nat) : 6 ∣ n * (n + 1) * (2 * n + 1) := by
  sorry

theorem n11 (p : Nat) (h : p % 2 = 1) : ∃ k, p ^ 2 = 8 * k + 1 := by
  sorry

theorem n12 (x y : Int) (h : 3 * x + 5 * y = 1) : ∃ t, x = 2 + 5 * t ∧ y = -1 - 3 * t := by
  sorry

theorem n13 (a b : Nat) (h : a * b = 1) : a = 1 ∧ b = 1 := by
  sorry

theorem n14 (m n : Nat) (h : m * m < n * n) : m < n := by
  sorry

theorem n15 (n : Nat) (h : 4 ≤ n) : n ^ 2 ≤ 2 ^ n := by
  sorry

theorem n16 : ¬ ∃ n : Nat, n * n = 7 := by
  sorry

theorem n17 (x y : Int) : (x + y) ^ 3 = x ^ 3 + 3 * x ^ 2 * y + 3 * x * y ^ 2 + y ^ 3 := by
  sorry

theorem n18 (a b : Nat) : Nat.gcd a b = Nat.gcd b (a + b) := by
  sorry

theorem n19 (n : Nat) : (7 ^ n - 1) % 6 = 0 := by
  sorry

theorem n20 (a b c d : Nat) (h : a ≤ b) (h' : c ≤ d) : a * c ≤ b * d := by
  sorry
