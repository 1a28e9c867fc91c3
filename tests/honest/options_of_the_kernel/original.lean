theorem t (a b : Nat) : a + b = b + a := by
  sorry

theorem u : 1 + 1 = 2 := by
  sorry
