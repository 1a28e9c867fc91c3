theorem t (a b : Nat) (h : a = b) : b = a := by sorry

theorem u (n : Nat) (h : 0 < n) : n / n + 0 = 1 := by sorry
