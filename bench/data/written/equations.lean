-- Equations, divisibility, powers, sequences.
theorem j1 (a b c : Int) (h : a < b) (hc : 0 < c) : a * c < b * c := by
  sorry

theorem j2 (a b : Int) (h : a * b < 0) : (a < 0 ∧ 0 < b) ∨ (0 < a ∧ b < 0) := by
  sorry

theorem j3 (x y : Int) (h : x * y = 0) (hx : x ≠ 0) : y = 0 := by
  sorry

theorem j4 (n : Nat) (h : n % 5 = 1 ∨ n % 5 = 4) : n ^ 2 % 5 = 1 := by
  sorry

theorem j5 (n : Int) (h : n ^ 2 % 3 = 0) : n % 3 = 0 := by
  sorry

theorem j6 (a b c : Int) (h : a ^ 2 + b ^ 2 = c ^ 2) : (a * b) % 2 = 0 := by
  sorry

theorem j7 (x : Int) (h : x ^ 3 = 8) : x = 2 := by
  sorry

theorem j8 (x y : Nat) (h : 3 * x + 4 * y = 17) (h' : x < 4) : x = 3 ∧ y = 2 := by
  sorry

theorem j9 (x y : Int) (h1 : 2 * x + y = 7) (h2 : x - y = 2) : x = 3 ∧ y = 1 := by
  sorry

theorem j10 (a b : Nat) (h : Nat.gcd a b = 1) (h' : a ∣ b) : a = 1 := by
  sorry

theorem j11 (n : Nat) : n < 2 ^ n := by
  sorry

theorem j12 (n : Nat) : 3 ^ n ≥ 2 * n + 1 := by
  sorry

theorem j13 (n : Nat) : 5 ∣ 6 ^ n - 1 := by
  sorry

theorem j14 (n : Nat) : 9 ∣ 10 ^ n - 1 := by
  sorry

theorem j15 (s : Nat → Nat) (h0 : s 0 = 0) (h : ∀ n, s (n + 1) = s n + (n + 1)) (n : Nat) : 2 * s n = n * (n + 1) := by
  sorry

theorem j16 (s : Nat → Nat) (h0 : s 0 = 0) (h : ∀ n, s (n + 1) = s n + (2 * n + 1)) (n : Nat) : s n = n ^ 2 := by
  sorry

theorem j17 (a : Nat → Nat) (h0 : a 0 = 1) (h : ∀ n, a (n + 1) = 2 * a n + 1) (n : Nat) : a n + 1 = 2 ^ (n + 1) := by
  sorry

theorem j18 (x y : Int) (h : x ^ 2 + y ^ 2 = 25) (hx : 0 < x) (hy : 0 < y) (hxy : x < y) : x = 3 ∧ y = 4 := by
  sorry

theorem j19 (a b : Int) : (a - b) * (a + b) = a ^ 2 - b ^ 2 := by
  sorry

theorem j20 (a b c d : Int) : (a ^ 2 + b ^ 2) * (c ^ 2 + d ^ 2) = (a * c - b * d) ^ 2 + (a * d + b * c) ^ 2 := by
  sorry

theorem j21 (a b c d : Int) : (a * c + b * d) ^ 2 ≤ (a ^ 2 + b ^ 2) * (c ^ 2 + d ^ 2) := by
  sorry

theorem j22 (n : Nat) (h : 1 < n) : ¬ n ∣ n + 1 := by
  sorry

theorem j23 (p : Nat) (h : 2 < p) (hp : ∀ m, m ∣ p → m = 1 ∨ m = p) : p % 2 = 1 := by
  sorry

theorem j24 (a b n : Nat) (h : a ∣ n) (h' : b ∣ n) : Nat.lcm a b ∣ n := by
  sorry

theorem j25 (x : Int) : ∃ y, y ^ 2 ≥ x := by
  sorry

theorem j26 (x : Nat) : ∃ y, x < y ∧ y % 2 = 0 := by
  sorry

theorem j27 (a b : Nat) : max a b + min a b = a + b := by
  sorry

theorem j28 (a b c : Int) (ha : 0 ≤ a) (h : b ≤ c) : a * b ≤ a * c := by
  sorry

theorem j29 (n : Nat) (h : n ^ 2 < 10) : n ≤ 3 := by
  sorry

theorem j30 (m n : Nat) (h : m ^ 2 + n ^ 2 = 2 * m * n) : m = n := by
  sorry

theorem r1 (x : Int) (h : x ^ 2 - 5 * x + 6 = 0) : x = 2 ∨ x = 3 := by
  sorry

theorem r2 (x : Int) (h : x ^ 3 - 6 * x ^ 2 + 11 * x - 6 = 0) : 0 < x ∧ x < 4 := by
  sorry

theorem r3 (x : Int) (h : x ^ 4 = 16) (hx : 0 < x) : x = 2 := by
  sorry

theorem r4 (n : Nat) (h : n ^ 2 % 5 = 1) : n % 5 = 1 ∨ n % 5 = 4 := by
  sorry

theorem difference_of_squares (x y : Int) (h : x ^ 2 - y ^ 2 = 51) (hy : 0 < y) (hx : y < x) : x = 10 ∨ x = 26 := by sorry

theorem rectangle (x y : Int) (h : 2 * x * y + 3 * x - 5 * y = 9) (hx : 0 < x) : x ≤ 4 := by sorry

theorem completed_square (m n : Nat) (h : m ^ 2 = n ^ 2 + 6 * n + 24) (hn : 0 < n) : m = 8 ∧ n = 4 := by sorry

theorem shifted_product (x y : Nat) (h : x * y + 7 * x = 10 * y + 170) (hy : 0 < y) : x ≤ 20 := by sorry
