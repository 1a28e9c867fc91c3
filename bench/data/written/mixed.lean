-- Divisibility, witnesses, lists.
theorem m1 (xs : List Nat) : xs.reverse.length = xs.length := by
  sorry

theorem m2 {α : Type} (xs : List α) : xs.reverse.reverse = xs := by
  sorry

theorem m3 (a b c : Int) (h : a ∣ b + c) (h' : a ∣ b) : a ∣ c := by
  sorry

theorem m4 (m a b c d : Int) (h : m ∣ a - b) (h' : m ∣ c - d) : m ∣ a * c - b * d := by
  sorry

theorem m5 (n : Nat) (h : n % 3 = 2) : ∃ k, n ^ 2 = 3 * k + 1 := by
  sorry

theorem m6 (x y : Int) (h : 2 * x + 3 * y = 7) : ∃ t : Int, x = 2 + 3 * t ∧ y = 1 - 2 * t := by
  sorry

theorem m7 (a b : Nat) (h : a ∣ b) : a ∣ b * b + 3 * a := by
  sorry

theorem m8 (n : Int) : ∃ a b, n = a + b ∧ a = 2 * n := by
  sorry
