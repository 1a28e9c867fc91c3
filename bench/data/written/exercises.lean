/-! Textbook exercises in number theory and inequalities, without Mathlib. -/
theorem d1 (n : Nat) : 3 ∣ n ^ 3 + 2 * n := by sorry
theorem d2 (n : Nat) (h : n % 2 = 1) : n ^ 2 % 8 = 1 := by sorry
theorem d3 (a b : Nat) (h : a ∣ b) (k : b ∣ a) : a = b := by sorry
theorem d4 (a b c : Nat) (h : a ∣ b) (k : a ∣ c) : a ∣ 3 * b + 5 * c := by sorry
theorem d5 (n : Nat) : n < 2 ^ n := by sorry
theorem d6 (n : Nat) (h : 4 ≤ n) : n ^ 2 ≤ 2 ^ n := by sorry
theorem d7 (x y : Int) (h : x + y = 10) (k : x - y = 4) : x * y = 21 := by sorry
theorem d8 (x y z : Int) : x ^ 2 + y ^ 2 + z ^ 2 ≥ x * y + y * z + z * x := by sorry
theorem d9 (n : Int) : ¬ n ^ 2 % 4 = 2 := by sorry
theorem d10 (n : Int) : ¬ n ^ 2 % 5 = 3 := by sorry
theorem d11 (a b : Int) (h : a ^ 2 = b ^ 2) : a = b ∨ a = -b := by sorry
theorem d12 (n : Nat) : (n + 1) * (n + 2) % 2 = 0 := by sorry
theorem d13 (n : Nat) (h : 0 < n) : Nat.gcd n (n + 1) = 1 := by sorry
theorem d14 (n : Nat) : Nat.gcd (2 * n + 1) (3 * n + 1) = 1 := by sorry
theorem d15 (a b m : Nat) (h : a % m = b % m) : (a ^ 2) % m = (b ^ 2) % m := by sorry
theorem d16 (n : Nat) : 7 ∣ 2 ^ (3 * n) + 6 := by sorry
theorem d17 (n : Nat) : 2 ^ (2 * n) % 3 = 1 := by sorry
theorem d18 (x : Rat) (h : 2 * x + 3 = 7) : x = 2 := by sorry
theorem d19 (x y : Rat) (h : x + y = 5) (k : x * y = 6) : x ^ 2 + y ^ 2 = 13 := by sorry
theorem d20 (x : Rat) (h : 0 < x) : x + 1 / x ≥ 2 := by sorry
theorem d21 (x y : Rat) (hx : 0 < x) (hy : 0 < y) (h : x ≤ y) : 1 / y ≤ 1 / x := by sorry
theorem d22 (a b c : Rat) (h : a < b) (k : 0 < c) : a * c < b * c := by sorry
theorem d23 (n : Nat) (h : n ∣ 12) : n ≤ 12 := by sorry
theorem d24 : ∃ x y : Int, 17 * x + 5 * y = 1 := by sorry
theorem d25 : ¬ ∃ x : Int, 2 * x = 7 := by sorry
theorem d26 (x : Int) (h : x ^ 2 - 5 * x + 6 = 0) : x = 2 ∨ x = 3 := by sorry
theorem d27 (x y : Nat) (h : x * y = 7) : x = 1 ∨ x = 7 := by sorry
theorem d28 (a b c : Int) (h : a + b + c = 0) : a ^ 3 + b ^ 3 + c ^ 3 = 3 * a * b * c := by sorry
theorem d29 (n : Nat) : ∃ m, m > n ∧ m % 3 = 1 := by sorry
theorem d30 (x y : Int) (h : x ^ 2 + y ^ 2 = 0) : x = 0 ∧ y = 0 := by sorry
theorem d31 (n : Nat) (h : n ≤ 20) (k : n ^ 2 = 169) : n = 13 := by sorry
theorem d32 (f : Nat → Nat) (h0 : f 0 = 1) (h : ∀ n, f (n + 1) = 2 * f n) (n : Nat) : f n = 2 ^ n := by sorry
theorem d33 (f : Nat → Nat) (h : ∀ n, f n < f (n + 1)) (n : Nat) : n ≤ f n := by sorry
theorem d34 (f : Int → Int) (h : ∀ x y, f (x + y) = f x + f y) : f 0 = 0 := by sorry
theorem d35 (f : Int → Int) (h : ∀ x y, f (x + y) = f x + f y) (x : Int) : f (-x) = -f x := by sorry
theorem d36 (f : Int → Int) (h : ∀ x y, f (x + y) = f x + f y) (n : Nat) (x : Int) : f (n * x) = n * f x := by sorry
theorem d37 (a b : Nat) (h : a * b = a) (k : 0 < a) : b = 1 := by sorry
theorem d38 (a b : Int) (h : 2 * a + 3 * b = 0) : 3 ∣ a := by sorry
theorem d39 (p : Nat → Prop) (h0 : p 0) (h1 : p 1) (h : ∀ n, p n → p (n + 2)) (n : Nat) : p n := by sorry
theorem d40 (n : Nat) (h : n % 6 = 5) : n % 2 = 1 ∧ n % 3 = 2 := by sorry
