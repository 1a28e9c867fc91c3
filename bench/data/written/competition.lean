-- In the manner of competitions.
theorem g1 (x y : Int) (h : x + y = 5) (h' : x * y = 6) : x ^ 2 + y ^ 2 = 13 := by
  sorry

theorem g2 (n : Nat) (h : n % 10 = 7) : n ^ 2 % 10 = 9 := by
  sorry

theorem g3 (a b c : Nat) (h : a + b + c = 30) (hab : a = 2 * b) (hc : c = 3 * b) : a * b * c = 750 := by
  sorry

theorem g4 (x : Int) : x ^ 2 - 4 * x + 4 ≥ 0 := by
  sorry

theorem g5 (x y : Int) (hx : 0 ≤ x) (hy : 0 ≤ y) (h : x + y = 2) : x * y ≤ 1 := by
  sorry

theorem g6 (n : Nat) (h : n ∣ 24) (h' : n ∣ 36) : n ∣ 12 := by
  sorry

theorem g7 : (2 ^ 100) % 7 = 2 := by
  sorry

theorem g8 (n : Nat) : 3 ∣ n ^ 3 + 2 * n := by
  sorry

theorem g9 (p q : Int) (h : p ^ 2 = 2 * q ^ 2) (hp : p % 2 = 1) : False := by
  sorry

theorem g10 (a b : Int) (h : a ^ 2 + b ^ 2 = 0) : a = 0 ∧ b = 0 := by
  sorry

theorem g11 (x y z : Int) (h : x < y) (h' : y < z) (hz : z < x + 3) : y = x + 1 ∧ z = x + 2 := by
  sorry

theorem g12 (n : Nat) (hn : 2 ≤ n) : n ^ 2 + 1 < n ^ 3 := by
  sorry

theorem g13 (a b n : Nat) (h : a % n = b % n) : (a * a) % n = (b * b) % n := by
  sorry

theorem g14 (f : Int → Int) (h : ∀ x y, f (x + y) = f x + f y) : f 0 = 0 := by
  sorry

theorem g15 (f : Int → Int) (h : ∀ x y, f (x + y) = f x + f y) (x : Int) : f (-x) = - f x := by
  sorry

theorem g16 (f : Nat → Nat) (h1 : f 1 = 2) (h : ∀ n, f (n + 1) = 3 * f n) : f 5 = 162 := by
  sorry

theorem g17 (a b c d : Int) (h : a * d = b * c) (hb : b ≠ 0) (hd : d ≠ 0) : (a + b) * d = (c + d) * b := by
  sorry

theorem g18 (x y : Nat) (h : x ^ 2 = y ^ 2) : x = y := by
  sorry

theorem g19 (n : Nat) (h : ∃ k, n = 2 * k + 1) : ∃ m, n * n = 2 * m + 1 := by
  sorry

theorem g20 (a b : Int) (ha : ∃ k, a = 2 * k + 1) (hb : ∃ k, b = 2 * k + 1) : ∃ k, a + b = 2 * k := by
  sorry

theorem g21 (m n : Int) (hm : ∃ k, m = 2 * k) : ∃ k, m * n = 2 * k := by
  sorry

theorem g22 (x : Int) (h : 2 * x + 3 = 11) : x ^ 2 - x = 12 := by
  sorry

theorem g23 (a b c : Int) (h : a + b + c = 0) : a ^ 3 + b ^ 3 + c ^ 3 = 3 * a * b * c := by
  sorry

theorem g24 (n : Nat) : (n + 1) ^ 2 - n ^ 2 = 2 * n + 1 := by
  sorry

theorem g25 (x y : Int) (h : (x - 3) ^ 2 + (y + 2) ^ 2 = 0) : x + y = 1 := by
  sorry

theorem g26 (a b : Nat) (h : a < b) (k : Nat) (hk : 0 < k) : a * k < b * k := by
  sorry

theorem g27 (n : Nat) (h : n * n ≤ 50) : n ≤ 7 := by
  sorry

theorem g28 (a b c : Nat) (h : c = Nat.gcd a b) : c ∣ a + b := by
  sorry

theorem g29 (n : Nat) : n ^ 2 % 4 = 0 ∨ n ^ 2 % 4 = 1 := by
  sorry

theorem g30 (x y : Int) : x * y ≤ (x * x + y * y) / 2 := by
  sorry

theorem g28b (a b : Nat) : Nat.gcd a b ∣ 2 * a + b := by
  sorry

theorem g28c (a b c : Nat) (h : Nat.gcd a b = c) : c ∣ a * b := by
  sorry
