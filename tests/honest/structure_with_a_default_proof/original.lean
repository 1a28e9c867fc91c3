theorem t (n : Nat) (h : n < 10) : n * n < 100 := by
  sorry
