theorem t (n : Nat) (h : 0 < n) : ∃ m, n = m + 1 := by
  sorry
