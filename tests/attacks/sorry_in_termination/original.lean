theorem t (n : Nat) : n < 0 := by
  sorry
