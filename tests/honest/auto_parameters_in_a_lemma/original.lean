theorem t (n : Nat) (h : 0 < n) : n / n = 1 := by
  sorry
